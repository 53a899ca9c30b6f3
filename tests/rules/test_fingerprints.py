"""Change one thing, re-run what depends on it: asserted on what a dry run would do."""

from __future__ import annotations

import ast
import os
import re
import shutil
from contextlib import contextmanager
from modulefinder import ModuleFinder
from pathlib import Path

import pytest
from conftest import MARK
from workflow import CONFIG, PROJECT, STUDY, Workflow, changed

from fslib.registry import method_names
from fslib.run.fingerprint import covered_files

#: Whatever changes in a study, these are made anew.
AGGREGATES = ["compare tiny", "figures tiny", "report index"]


def cells(dataset: str, *entries: str) -> list[str]:
    """Jobs of some method entries on a data set."""
    return [
        job
        for entry in entries
        for job in (f"evaluate tiny/{dataset}/{entry}", f"select tiny/{dataset}/{entry}/0")
    ]


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
    ("module", "old", "new", "entries"),
    [
        ("methods/cmim.py", "return ", "return 1 and ", ["cmim"]),
        ("kernels/variance.py", "return ", "return 1 and ", ["correlation", "bw_ratio"]),
    ],
    ids=["method", "kernel"],
)
def test_edited_code_reruns_its_users(finished, module, old, new, entries):
    with edited(finished.folder / "fslib" / module, lambda text: text.replace(old, new)):
        assert finished.planned() == sorted([*AGGREGATES, *cells("wine", *entries)])


def test_edited_template_reruns_the_report(finished):
    template = finished.folder / "fslib" / "report" / "templates" / "report.css"
    with edited(template, lambda text: text + "p { color: red }"):
        assert finished.planned() == ["report index"]


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
    methods = {**STUDY["methods"], "cmim": {"use": "cmim", "n_features_to_select": 5}}
    finished.study("tiny", changed(STUDY, methods=methods))
    assert finished.planned() == sorted([*AGGREGATES, *cells("wine", "cmim")])
    finished.study("tiny", STUDY)


def test_added_dataset_leaves_other_cells_alone(finished):
    finished.study("tiny", changed(STUDY, datasets=["wine", "amfes_quick"]))
    own = [f"prepare tiny/amfes_quick/{p}" for p in ("bins5", "minmax", "standard")]
    assert finished.planned() == sorted(
        [
            *AGGREGATES,
            *cells("amfes_quick", *STUDY["methods"]),
            *own,
            "split tiny/amfes_quick",
            "table amfes_quick",
        ]
    )
    finished.study("tiny", STUDY)


def test_added_method_leaves_other_cells_alone(finished):
    (finished.folder / "mine.py").write_text("from sklearn.ensemble import ExtraTreesClassifier\n")
    mine = {"use": "mine.py:ExtraTreesClassifier", "n_estimators": 5}
    finished.study("tiny", changed(STUDY, methods={**STUDY["methods"], "mine": mine}))
    assert finished.planned() == sorted([*AGGREGATES, *cells("wine", "mine")])
    finished.study("tiny", STUDY)


def test_raised_limits_and_reverted_edits_rerun_nothing(finished):
    """All edits above are undone here; cells that met their limit are for `fslib retry`."""
    finished.configure(**changed(CONFIG, limits={"tiny": {"seconds": 30, "memory_mb": 600}}))
    assert finished.planned() == []
    finished.configure(**CONFIG)


def test_results_beside_a_fresh_clone_rerun_nothing(finished, tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(finished.folder, clone, copy_function=shutil.copyfile)
    workflow = Workflow(clone, project=clone)
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


def test_fingerprints_cover_exactly_what_is_imported():
    methods = [PROJECT / "fslib" / "methods" / f"{name}.py" for name in method_names()]
    for source in [*(PROJECT / "scripts").glob("*.py"), *methods]:
        assert covered_files(source) == StandardLibrary.files(source), source.name


def test_kernels_do_not_know_each_other_through_the_registry():
    """Else one method's fingerprint would cover the others."""
    for name in method_names():
        source = PROJECT / "fslib" / "methods" / f"{name}.py"
        methods = {f.stem for f in covered_files(source) if f.parent.name == "methods"}
        others = {other for other in methods - {name} if not other.startswith("_")}
        assert len(others) <= 1, others
