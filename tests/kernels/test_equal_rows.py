"""Groups of equal rows against sorting the rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

from fslib.kernels.equal_rows import EqualRows, distinct_rows


def tables():
    random = np.random.default_rng(0)
    n = 300
    yield "sparse", np.where(random.random((n, 80)) < 0.02, random.integers(1, 5, (n, 80)), 0.0)
    yield "shifted", np.where(random.random((n, 80)) < 0.02, random.normal(size=(n, 80)), 1.7)
    yield "codes", random.integers(0, 3, (n, 70)).astype(float)
    mixed = np.hstack([random.normal(size=(n, 3)), random.integers(0, 2, (n, 5))])
    yield "mixed", mixed[random.permutation(n)]
    yield "constant", np.ones((n, 4))


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("kind", dict(tables()))
def test_groups_are_those_of_sorted_rows(kind, share):
    X = dict(tables())[kind]
    equal = EqualRows(X, share)
    random = np.random.default_rng(1)
    for size in (1, 2, 3, 4):
        for _ in range(5):
            subset = np.sort(random.choice(X.shape[1], size, replace=False))
            distinct, expected = np.unique(X[:, subset], axis=0, return_inverse=True)
            group = equal.groups(subset)
            if len(distinct) > share * len(X):
                assert group is None
            else:
                pairs = np.unique(np.stack([group, expected.ravel()]), axis=1)
                assert pairs.shape[1] == len(distinct) == group.max() + 1


def test_no_codes_where_no_column_repeats_its_values():
    equal = EqualRows(np.random.default_rng(0).normal(size=(50, 3)), 0.9)
    assert equal.sums(np.array([0])) is None
    assert equal.groups(np.array([0, 2])) is None


def test_negative_zero_is_zero():
    assert EqualRows(np.array([[0.0], [-0.0], [1.0], [1.0]]), 0.5).groups(np.array([0])).max() == 1


def test_rows_equal_on_all_columns():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    first, group, counts = distinct_rows(X)
    assert first.tolist() == [0, 2]
    assert group.tolist() == [0, 0, 1, 0]
    assert counts.tolist() == [3, 1]
    assert len(distinct_rows(X.astype(np.uint8))[0]) == 2
