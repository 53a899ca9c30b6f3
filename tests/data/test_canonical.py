"""The same table from any file is the same data set."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fslib.data.canonical import canonical
from fslib.data.dataset import Dataset


def equal(a: Dataset, b: Dataset) -> bool:
    return (
        np.array_equal(a.X, b.X, equal_nan=True)
        and a.y.tolist() == b.y.tolist()
        and a.feature_names == b.feature_names
        and a.seed_name == b.seed_name
        and all(
            (x is None) == (z is None) and (x is None or x.tolist() == z.tolist())
            for x, z in ((a.group, b.group), (a.time, b.time), (a.essential, b.essential))
        )
    )


@given(st.integers(0, 10**6), st.integers(4, 30), st.integers(1, 6), st.booleans())
def test_order_of_rows_and_columns_and_the_name_do_not_matter(number, n, d, grouped):
    rng = np.random.default_rng(number)
    X = rng.integers(-1, 3, (n, d)).astype(float)  # many equal rows
    X[rng.random((n, d)) < 0.2] = np.nan
    X[rng.random((n, d)) < 0.1] = -0.0
    y = np.arange(n) % 2
    group = rng.integers(0, 3, n).astype(str) if grouped else None
    names = [f"f{i}" for i in range(d)]
    first = Dataset("a", X, y, names, ["no", "yes"], group=group, time=np.arange(n) // 2)
    rows, columns = rng.permutation(n), rng.permutation(d)
    second = Dataset(
        "b",
        X[np.ix_(rows, columns)],
        y[rows],
        [names[c] for c in columns],
        ["no", "yes"],
        group=None if group is None else group[rows],
        time=first.time[rows],
    )
    assert equal(canonical(first), canonical(second))
    assert equal(canonical(canonical(first)), canonical(first))
    changed = replace(first, X=np.where(np.arange(n)[:, None] == 0, 9.0, X))
    assert canonical(changed).seed_name != canonical(first).seed_name


def test_essential_columns_move_along():
    d = Dataset("a", [[1, 2, 3], [4, 5, 6]], [0, 1], ["z", "y", "x"], ["n", "p"], essential=[0])
    assert canonical(d).feature_names == ["x", "y", "z"]
    assert canonical(d).essential.tolist() == [2]


def test_rows_sorted_by_class_are_mixed():
    d = Dataset("a", np.arange(200.0)[:, None], np.repeat([0, 1], 100), ["x"], ["n", "p"])
    assert 30 < np.abs(np.diff(canonical(d).y)).sum()
