"""Data sets as parquet: everything comes back, and plain polars can read it."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fslib.data import DataError, Dataset, load, read_table, table, write_table
from fslib.data.dataset import unique_names
from fslib.run.artefacts import ArtefactError


def same(a: Dataset, b: Dataset) -> bool:
    for field in dataclasses.fields(Dataset):
        x, y = getattr(a, field.name), getattr(b, field.name)
        if isinstance(x, np.ndarray):
            if x.dtype.kind != y.dtype.kind or not np.array_equal(
                x, y, equal_nan=x.dtype.kind == "f"
            ):
                return False
        elif x != y:
            return False
    return True


@pytest.fixture
def rich():
    return Dataset(
        name="rich",
        X=[[1.0, np.nan, 3.0, 0.1], [4.0, 5.0, -0.0, 1e300]],
        y=[1, 0],
        feature_names=["target", "fold", "feature.target", "группа|,"],
        class_names=["no", "yes"],
        fold=["train", "test"],
        group=["a", "a"],
        essential=[3, 0],
        metadata={"title": "Rich", "citation": "Nobody (2000)", "provenance": "[]"},
    )


def test_round_trip(rich, tmp_path):
    write_table(rich, tmp_path / "t.parquet")
    assert same(read_table(tmp_path / "t.parquet"), rich)
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_plain_polars_reads_it(rich, tmp_path):
    write_table(rich, tmp_path / "t.parquet")
    frame = pl.read_parquet(tmp_path / "t.parquet")
    assert frame.columns[-3:] == ["target", "fold", "group"]
    assert len(set(frame.columns)) == 7
    assert frame["target"].to_list() == [1, 0]
    assert frame["feature.fold"].to_list() == [None, 5.0]
    assert frame["feature.feature.target"].to_list() == [1.0, 4.0]
    metadata = pl.read_parquet_metadata(tmp_path / "t.parquet")
    assert metadata["citation"] == "Nobody (2000)"
    assert json.loads(metadata["fslib.dataset"])["class_names"] == ["no", "yes"]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    X=hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 6), st.integers(1, 6)),
        elements=st.floats(allow_infinity=False),
    )
)
def test_every_finite_value_survives(X, tmp_path_factory):
    path = tmp_path_factory.mktemp("t") / "t.parquet"
    names = [f"f{i}" for i in range(X.shape[1])]
    d = Dataset("any", X, np.arange(len(X)) % 2, names, ["a", "b"])
    write_table(d, path)
    back = read_table(path).X
    assert np.array_equal(back, X, equal_nan=True)
    assert np.array_equal(np.signbit(back[X == 0]), np.signbit(X[X == 0]))


@pytest.mark.slow
def test_wide_table(tmp_path):
    """24,000 columns once took minutes: the time is benchmarked, here it must just work."""
    X = np.random.default_rng(0).normal(size=(20, 24_000))
    X[:, 7] = np.nan
    names = [f"gene{i}" for i in range(X.shape[1])]
    d = Dataset("wide", X, np.arange(20) % 2, names, ["a", "b"])
    write_table(d, tmp_path / "t.parquet")
    assert same(read_table(tmp_path / "t.parquet"), d)


def test_embedded_set_round_trip(tmp_path):
    d = load("wine")
    write_table(d, tmp_path / "t.parquet")
    back = read_table(tmp_path / "t.parquet")
    assert same(back, d)
    assert "Aeberhard" in back.metadata["citation"]
    assert table(d).schema["target"] == pl.Int32


def test_a_table_that_is_none(tmp_path):
    with pytest.raises(ArtefactError, match="does not exist"):
        read_table(tmp_path / "none.parquet")
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(ArtefactError):
        read_table(path)
    write_table(load("wine"), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ArtefactError, match="cannot be read as parquet"):
        read_table(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0, 0]}, "at least two classes, found only 'a'"),
        ({"y": [0, 2]}, "codes outside 0..1"),
        ({"y": [0, 1, 1]}, "y has shape"),
        ({"feature_names": ["f"]}, "1 names for 2 features"),
        ({"feature_names": ["f", "f"]}, "'f' occurs more than once"),
        ({"X": np.full((2, 2), np.inf)}, "'f' has infinite values"),
        ({"X": np.empty((2, 0))}, "needs rows and features"),
        ({"essential": [2]}, "distinct columns below 2"),
        ({"essential": [0, 0]}, "distinct columns below 2"),
        ({"fold": ["train"]}, "fold has shape"),
    ],
)
def test_a_data_set_checks_itself(change, message):
    good = {
        "name": "d",
        "X": np.ones((2, 2)),
        "y": [0, 1],
        "feature_names": ["f", "g"],
        "class_names": ["a", "b"],
    }
    Dataset(**good)
    with pytest.raises(DataError, match=message):
        Dataset(**{**good, **change})


@given(st.lists(st.sampled_from(["a", "a.2", "a.3", "b", ""]), max_size=12))
def test_unique_names(names):
    unique = unique_names(names)
    assert len(set(unique)) == len(names)
    for name, given_name in zip(unique, names, strict=True):
        assert name.startswith(given_name)
