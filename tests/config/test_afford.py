"""Where limits bound the minutes of a study, large tables get shorter searches, said beforehand."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fslib.config.afford import Size, changes, write_afforded
from fslib.config.cost import SEARCHES, Shape, growth
from fslib.config.estimate import expected_jobs
from fslib.config.load import load_config
from fslib.config.plan import Plan
from fslib.data import Dataset
from fslib.data.tables import write_table
from fslib.prepare.stage import write_fitted
from fslib.run.artefacts import read
from fslib.select.changes import Change, read_changes, read_expected, write_changes
from fslib.select.fits import Job
from fslib.select.stage import select_batch
from fslib.split.stage import write_splits

PROJECT = Path(__file__).resolve().parents[2]
SPLITS = {"scheme": "kfold", "folds": 2, "repeats": 1, "stratified": True, "most_rows": None}


def own_plan() -> Plan:
    values = yaml.safe_load((PROJECT / "config.yaml").read_text())
    values["datasets"] = {"mine": {"path": "mine.csv", "target": "kind"}}
    return Plan(load_config(values, [PROJECT]), PROJECT)


FITS = own_plan().fits("own", "mine")


def expected(shapes, changed: dict[str, Change]) -> float:
    """Seconds of all fits of `own` as they were changed."""
    law, total = growth(), 0.0
    for variant in (variant for fit in FITS for variant in fit):
        change = changed.get(variant["name"], Change())
        if not change.skipped:
            params = variant["params"] | change.params
            total += sum(n * law.fit(variant["use"], params, s) for s, n in shapes.items())
    return total


@given(
    rows=st.integers(20, 10_000),
    features=st.integers(1, 100_000),
    classes=st.integers(2, 5),
    minutes=st.floats(0.5, 100),
)
@settings(max_examples=50, deadline=None)
def test_no_table_is_expected_to_take_longer_than_the_minutes(rows, features, classes, minutes):
    shapes = Counter({Shape(0.8 * rows, features, classes): 10, Shape(rows, features, classes): 1})
    found = changes(FITS, shapes, minutes)
    assert expected(shapes, found) <= 60 * minutes * (1 + 1e-9)
    for variant in (variant for fit in FITS for variant in fit if variant["name"] in found):
        change = found[variant["name"]]
        if not change.skipped:
            name, least = SEARCHES[variant["use"]]
            assert least <= change.params[name] < variant["params"][name]
    # What fits into the minutes as it is stays as it is.
    assert bool(found) == (expected(shapes, {}) > 60 * minutes)


def test_a_large_table_leaves_out_what_no_shorter_search_makes_affordable():
    ordinary, large = ({Shape(n, d): 11} for n, d in ((500, 30), (4000, 5000)))
    assert changes(FITS, ordinary, 20) == {}
    found = changes(FITS, large, 20)
    assert {name for name, change in found.items() if change.skipped} == {"svm_rfe", "babd"}
    assert found["svm_rfe"].reason.startswith("too long: about ")
    assert found["svm_rfe"].reason.endswith(" left of the `minutes: 20` in `limits`")
    assert found["daf"].params["n_probes"] < 20_000
    assert found["daf"].reason.startswith(f"n_probes {found['daf'].params['n_probes']:,} of 20,000")


def test_methods_that_nobody_measured_stay_as_they_are():
    fit = [{"name": "mine", "use": "my_methods.py:Mine", "params": {}}]
    assert changes([fit], {Shape(10_000, 10_000): 11}, 0.01) == {}


@pytest.fixture
def table(tmp_path):
    """A small table with its splits and one preparation."""
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 6)), np.arange(40) % 2
    at = {n: str(tmp_path / f"{n}.parquet") for n in ("table", "splits", "minmax", "batch")}
    names = [f"x{i}" for i in range(6)]
    write_table(
        Dataset(name="d", X=X, y=y, feature_names=names, class_names=["a", "b"]), at["table"]
    )
    write_splits(at["table"], at["splits"], dataset="d", scheme=SPLITS, seed=1, final=True)
    write_fitted(at["table"], at["splits"], at["minmax"], steps=["minmax"])
    return at | {"afforded": str(tmp_path / "afforded.json")}


def test_the_job_finds_the_size_of_the_table_by_itself(table, capsys):
    files, asked = [table[n] for n in ("table", "splits", "afforded")], {"study": "own"}
    asked |= {"fits": FITS, "evaluate": own_plan().study("own").evaluate}
    write_afforded(*files, **asked, minutes=20)
    assert read_changes(table["afforded"]) == {}
    # What is to come is told before any method runs, and kept for the page.
    whole, told = read_expected(table["afforded"]), capsys.readouterr().err
    assert told == f"d: the fits of own and their evaluation will take {whole}\n"
    assert str(whole).endswith(", and 0.2 GB of memory a job")
    shapes = Counter({Shape(20, 6, 2): 2, Shape(40, 6, 2): 1})
    assert whole.seconds > sum(
        n * max(growth().fit(v["use"], v["params"], shape) for v in fit)
        for shape, n in shapes.items()
        for fit in FITS
    )
    write_afforded(*files, **asked, minutes=1e-9)
    told = capsys.readouterr().err
    # Nothing is left to fit or to evaluate but what tunes the classifiers.
    assert read_expected(table["afforded"]).seconds < whole.seconds
    assert "d: svm_rfe: skipped, too long: about" in told
    assert all(change.skipped for change in read_changes(table["afforded"]).values())
    assert len(read_changes(table["afforded"])) == len(FITS)


def test_fits_have_the_changed_parameters_or_are_skipped_with_the_reason(table):
    found = {"daf": Change({"n_probes": 7}), "babd": Change(skipped=True, reason="too long: 9 h")}
    write_changes(found, table["afforded"])
    common = {"entry": "e", "preparation": ["minmax"], "role": "competitor", "fingerprint": ""}
    variants = [
        common | {"name": name, "seed_name": name, "use": name, "params": params}
        for name, params in (("daf", {"n_probes": 50}), ("babd", {}), ("correlation", {}))
    ]
    select_batch(
        table["table"],
        table["splits"],
        [table["minmax"]],
        table["batch"],
        job=Job("s", "d", "e", variants, "kfold", 1, ""),
        batch=None,
        limits={"seconds": 60, "memory_mb": 1000, "minutes": 1},
        workers=1,
        log=None,
        afforded=[table["afforded"]],
    )
    rows = read(table["batch"], "batch")
    by_method = {
        m: [s, r, n] for m, s, r, n in rows.select("method", "status", "reason", "n_fits").rows()
    }
    assert by_method == {
        "daf": ["ok", "", 3 * 7],
        "babd": ["skipped", "too long: 9 h", 0],
        "correlation": ["ok", "", 0],
    }


def test_only_studies_with_bounded_minutes_wait_for_the_size_of_a_table():
    plan = own_plan()
    assert plan.afforded("own", "mine") == plan.afforded("own") == [plan.at.afforded("own", "mine")]
    assert plan.afforded("quick", "wine") == []


def test_reading_a_large_table_is_foreseen():
    tasks = []
    for rows in (100, 1_000_000):
        plan = own_plan()
        plan.sizes["mine"] = Size("mine", rows, 20, {"a": rows // 2, "b": rows // 2})
        tasks.append(expected_jobs(plan, "own_fast").tasks)
    for job in ("data/mine/table", "own_fast/mine/prepare", "own_fast/mine/trees/batch-0"):
        assert tasks[1][job].cpu > tasks[0][job].cpu + 0.5
