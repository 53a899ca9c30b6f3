"""Change one thing, re-run what depends on it: asserted on what a dry run would do."""

from __future__ import annotations

import ast
import os
import re
import shutil
from contextlib import contextmanager
from modulefinder import ModuleFinder
from pathlib import Path

import polars as pl
import pytest
from conftest import MARK, OTHER, TINY
from workflow import CONFIG, PROJECT, STUDY, Workflow, changed

from fslib.registry import METHODS
from fslib.run.artefacts import stored, write
from fslib.run.fingerprint import covered_files

#: Whatever changes in a study, these are made anew.
AGGREGATES = ["compare tiny", "figures tiny", "report index"]


def cells(dataset: str, entry: str = "shared", study: str = "tiny") -> list[str]:
    """Jobs of a method entry on a data set; of all that are cheap by default."""
    return [f"evaluate {study}/{dataset}/{entry}", f"select {study}/{dataset}/{entry}/0"]


def swapped(old: str, new: str):
    """A change of a file's text."""
    return lambda text: text.replace(old, new)


@contextmanager
def edited(path, change):
    """A file with other content for a while."""
    before = path.read_text()
    after = change(before)
    assert after != before
    path.write_text(after)
    try:
        yield
    finally:
        path.write_text(before)


def test_a_clone_runs_its_own_code(finished):
    n_jobs = int(re.search(r"^total\s+(\d+)$", finished.said, re.MULTILINE)[1])
    assert finished.said.count(MARK) == n_jobs - 1  # `all` runs nothing


@pytest.mark.parametrize(
    ("module", "studies"),
    [
        ("methods/cmim.py", ["tiny"]),
        ("kernels/nearest.py", ["tiny"]),
        ("kernels/variance.py", ["tiny", "other"]),
    ],
    ids=["method", "kernel of wrappers", "kernel of filters"],
)
def test_edited_code_reruns_its_users_in_every_study(finished, module, studies):
    with edited(finished.folder / "fslib" / module, swapped("return ", "return 1 and ")):
        expected = [*AGGREGATES, *cells("wine")]
        if "other" in studies:
            expected += [*cells("wine", study="other"), "compare other", "figures other"]
        assert finished.planned() == sorted(expected)


@pytest.mark.slow
def test_an_edited_kernel_of_wrappers_reruns_the_wrapper_and_no_other(finished):
    """A wrapper that nobody has measured has jobs of its own, beside those of the filters."""
    mine = {"use": "fslib.methods.bif:BIF", "criterion": "knn3"}
    methods = {"correlation": {"use": "correlation"}, "mine": mine}
    finished.study("apart", changed(STUDY, methods=methods))
    finished.run("apart")
    with edited(finished.folder / "fslib/kernels/nearest.py", swapped("return ", "return 1 and ")):
        after = ["compare apart", "figures apart", "report apart"]
        assert finished.planned("apart") == sorted([*after, *cells("wine", "mine", "apart")])


@pytest.mark.slow
def test_rows_of_methods_whose_code_is_the_same_are_kept(finished):
    """All entries are cheap and share a job; their rows are made again one by one."""
    batch = finished.results / "tiny" / "wine" / "shared" / "batch-0.parquet"
    measured = batch.with_name("accuracy.parquet")
    before, accuracy = pl.read_parquet(batch), pl.read_parquet(measured)
    # A value that no classifier gives stays only where nothing is measured again.
    made_up = accuracy.with_columns(accuracy=pl.lit(0.125))
    marks = {"fslib.measured": stored(measured, "fslib.measured")}
    write(made_up, measured, "accuracy", marks)
    users = ["correlation", "bw_ratio", "cut"]  # which cuts correlation
    with edited(finished.folder / "fslib/kernels/variance.py", swapped("return ", "return 1 and ")):
        said = finished.fslib("explain", "tiny").stdout
        assert f"fslib/kernels/variance.py changed (fits {', '.join(users)} again)" in said
        finished.run("results/tiny/wine/shared/accuracy.parquet")
        after = pl.read_parquet(batch)
        # The very same rows, their timings included: those fits were not repeated.
        rows = zip(before.rows(named=True), after.rows(named=True), strict=True)
        assert {new["method"] for old, new in rows if old != new} == set(users)
        assert pl.read_parquet(measured).equals(made_up)
    write(accuracy, measured, "accuracy", marks)
    finished.run(cores=4)


@pytest.mark.slow
def test_an_edited_title_of_a_dataset_refits_nothing(finished):
    """The table has its title with it and is made again; its values, and so all fits, are kept."""
    batch = finished.results / "tiny" / "wine" / "shared" / "batch-0.parquet"
    before = pl.read_parquet(batch)
    with edited(finished.folder / "fslib/data/sets/wine.yaml", swapped(": Wine", ": Some wine")):
        assert "table wine" in finished.planned()
        finished.run("results/tiny/wine/shared/accuracy.parquet")
        assert pl.read_parquet(batch).equals(before)
    finished.run(cores=4)


def test_edited_classifier_reevaluates_the_studies_that_name_it(finished):
    """No selection runs again, and nothing of a study that asks other classifiers."""
    with edited(finished.folder / "fslib/evaluate/classifiers/nb.py", swapped("1e-9", "1e-8")):
        assert finished.planned() == sorted([*AGGREGATES, "evaluate tiny/wine/shared"])


def test_edited_classifier_reruns_the_methods_that_name_it(finished):
    with edited(finished.folder / "fslib/evaluate/classifiers/knn1.py", swapped("(1,", "(2,")):
        assert finished.planned() == sorted([*AGGREGATES, *cells("wine")])
        assert "(fits cut again)" in finished.fslib("explain").stdout


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("report/templates/report.css", "}", "; color: red }"),
        ("report/templates/report.html", "Skip to the results", "On to the results"),
        ("report/templates/js/tables.js", "Filter rows", "Rows with"),
        ("report/page.py", "No method could be ranked.", "Nobody could be ranked."),
        ("report/views.py", "Ranking of methods", "Order of methods"),
        ("run/questions.py", "How good is its order?", "Is its order good?"),
    ],
)
def test_edited_template_or_wording_remakes_the_page_alone(finished, file, old, new):
    with edited(finished.folder / "fslib" / file, swapped(old, new)):
        assert finished.planned() == ["report index"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("figures/style.py", 'titlesize": 11', 'titlesize": 12'),
        ("compare/figures.py", "best on the left", "the best on the left"),
        ("run/forms.py", 'return "–"', 'return "none"'),
    ],
    ids=["style", "caption", "form of a number"],
)
def test_edited_figures_are_redrawn_and_nothing_is_computed(finished, file, old, new):
    with edited(finished.folder / "fslib" / file, swapped(old, new)):
        assert finished.planned() == ["figures other", "figures tiny", "report index"]


def test_reasons_are_told_in_words_and_name_the_file(finished):
    assert "everything is up to date" in finished.fslib("explain").stdout
    with edited(finished.folder / "fslib/kernels/nearest.py", swapped("return ", "return 1 and ")):
        lines = finished.fslib("explain").stdout.splitlines()
    changed_file = "fslib/kernels/nearest.py changed (fits bif again)"
    assert f"select tiny/wine/shared/0: {changed_file}" in lines
    assert "evaluate tiny/wine/shared: follows select tiny/wine/shared/0" in lines
    assert "compare tiny: follows evaluate tiny/wine/shared" in lines
    (page,) = (line for line in lines if line.startswith("report index: follows "))
    assert set(page.partition("follows ")[2].split(", ")) == {"compare tiny", "figures tiny"}
    assert lines[-1] == "5 jobs"
    with edited(finished.folder / "fslib/select/columns.py", swapped("return ", "return 1 and ")):
        lines = finished.fslib("explain", "tiny").stdout.splitlines()
    assert "select tiny/wine/shared/0: fslib/select/columns.py changed" in lines
    finished.study("tiny", changed(TINY, evaluate={"classifiers": ["nb"], "sizes": [1, 2]}))
    said = finished.fslib("explain", "tiny").stdout
    finished.study("tiny", TINY)
    assert "evaluate tiny/wine/shared: its settings changed: 3] became 2]" in said
    assert "did you mean 'tiny'" in finished.fslib("explain", "tinny").stdout


def test_words_and_looks_rerun_nothing(finished):
    """Every module at once: new comments and docstrings, other line breaks, other quotes."""
    before = {path: path.read_text() for path in (finished.folder / "fslib").rglob("*.py")}
    for path, text in before.items():
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
                first = node.body[0]
                if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                    first.value = ast.Constant("Other words.")
        path.write_text("# A comment.\n" + ast.unparse(tree))
    try:
        assert finished.planned() == []
    finally:
        for path, text in before.items():
            path.write_text(text)


def test_changed_parameter_reruns_that_method(finished):
    methods = {**TINY["methods"], "cmim": {"use": "cmim", "n_features_to_select": 5}}
    finished.study("tiny", changed(TINY, methods=methods))
    assert finished.planned() == sorted([*AGGREGATES, *cells("wine")])
    finished.study("tiny", TINY)


def test_added_dataset_leaves_other_cells_alone(finished):
    finished.study("tiny", changed(TINY, datasets=["wine", "amfes_quick"]))
    own = [*cells("amfes_quick"), "prepare tiny/amfes_quick", "table amfes_quick"]
    assert finished.planned() == sorted([*AGGREGATES, *own])
    finished.study("tiny", TINY)


@pytest.mark.slow
def test_added_method_leaves_other_cells_alone_and_goes_with_its_entry(finished):
    """Whoever reads all files of a study would count the measures of a method that is gone."""
    (finished.folder / "mine.py").write_text("from sklearn.ensemble import ExtraTreesClassifier\n")
    mine = {"use": "mine.py:ExtraTreesClassifier", "n_estimators": 5}
    finished.study("tiny", changed(TINY, methods={**TINY["methods"], "mine": mine}))
    assert finished.planned() == sorted([*AGGREGATES, *cells("wine", "mine")])
    ledger, measures = "results/tiny/ledger.parquet", finished.results / "tiny" / "wine"
    finished.run(ledger)
    assert len(list(measures.glob("*/accuracy.parquet"))) == 2
    finished.study("tiny", TINY)
    said = finished.run(cores=4)
    assert "results/tiny/wine/mine: measures of an earlier plan are removed" in said
    assert [p.name for p in (measures / "mine").iterdir()] == ["batch-0.parquet"]  # a fit is dear
    assert len(list(measures.glob("*/accuracy.parquet"))) == 1


def test_raised_limits_and_reverted_edits_rerun_nothing(finished):
    """All edits above are undone here; cells that met their limit are for `fslib retry`."""
    both = changed(CONFIG, studies=["tiny", "other"])
    finished.configure(**changed(both, limits={"tiny": {"seconds": 30, "memory_mb": 600}}))
    assert finished.planned() == []
    finished.configure(**both)


def test_results_beside_a_fresh_clone_rerun_nothing(finished, tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(finished.folder, clone, copy_function=shutil.copyfile)
    config = changed(CONFIG, studies=["tiny", "other"])
    workflow = Workflow(clone, project=clone, config=config, tiny=TINY, other=OTHER)
    for i, path in enumerate(sorted(clone.rglob("*"))):
        os.utime(path, (2e9 + i, 2e9 + i))
    assert workflow.planned() == []


class StandardLibrary(ModuleFinder):
    """Python's own finder of imports, without package ``__init__`` files."""

    def scan_code(self, co, m):
        if m.__path__ is None:
            super().scan_code(co, m)

    @classmethod
    def files(cls, source: Path) -> set[Path]:
        finder = cls(path=[str(PROJECT)])
        finder.run_script(str(source))
        files = {Path(m.__file__) for m in finder.modules.values() if m.__file__}
        return {file for file in files if file.name != "__init__.py"}


@pytest.mark.slow
def test_fingerprints_cover_exactly_what_is_imported():
    methods = [PROJECT / "fslib" / "methods" / f"{name}.py" for name in METHODS.names()]
    for source in [*(PROJECT / "scripts").glob("*.py"), *methods]:
        assert covered_files(source) == StandardLibrary.files(source), source.name


def test_kernels_do_not_know_each_other_through_the_registry():
    """Else one method's fingerprint would cover the others."""
    for name in METHODS.names():
        source = PROJECT / "fslib" / "methods" / f"{name}.py"
        others = [f for f in covered_files(source) if f.parent.name == "methods" and f != source]
        # What several methods share stands in a module of its own, with an underscore.
        assert len([f for f in others if not f.name.startswith("_")]) <= 1, others
