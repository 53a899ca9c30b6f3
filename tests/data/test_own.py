"""A person's own table, and what is said when something is wrong with it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from fslib.data import DataError, read_own
from fslib.data import text as text_module


@pytest.fixture
def csv(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


GOOD = "a,b,kind\n1,2.5,x\n3,,y\n-4,NA,x\n"


def test_csv(csv):
    d = read_own(csv(GOOD), "kind")
    assert d.name == "mine"
    np.testing.assert_array_equal(d.X, [[1, 2.5], [3, np.nan], [-4, np.nan]])
    assert (d.y.tolist(), d.class_names, d.feature_names) == ([0, 1, 0], ["x", "y"], ["a", "b"])
    assert d.fold is d.group is d.essential is None
    assert read_own(csv(GOOD), "kind", name="other").name == "other"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_and_line_ends(csv, separator):
    text = GOOD.replace(",", separator).replace("\n", "\r\n")
    assert read_own(csv(text), "kind").X.shape == (3, 2)


def test_quotes_byte_order_mark_and_target_in_front(csv):
    d = read_own(csv('\ufeffkind,"a, b"\nx,1\n"y,z",2\nx,"3"\n'), "kind")
    assert d.feature_names == ["a, b"]
    assert d.class_names == ["x", "y,z"]
    assert d.X.ravel().tolist() == [1, 2, 3]


def test_kinds_of_columns(csv, tmp_path):
    frame = pl.DataFrame(
        {
            "truth": [True, False, None],
            "small": pl.Series([1, 2, 3], dtype=pl.Int8),
            "single": pl.Series([0.1, 0.2, 0.3], dtype=pl.Float32),
            "empty": pl.Series([None, None, None], dtype=pl.String),
            "target": [1.5, 2.5, 3.5],
            "y": [0.0, 1.0, 1.0],
        }
    )
    path = tmp_path / "mine.parquet"
    frame.write_parquet(path)
    d = read_own(path, "y")
    assert d.class_names == ["0", "1"]
    np.testing.assert_array_equal(d.X[:, 0], [1, 0, np.nan])
    assert np.isnan(d.X[:, 3]).all()
    assert d.X[0, 2] == np.float32(0.1)
    assert read_own(csv("a,b,y\n1,,no\n2,,yes\n3,,no\n"), "y").X.shape == (3, 2)


@pytest.mark.parametrize(
    ("target", "names"),
    [("true,false,true", ["False", "True"]), ("3,1,3", ["1", "3"]), ("b,a,b", ["a", "b"])],
)
def test_kinds_of_target(csv, target, names):
    lines = [f"{i},{label}" for i, label in enumerate(target.split(","))]
    d = read_own(csv("a,y\n" + "\n".join(lines)), "y")
    assert d.class_names == names
    assert d.y.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b,kind\n", "has a header but no rows"),
        ("kind\nx\ny\n", "no feature column beside the target 'kind'"),
        ("a,knd\n1,x\n2,y\n", "no column 'kind'; did you mean 'knd'"),
        ("a,kind\n1,x\n2,x\n", "only the class 'x'"),
        ("a,kind\n1,x\n2,\n", "target 'kind' is empty in 1 row, first in data row 2"),
        ("a,kind\n1,0.1\n2,0.2\n", "holds numbers such as 0.1"),
        ("a,kind\n1,x\n2,y\n3,z\n", "different in every row"),
        ("a,a,kind\n1,2,x\n1,3,y\n2,3,x\n", "'a' occurs more than once"),
        ("a,,kind\n1,2,x\n1,3,y\n2,3,x\n", "column 2 has no name"),
        ("a,kind\n1,x\n2,y\ninf,x\n", "'a' is infinite in data row 3"),
        ("a,b,kind\n1,2,x\n1,3,y\n2,3\n", "line 4 has 2 cells, the lines before 3"),
        ("a,kind\n1,x\n2,y,7\n3,x\n", "line 3 has 3 cells"),
        ("x\n\na,b,kind\n1,2,x\n", "lines may stand above the names of the columns"),
        ("1,0.5,x\n2,0.7,y\n", "no column 'kind'.* The first line has to name the columns"),
        (b"PK\x03\x04\x00\x00 not text", "is not a text file"),
    ],
)
def test_what_is_wrong_is_said(csv, text, message):
    path = csv(text)
    with pytest.raises(DataError, match=message) as caught:
        read_own(path, "kind")
    assert str(path) in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 2


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_own(tmp_path / "none.csv", "y")
    with pytest.raises(DataError, match="no such file"):
        read_own(tmp_path, "y")


def test_damaged_parquet(tmp_path):
    path = tmp_path / "mine.parquet"
    pl.DataFrame({"a": range(1000), "y": [0, 1] * 500}).write_parquet(path)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"not parquet at all", b""):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match="cannot be read as parquet"):
            read_own(path, "y")


def test_words_among_numbers_are_not_taken_for_categories(csv):
    """Many columns of numbers with a slip in each: said once, with a way out."""
    header = ",".join(f"t{i}" for i in range(20))
    rows = [",".join([str(i)] * 20) + f",{'xy'[i % 2]}" for i in range(30)]
    rows[6] = ",".join(["1O"] * 20) + ",x"
    path = csv(f"{header},kind\n" + "\n".join(rows))
    with pytest.raises(DataError, match=r"20 feature column.* 't4', … .*'1O' in data row 7.*Mend"):
        read_own(path, "kind")
    assert np.isnan(read_own(path, "kind", missing=["1O"]).X[6]).all()
    assert len(read_own(path, "kind", categorical="t*").categories) == 20


def test_a_million_columns_are_refused_at_once(csv, monkeypatch):
    path = csv(",".join(f"c{i}" for i in range(1_000_000)) + "\n1\n")
    monkeypatch.setattr(text_module.pl, "read_csv", lambda *a, **k: pytest.fail("was read"))
    with pytest.raises(DataError, match="1,000,000 columns, at most 200,000"):
        read_own(path, "c1")


# Groups and times


def test_groups_and_times_are_no_features(csv):
    text = "a,who,when,kind\n1,x,2024-03-01,p\n2,x,2024-01-01,q\n3,y,2025-01-01,p\n"
    d = read_own(csv(text), "kind", group="who", time="when")
    assert d.feature_names == ["a"]
    assert d.group.tolist() == ["x", "x", "y"]
    assert np.argsort(d.time).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("times", "order"),
    [("3,1,2", [1, 2, 0]), ("2024-01-01 10:30,2024-01-01 09:00,2024-01-02 00:00", [1, 0, 2])],
)
def test_kinds_of_times(csv, times, order):
    lines = [f"{i},{t},{'pqp'[i]}" for i, t in enumerate(times.split(","))]
    d = read_own(csv("a,t,kind\n" + "\n".join(lines)), "kind", time="t")
    assert np.argsort(d.time).tolist() == order


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"group": "whom"}, "has no column 'whom'; did you mean 'who'"),
        ({"group": "kind"}, "must be different columns"),
        ({"time": "who"}, "time 'who' holds 'x', which is neither a number nor a date"),
        ({"time": "who", "group": "gap"}, "group .gap. is empty in 1 row, first in data row 2"),
    ],
)
def test_groups_and_times_that_are_none(csv, keys, message):
    path = csv("a,who,gap,kind\n1,x,1,p\n2,y,,q\n3,y,2,p\n")
    with pytest.raises(DataError, match=message):
        read_own(path, "kind", **keys)
