"""INTERACT where single features are useless, and its counting against exact grouping."""

from collections import Counter, defaultdict
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from fslib import Interact
from fslib.kernels.consistency import RowHashes
from fslib.kernels.information import DiscreteTable


def inconsistency(X, y, columns) -> float:
    groups = defaultdict(Counter)
    for row, label in zip(X[:, columns].tolist(), y.tolist(), strict=True):
        groups[tuple(row)][label] += 1
    return 1 - sum(max(classes.values()) for classes in groups.values()) / len(y)


def by_definition(X, y, threshold):
    def uncertainty(f):
        entropies = mutual_info_score(X[:, f], X[:, f]) + mutual_info_score(y, y)
        return 2 * mutual_info_score(X[:, f], y) / entropies

    order = sorted(range(X.shape[1]), key=lambda f: (-round(uncertainty(f), 10), f))
    kept = list(order)
    for f in reversed(order):
        rest = [g for g in kept if g != f]
        rise = inconsistency(X, y, rest) - inconsistency(X, y, kept)
        if rise <= threshold and rest:
            kept = rest
    return set(kept)


def test_finds_an_exclusive_or_of_three_among_noise():
    X = np.random.default_rng(0).integers(0, 2, (400, 5))
    y = X[:, 0] ^ X[:, 2] ^ X[:, 3]
    assert max(mutual_info_score(column, y) for column in X.T) < 0.01
    assert set(Interact(threshold=0.05).fit(X, y).order_) == {0, 2, 3}


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 6), st.sampled_from([1e-4, 0.05])
)
@settings(max_examples=60, deadline=None)
def test_keeps_what_the_definition_keeps(seed, n, d, threshold):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, d))
    y = np.unique(np.concatenate([[0, 1], rng.integers(0, 3, n - 2)]), return_inverse=True)[1]
    method = Interact(threshold=threshold).fit(X, y)
    assert set(method.order_.tolist()) == by_definition(X, y, threshold)


@given(st.integers(0, 2**32 - 1), st.integers(2, 200), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_hashes_count_as_exact_grouping_does(seed, n, d):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (n, d)), rng.integers(0, 4, n)
    hashes, kept = RowHashes(DiscreteTable(X), y), list(range(d))
    for f in rng.permutation(d).tolist():
        rest = [g for g in kept if g != f]
        assert np.isclose(hashes.inconsistency(), inconsistency(X, y, kept))
        assert np.isclose(hashes.inconsistency(without=f), inconsistency(X, y, rest))
        hashes.remove(f)
        kept = rest


def test_a_feature_remains_when_none_contributes():
    X = np.array(list(product([0, 1], repeat=3)) * 2)
    method = Interact().fit(X, np.repeat([0, 1], 8))  # every row occurs in both classes
    assert method.order_.tolist() == [0]


def test_members_are_ordered_by_contribution():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 6))
    y = (2 * X[:, 3] + X[:, 5] + rng.integers(0, 2, 300)) > 1
    method = Interact(threshold=0.01).fit(X, y)
    contributions = method.scores_[method.order_]
    assert (np.diff(contributions) <= 0).all()
    assert method.order_[0] == 3
