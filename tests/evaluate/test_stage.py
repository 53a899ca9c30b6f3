"""The evaluate stage on small runs: what it measures, against the definitions."""

import numpy as np
import polars as pl
import pytest
from workflow import CONFIG, STUDY, Workflow, changed

from fslib.data.tables import read_table
from fslib.evaluate.matching import SUMatching
from fslib.run.artefacts import read
from fslib.split.stage import read_splits

pytestmark = pytest.mark.slow

SHRINKING = changed(
    STUDY,
    prepare={
        "continuous": ["bins5"],
        "discrete": ["bins5"],
        "evaluation": ["bins5"],
        "fitted": "before_split",
    },
    splits={"scheme": "shrinking_bootstrap", "repeats": 3, "ratios": [0.5, 1.0]},
    methods={"cmim": {"use": "cmim"}},
    evaluate={"classifiers": ["knn1"], "stability": ["su_matching"]},
)
BEFORE = changed(
    STUDY, selection="before_split", methods={"babd": {"use": "babd"}}, datasets=["wdbc"]
)
#: A mistake of the study: one classifier is for codes, and its data are not.
UNSUITED = changed(STUDY, evaluate={"classifiers": ["nb", "nb_categorical"], "sizes": [1, 3]})
#: The same without any that works.
HOPELESS = changed(STUDY, evaluate={"classifiers": ["nb_categorical"], "sizes": [1, 3]})
PARTS = {
    "unsuited": UNSUITED,
    "hopeless": HOPELESS,
    "shrinking": SHRINKING,
    "before": changed(BEFORE, evaluate={"classifiers": ["lssvm"], "sizes": "selected"}),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One run of a study with two parts, by the name of its file."""
    study = {"title": "Both", "parts": PARTS, **{k: STUDY[k] for k in ("datasets", "limits")}}
    workflow = Workflow(
        tmp_path_factory.mktemp("evaluate"), config=changed(CONFIG, studies=["both"]), both=study
    )
    workflow.said = workflow.run("both")
    return workflow


def measured(run, part: str, dataset: str, method: str, kind: str) -> pl.DataFrame:
    """What was measured of one method, in the folder of whatever entry has it."""
    folder = run.results / f"both-{part}" / dataset
    frames = [read(path, kind) for path in sorted(folder.glob(f"*/{kind}.parquet"))]
    return pl.concat(frames).filter(pl.col("method") == method)


def test_every_part_is_in_one_report(run):
    assert "both-shrinking: 6 ok" in run.said
    assert (run.results / "report" / "index.html").exists()


def test_a_classifier_that_the_data_do_not_suit_is_named_in_the_report(run):
    assert "both-unsuited: 6 ok, 6 unmeasured" in run.said
    assert "both-hopeless: 6 ok, 6 unmeasured" in run.said
    ledger = read(run.results / "both-unsuited" / "ledger.parquet", "ledger")
    assert ledger["unmeasured"].to_list() == [2, 2, 2]
    assert "nb_categorical needs codes 0, 1, 2, …" in ledger["reason"][0]
    page = (run.results / "report" / "index.html").read_text()
    assert "Evaluation failed" in page
    assert "not measured by nb_categorical on 2 splits (ValueError: nb_categorical needs" in page
    accuracy = measured(run, "unsuited", "wine", "cmim", "accuracy")
    assert accuracy["classifier"].unique().to_list() == ["nb"]


def test_retry_knows_what_was_not_measured(run):
    said = run.fslib("retry", "--dry-run").stdout
    assert "both-hopeless: wine × cmim by nb_categorical, split 1: error: ValueError" in said
    assert "12 cells in 2 jobs" in said


def test_matching_compares_each_sample_with_its_whole_bootstrap(run):
    found = measured(run, "shrinking", "wine", "cmim", "stability")
    table = read_table(run.results / "both-shrinking" / "wine" / "prepared" / "bins5.parquet")
    similarity = SUMatching(table.X.astype(int))
    splits = read_splits(run.results / "both-shrinking" / "wine" / "splits.parquet")
    orders = {
        split: frame.sort("rank")["feature"].to_numpy()
        for (split,), frame in measured(run, "shrinking", "wine", "cmim", "selections").group_by(
            "split"
        )
    }
    pairs = [
        (orders[a], orders[b])
        for a in splits
        for b in splits
        if splits[a].repeat == splits[b].repeat and (splits[a].ratio, splits[b].ratio) == (1.0, 0.5)
    ]
    expected = np.mean([similarity(*pair) for pair in pairs], axis=0)
    ours = found.filter(pl.col("ratio") == 0.5).sort("k")
    np.testing.assert_allclose(ours["value"], expected, atol=1e-12)
    np.testing.assert_allclose(found.filter(pl.col("ratio") == 1.0)["value"], 1.0)


def test_selection_before_splitting_is_made_once_and_measured_on_every_split(run):
    runs = measured(run, "before", "wdbc", "babd", "runs")
    accuracy = measured(run, "before", "wdbc", "babd", "accuracy")
    assert runs["split"].to_list() == [-1]
    assert sorted(accuracy["split"].unique()) == [0, 1]
    assert accuracy["k"].unique().to_list() == [runs["n_selected"][0]]


def test_facts_of_a_fit_are_kept(run):
    facts = measured(run, "before", "wdbc", "babd", "facts")
    assert {"error", "error_rate", "C"} <= set(facts["fact"])
    assert facts["value"].is_finite().all()
