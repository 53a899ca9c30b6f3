"""Evaluation under limits: what a classifier cannot do is a marked row, never the end of a run."""

import time

import numpy as np
import polars as pl
import pytest

from fslib.data import load
from fslib.data.tables import write_table
from fslib.evaluate import stage
from fslib.evaluate.stage import evaluate_entry
from fslib.prepare.stage import write_fitted
from fslib.run.artefacts import frame_of, read, write
from fslib.run.layout import FILES
from fslib.run.pool import run_limited
from fslib.split.stage import write_splits

SCHEME = {"scheme": "holdout", "test": 0.3, "repeats": 3, "stratified": True, "most_rows": None}
LIMITS = {"seconds": 1, "wall_seconds": 5, "memory_mb": 300}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table, its splits, a preparation, and what two variants selected."""
    folder = tmp_path_factory.mktemp("evaluation")
    table, splits, view, batch = (str(folder / n) for n in ("table", "splits", "standard", "batch"))
    write_table(load("wine"), table)
    write_splits(table, splits, dataset="wine", scheme=SCHEME, seed=1, final=True)
    write_fitted(table, splits, view, steps=["standard"])
    cost = dict.fromkeys(("wall_seconds", "cpu_seconds", "peak_mb"), 0.0)
    rows = [
        {"dataset": "wine", "method": method, "role": "competitor", "split": split, "status": "ok"}
        | {"reason": "", **cost, "n_fits": 0, "seed": 1, "n_selected": 3, "ordered": True}
        | {"preparation": "standard", "fitted": "within_split", "fingerprint": "f"}
        | {"feature": order, "score": [3.0, 2.0, 1.0], "selected": [True] * 3}
        | {"fact": [], "value": []}
        for method, order in {"a": [0, 1, 2], "b": [6, 9, 12]}.items()
        for split in (0, 1, 2, -1)
    ]
    write(frame_of(rows, "batch"), batch, "batch")
    return table, splits, view, [batch]


def evaluated(files, folder, classifiers=("nb", "knn3"), log=None, workers=2):
    out = {kind: str(folder / f"{kind}.parquet") for kind in FILES}
    evaluate_entry(
        *files,
        out,
        label="study/wine/entry",
        code="code",
        classifiers=list(classifiers),
        sizes=[1, 2, 3],
        measures=["accuracy", "balanced_accuracy"],
        stability=["nogueira"],
        selects_before_split=False,
        limits=LIMITS,
        seed=1,
        workers=workers,
        log=log,
    )
    return {kind: read(out[kind], kind) for kind in FILES}


def misbehaving(monkeypatch, behaviour):
    """The classifier knn3 does something else before it predicts."""
    original = stage.decision_curve

    def decision_curve(classifier, X_train, *rest):
        if classifier == "knn3":
            behaviour(X_train)
        return original(classifier, X_train, *rest)

    monkeypatch.setattr(stage, "decision_curve", decision_curve)


def burn(X):
    while True:
        pass


def eat(X):
    eaten = []
    while True:
        eaten.append(np.ones(2_000_000))
        time.sleep(0.002)


def fail(X):
    raise ValueError("no such distance")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("behaviour", "status", "reason"),
    [
        # Two selections in one task: each has a second.
        (burn, "timeout", "more than 2 s of CPU time"),
        (lambda X: time.sleep(60), "timeout", "more than 10 s"),
        (eat, "out_of_memory", "more than 300 MB"),
        (fail, "error", "ValueError: no such distance"),
    ],
)
def test_a_classifier_that_fails_is_a_marked_row(
    files, tmp_path, monkeypatch, behaviour, status, reason
):
    good = evaluated(files, tmp_path)
    misbehaving(monkeypatch, behaviour)
    found = evaluated(files, tmp_path / "again", log=str(tmp_path / "log"))
    expected = good["accuracy"].filter(pl.col("classifier") == "nb")
    assert found["accuracy"].equals(expected)
    cells = found["unmeasured"].select("dataset", "method", "split", "classifier").rows()
    assert cells == [("wine", m, s, "knn3") for s in (0, 1, 2) for m in ("a", "b")]
    assert set(found["unmeasured"]["status"]) == {status}
    assert set(found["unmeasured"]["reason"]) == {reason}
    log = (tmp_path / "log").read_text()
    assert f"split 0 a knn3: {status}: {reason}" in log
    assert log.endswith("study/wine/entry evaluate 6/6, 3 failed\n")


def test_one_selection_that_cannot_be_measured_costs_no_other(files, tmp_path, monkeypatch):
    measured = []

    def refuse_the_second(X):
        measured.append(X)  # in the child, where each split starts anew
        if len(measured) == 2:
            raise MemoryError

    good = evaluated(files, tmp_path)["accuracy"]
    misbehaving(monkeypatch, refuse_the_second)
    found = evaluated(files, tmp_path / "again")
    of_second = (pl.col("method") == "b") & (pl.col("classifier") == "knn3")
    assert found["accuracy"].equals(good.filter(~of_second))
    assert found["unmeasured"].select("method", "split", "status").rows() == [
        ("b", split, "out_of_memory") for split in (0, 1, 2)
    ]


def test_a_classifier_that_the_data_do_not_suit_says_so(files, tmp_path):
    found = evaluated(files, tmp_path, ["nb", "nb_categorical"])
    assert found["accuracy"]["classifier"].unique().to_list() == ["nb"]
    assert len(found["unmeasured"]) == 6
    reasons = found["unmeasured"]["reason"].unique().to_list()
    assert ["nb_categorical needs codes 0, 1, 2, …" in reason for reason in reasons] == [True]


@pytest.mark.parametrize(("workers", "threads"), [(1, 1), (5, 1), (6, 2), (9, 3)])
def test_an_evaluation_uses_the_threads_that_its_job_can_spare(
    files, tmp_path, monkeypatch, workers, threads
):
    """Three splits are three tasks."""
    given = []

    def recorded(tasks, **pool):
        given.append((pool["workers"], pool["threads"]))
        return run_limited(tasks, **pool)

    monkeypatch.setattr(stage, "run_limited", recorded)
    found = evaluated(files, tmp_path, ["knn3"], workers=workers)["accuracy"]
    assert given == [(workers, threads)]
    assert found.equals(evaluated(files, tmp_path, ["knn3"], workers=1)["accuracy"])
