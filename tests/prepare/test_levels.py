"""Categories: encoded by the training rows alone, chosen and measured as one feature."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table, write_table
from fslib.evaluate.stage import evaluate_entry
from fslib.prepare.levels import Levels
from fslib.prepare.stage import read_preparation, write_fitted, write_prepared
from fslib.run.artefacts import Refused, read, read_any
from fslib.run.layout import FILES
from fslib.select.fits import Job
from fslib.select.stage import select_batch
from fslib.split.stage import read_splits, write_splits

SCHEME = {"scheme": "kfold", "folds": 3, "repeats": 1, "stratified": True, "most_rows": None}


def mixed(rng, n=120, missing=0.0, fill="level") -> Dataset:
    """Colour tells the class, size and weight do not; a city is different for nearly everybody."""
    y = np.arange(n) % 2
    colour = 2 * rng.integers(0, 2, n) + y
    X = np.column_stack([rng.normal(size=n), colour, rng.integers(0, 2, n), np.arange(n) // 2])
    X = X.astype(float)
    X[rng.random(n) < missing, 1] = np.nan
    levels = {1: list("abcd"), 2: ["no", "yes"], 3: [f"city {i}" for i in range(n // 2)]}
    names = ["weight", "colour", "size", "city"]
    meta = {"missing_category": fill}
    return Dataset("mixed", X, y, names, ["n", "p"], categories=levels, metadata=meta)


@given(st.integers(0, 10**6), st.integers(30, 200), st.integers(2, 6))
def test_columns_are_those_of_scikit_learn(seed, n, k):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, k, (n, 1)).astype(float)
    train, test = np.arange(n) < n // 2, np.arange(n) >= n // 2
    data = Dataset("d", X, np.arange(n) % 2, ["a"], ["n", "p"], categories={0: list("abcdef")})
    levels = Levels.fit(data, np.flatnonzero(train))
    theirs = OneHotEncoder(
        min_frequency=3, handle_unknown="infrequent_if_exist", sparse_output=False
    ).fit(X[train])
    ours, expected = levels.one_hot(X), theirs.transform(X)
    known = expected.sum(axis=1) > 0
    if expected.shape[1] > 2:
        np.testing.assert_array_equal(ours[known], expected[known])
    elif expected.shape[1] == 2:
        np.testing.assert_array_equal(ours[known, 0], expected[known, 1])
    assert ours.shape[1] == (expected.shape[1] if expected.shape[1] > 2 else 1)
    assert np.isfinite(ours[test]).all()


def test_missing_rare_and_unknown_categories():
    column = np.array([0] * 10 + [1] * 8 + [2, 3] + [np.nan] * 4 + [4])
    levels = {0: list("abcde")}
    train = np.arange(24)

    def codes(fill):
        meta = {"missing_category": fill}
        data = Dataset("d", column[:, None], np.arange(25) % 2, ["a"], ["n", "p"], metadata=meta)
        data = Dataset(**{**vars(data), "categories": levels})
        return Levels.fit(data, train).coded(data.X)[:, 0].tolist()

    # a, b, missing are kept; c and d are rare together; e is unknown, and so taken as rare.
    assert codes("level") == [0] * 10 + [1] * 8 + [3, 3] + [2] * 4 + [3]
    assert codes("median") == [0] * 10 + [1] * 8 + [2, 2] + [0] * 4 + [2]


def files(tmp_path, data, preparations):
    table, splits = str(tmp_path / "table.parquet"), str(tmp_path / "splits.parquet")
    write_table(data, table)
    assert read_table(table).categories == data.categories
    write_splits(table, splits, dataset=data.name, scheme=SCHEME, seed=1, final=True)
    prepared = {}
    for steps in preparations:
        prepared[steps] = str(tmp_path / f"{steps}.parquet")
        write_fitted(table, splits, prepared[steps], steps=steps.split("-"))
    return table, splits, prepared


@pytest.mark.parametrize(("missing", "fill"), [(0, "level"), (0.2, "level"), (0.2, "median")])
def test_test_rows_do_not_touch_what_is_learned(tmp_path, missing, fill):
    data = mixed(np.random.default_rng(0), missing=missing, fill=fill)
    steps = "median-standard", "median-bins5"
    table, splits, prepared = files(tmp_path, data, steps)
    rows = read_splits(splits)[0]
    changed = data.X.copy()
    changed[rows.test] = [[99.0, 3, 0, 1]]
    other = tmp_path / "other"
    other.mkdir()
    write_table(Dataset(**{**vars(data), "X": changed}), str(other / "table.parquet"))
    for name in steps:
        write_fitted(
            str(other / "table.parquet"), splits, str(other / "out.parquet"), steps=name.split("-")
        )
        first = read(prepared[name], "fitted").filter(pl.col("split") == 0)
        assert first.equals(read(other / "out.parquet", "fitted").filter(pl.col("split") == 0))
    one_hot = read_preparation(table, prepared["median-standard"])
    n = 5 if missing and fill == "level" else 4
    assert one_hot.features(0).tolist() == [0, *[1] * n, 2, 3]
    X = one_hot.rows(0, rows.train)
    assert X.shape[1] == 3 + n
    np.testing.assert_allclose(X[:, : n + 2].mean(axis=0), 0, atol=1e-12)
    codes = read_preparation(table, prepared["median-bins5"])
    assert codes.features(0) is None
    assert set(np.unique(codes.rows(0, rows.test)[:, 1])) <= set(range(n))


def test_a_categorical_feature_has_one_rank_and_one_name(tmp_path):
    data = mixed(np.random.default_rng(1), missing=0.1)
    table, splits, prepared = files(tmp_path, data, ("median-standard", "median-bins5"))
    variants = [
        {
            "name": name,
            "entry": "e",
            "use": use,
            "params": params,
            "seed_name": name,
            "preparation": steps,
            "role": "competitor",
            "fingerprint": "",
        }
        for name, use, params, steps in (
            ("correlation", "correlation", {}, ["median", "standard"]),
            ("two", "correlation", {"n_features_to_select": 2}, ["median", "standard"]),
            ("svm_rfe", "svm_rfe", {}, ["median", "standard"]),
            ("cmim", "cmim", {"n_features_to_select": 50}, ["median", "bins5"]),
            (
                "prefix",
                "best_prefix",
                {"ranker": {"use": "cmim", "n_features_to_select": 50}},
                ["median", "bins5"],
            ),
        )
    ]
    batch = str(tmp_path / "batch.parquet")
    job = Job("s", data.name, "e", variants, "kfold", 1, "")
    common = {"limits": {"seconds": 60, "memory_mb": 1000}, "workers": 1, "log": None}
    paths = list(prepared.values())
    select_batch(table, splits, paths, batch, job=job, batch=None, **common)
    rows = read(batch, "batch")
    assert rows["status"].to_list() == ["ok"] * len(rows), rows["reason"].to_list()
    for row in rows.rows(named=True):
        assert len(set(row["feature"])) == len(row["feature"]) <= 4
        assert row["feature"][0] == 1
        if row["method"] == "two":
            assert row["selected"] == [True, True, False, False]
        capped = dict(zip(row["fact"], row["value"], strict=True)).get("asked_for")
        assert capped == (50 if row["method"] in ("cmim", "prefix") else None)
    out = {name: str(tmp_path / f"{name}.parquet") for name in FILES}
    evaluate_entry(
        table,
        splits,
        prepared["median-standard"],
        [batch],
        out,
        label="l",
        code="code",
        classifiers=["knn3", "nb", "svm_linear"],
        measures=["accuracy"],
        sizes=[1, 2, 3],
        seed=1,
        stability=["nogueira"],
        selects_before_split=False,
        **common,
    )
    accuracy = read(out["accuracy"], "accuracy")
    assert accuracy.filter(pl.col("classifier") == "svm_linear")["accuracy"].min() > 0.8
    names = read(out["selections"], "selections").filter(pl.col("rank") == 1)["name"].unique()
    assert names.to_list() == ["colour"]


def test_preparation_before_the_split_is_refused(tmp_path):
    table, out = str(tmp_path / "table.parquet"), str(tmp_path / "out.parquet")
    write_table(mixed(np.random.default_rng(0)), table)
    write_prepared(table, out, steps=["minmax"])
    with pytest.raises(Refused, match=r"'colour'.*set `prepare.fitted: within_split`"):
        read_any(out)
