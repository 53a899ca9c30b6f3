"""The k-NN criterion against neighbours found by sorting exact distances."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fslib.criteria.base import fixed_folds
from fslib.criteria.knn import KNNCriterion
from fslib.kernels import nearest


def by_sorting(X, y, folds, subset, k) -> float:
    """Mean accuracy of the k nearest: rows at the last distance share, equal votes to the lower
    class."""
    shares = []
    for fold in range(folds.max() + 1):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        hits = 0
        for row in test:
            differences = np.ascontiguousarray((X[row] - X[train])[:, subset])
            distances = (differences**2).sum(axis=1)
            last = np.sort(distances)[k - 1]
            nearer, as_far = train[distances < last], train[distances == last]
            left = Fraction(k - len(nearer), len(as_far))
            votes = [
                np.sum(y[nearer] == c) + left * int(np.sum(y[as_far] == c))
                for c in range(y.max() + 1)
            ]
            hits += votes.index(max(votes)) == y[row]
        shares.append(hits / len(test))
    return float(np.mean(shares))


KINDS = {
    "continuous": lambda random, shape: random.normal(size=shape),
    "binary": lambda random, shape: random.integers(0, 2, shape).astype(float),
    "codes": lambda random, shape: random.integers(0, 4, shape).astype(float),
    "mostly zero": lambda random, shape: random.normal(size=shape) * (random.random(shape) < 0.1),
    "far from 0": lambda random, shape: 1e6 + random.normal(size=shape),
    "long tails": lambda random, shape: random.lognormal(0, 4, size=shape),
    "nearly equal": lambda random, shape: 1.0 + 1e-9 * random.integers(0, 9, shape),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.sampled_from([1, 3, 4]), classes=st.integers(2, 4))
def test_equals_sorting_exact_distances(kind, seed, k, classes):
    random = np.random.default_rng(seed)
    n, d = random.integers(24, 60), random.integers(1, 12)
    X = KINDS[kind](random, (n, d))
    y = random.permutation(np.arange(n) % classes)
    folds = fixed_folds(y, 3)
    J = KNNCriterion(X, y, folds, k)
    subset = np.flatnonzero(random.random(d) < 0.6)
    if len(subset):
        assert J.one(subset) == by_sorting(X, y, folds, subset, k)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_changes_nothing(kind):
    """Rows keep their folds; with ties to the lower row the tables of few levels would differ."""
    random = np.random.default_rng(1)
    X, y = KINDS[kind](random, (80, 6)), random.permutation(np.arange(80) % 3)
    folds = fixed_folds(y, 3)
    moved = random.permutation(80)
    here = KNNCriterion(X, y, folds, 3)
    there = KNNCriterion(X[moved], y[moved], folds[moved], 3)
    subsets = [[0], [1, 4], [0, 2, 3, 5]]
    assert here.many(subsets).tolist() == there.many(subsets).tolist()
    assert here.plus_each([0, 1], [2, 3]).tolist() == there.plus_each([0, 1], [2, 3]).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("length", [4, 30])
def test_short_lists_of_neighbours_change_nothing(kind, length, monkeypatch):
    monkeypatch.setattr(nearest, "_SHORTLIST", length)
    monkeypatch.setattr(nearest, "_FEW_DISTINCT", 0.0)
    for seed in range(6):
        random = np.random.default_rng(seed)
        X, y = KINDS[kind](random, (90, 9)), random.permutation(np.arange(90) % 3)
        J = KNNCriterion(X, y, fixed_folds(y, 3), 3)
        current = np.arange(1 + seed)
        rest = np.arange(1 + seed, 9)
        expected = [J.one([*current, column]) for column in rest]
        assert J.plus_each(current, rest).tolist() == expected


@pytest.mark.parametrize("kind", ["continuous", "mostly zero"])
def test_blocks_of_long_tables_change_nothing(kind, monkeypatch):
    random = np.random.default_rng(0)
    X, y = KINDS[kind](random, (150, 10)), np.arange(150) % 3
    folds = fixed_folds(y, 3)
    subsets = [np.arange(3), np.arange(2, 10)]
    whole = KNNCriterion(X, y, folds, 3).many(subsets)
    monkeypatch.setattr(nearest, "_KEPT_SCORES", 0)
    monkeypatch.setattr(nearest, "_BLOCK_SCORES", 1)
    np.testing.assert_array_equal(KNNCriterion(X, y, folds, 3).many(subsets), whole)


def test_refuses_more_neighbours_than_rows():
    y = np.arange(12) % 2
    with pytest.raises(ValueError, match="neighbours"):
        KNNCriterion(np.zeros((12, 2)), y, fixed_folds(y, 3), 9)
