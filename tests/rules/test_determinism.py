"""Equal results whatever the cores, workers and batches; equal reports of equal results."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import polars as pl
import pytest
from workflow import STUDY, Workflow, changed

pytestmark = pytest.mark.slow

#: One method of each kind: a filter, a shared fit, an SVM ensemble, a search, a foreign forest.
METHODS = {
    "filters": {
        "variants": {
            "correlation": {"use": "correlation"},
            "mid": {"use": "mrmr", "scheme": "MID"},
            "miq": {"use": "mrmr", "scheme": "MIQ"},
        }
    },
    "searches": {
        "variants": {
            "amfes": {"use": "amfes", "n_subsets": 5},
            "daf": {"use": "daf", "criterion": "svm_linear", "n_probes": 30, "max_subset_size": 5},
            "trees": {"use": "sklearn.ensemble:ExtraTreesClassifier", "n_estimators": 10},
        }
    },
}
ONE_CORE = changed(
    STUDY,
    splits={"scheme": "holdout", "test": 0.3, "repeats": 4},
    methods=METHODS,
    evaluate={"classifiers": ["knn3", "nb", "svm_linear"], "sizes": [1, 3, 13]},
)
MANY_CORES = changed(ONE_CORE, threads=2, batch=2)
MEASURED = "tiny/wine/*/[!b]*.parquet"  # batches are cut differently, what is made of them is not


def assert_equal_results(one: Workflow, other: Workflow, pattern: str) -> None:
    expected, found = one.frames(pattern), other.frames(pattern)
    assert expected.keys() == found.keys()
    assert expected
    for name, frame in expected.items():
        assert frame.equals(found[name]), name


@pytest.fixture(scope="module")
def one_core(tmp_path_factory) -> Workflow:
    workflow = Workflow(tmp_path_factory.mktemp("one_core"), tiny=ONE_CORE)
    workflow.run(cores=1)
    return workflow


def test_cores_workers_and_batches_do_not_matter(one_core, tmp_path):
    many = Workflow(tmp_path, tiny=MANY_CORES)
    many.run("results/tiny/ledger.parquet", cores=4)
    assert_equal_results(one_core, many, MEASURED)
    assert_equal_results(one_core, many, "tiny/wine/prepared/*.parquet")
    assert_equal_results(one_core, many, "tiny/tables/ranks.parquet")
    runs = pl.concat(one_core.frames("tiny/wine/*/runs.parquet").values())
    assert len(runs) == 24
    assert runs["status"].unique().to_list() == ["ok"]
    assert runs["seed"].n_unique() == 24
    batches = [f"tiny/wine/shared/batch-{b}.parquet" for b in (0, 1)]
    assert list(many.frames("tiny/wine/*/batch*.parquet")) == batches


def test_the_same_on_other_processors(one_core, tmp_path):
    """As OpenBLAS computes on a Haswell, where splitting a product by rows changes bits."""
    haswell = {"OPENBLAS_CORETYPE": "Haswell"}
    asked = "import numpy, threadpoolctl; print(threadpoolctl.threadpool_info())"
    info = subprocess.run(
        [sys.executable, "-c", asked], env=haswell, capture_output=True, text=True
    ).stdout
    if "'architecture': 'Haswell'" not in info:
        pytest.skip("this numpy does not compute with an OpenBLAS that knows Haswell")
    targets = ["results/tiny/wine/shared/accuracy.parquet"]
    runs = []
    for name, study, cores in (("one", ONE_CORE, 1), ("many", MANY_CORES, 4)):
        workflow = Workflow(tmp_path / name, tiny=study)
        for part in ("results", ".snakemake"):
            shutil.copytree(one_core.folder / part, workflow.folder / part)
        shutil.rmtree(workflow.results / "tiny" / "wine" / "shared")
        said = workflow.run(*targets, cores=cores, **haswell)
        assert re.search(r"^select +(1|2)$", said, re.MULTILINE)
        runs.append(workflow)
    assert_equal_results(*runs, MEASURED)


def test_equal_results_give_equal_reports(one_core):
    page = one_core.results / "report" / "index.html"
    before, figures = page.read_text(), (one_core.results / "tiny" / "figures.json").read_text()
    shutil.rmtree(one_core.results / "tiny" / "tables")
    shutil.rmtree(one_core.results / "tiny" / "figures")
    page.unlink()
    said = one_core.run()
    assert not re.search(r"^(select|evaluate) ", said, re.MULTILINE)
    assert (one_core.results / "tiny" / "figures.json").read_text() == figures
    assert without_stamp(page.read_text()) == without_stamp(before)


def without_stamp(page: str) -> str:
    """The page without its list of facts about the run and the line that sums them up."""
    rest, lists = re.subn(r'<dl class="stamp">.*?</dl>', "", page, flags=re.DOTALL)
    rest, lines = re.subn(r"[\d-]+ [\d:]+ UTC · commit [\w-]+ · seed \d+", "", rest)
    assert (lists, lines) == (1, 1)
    return rest


GLOBAL = """
import random

import numpy as np


class Global:
    def fit(self, X, y):
        self.scores_ = np.random.rand(X.shape[1]) + random.random()
        return self


def drawn(X, y, random_state=None):
    return np.random.default_rng(random_state).random(X.shape[1])
"""
_FOREST = {"use": "sklearn.ensemble:RandomForestClassifier", "n_estimators": 5}
#: Other people's methods that draw: nested, as a function, from the global generators.
THIRD_PARTY = {
    "rfe": {"use": "sklearn.feature_selection:RFE", "estimator": _FOREST, "step": 4},
    "model": {"use": "sklearn.feature_selection:SelectFromModel", "estimator": _FOREST},
    "trees": {"use": "sklearn.ensemble:ExtraTreesClassifier", "n_estimators": 5},
    "mutual": {"use": "sklearn.feature_selection:mutual_info_classif"},
    "best": {
        "use": "sklearn.feature_selection:SelectKBest",
        "score_func": {"use": "sklearn.feature_selection:mutual_info_classif"},
    },
    "boruta": {"use": "boruta:BorutaPy", "estimator": _FOREST, "n_estimators": 20, "max_iter": 9},
    "global": {"use": "drawing.py:Global"},
    "drawn": {"use": "drawing.py:drawn"},
}


def test_other_peoples_methods_give_the_same_twice(tmp_path):
    runs = []
    methods = {"others": {"variants": THIRD_PARTY}}  # in one job, which takes a tenth of the time
    for name in ("first", "second"):
        workflow = Workflow(tmp_path / name, tiny=changed(STUDY, methods=methods))
        (tmp_path / name / "drawing.py").write_text(GLOBAL)
        workflow.run("results/tiny/ledger.parquet")
        runs.append(workflow)
    assert_equal_results(*runs, MEASURED)
    selections = pl.read_parquet(runs[0].results / "tiny" / "wine" / "*" / "selections.parquet")
    for entry in THIRD_PARTY:
        chosen = selections.filter(pl.col("method") == entry)
        assert chosen["split"].n_unique() == 2, entry
        if entry in ("global", "drawn"):  # each split draws anew
            by_split = chosen.sort("rank").partition_by("split")
            assert not by_split[0]["feature"].equals(by_split[1]["feature"])
