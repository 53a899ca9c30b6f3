"""Stability measures against their definitions, published properties and scipy's assignment."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from fslib.evaluate.matching import SUMatching
from fslib.evaluate.stability import (
    STABILITY,
    average_normalised_hamming,
    average_tanimoto,
    indicator,
    kuncheva,
    nogueira,
    relative_weighted_consistency,
    su_matching,
)

subsets_of_ten = st.lists(
    st.sets(st.integers(0, 9), max_size=10).map(sorted), min_size=2, max_size=8
)

OF_SUBSETS = {name: measure for name, measure in STABILITY.items() if measure.value}


def pair_mean(subsets, similarity):
    pairs = [similarity(set(a), set(b)) for a, b in combinations(subsets, 2)]
    return sum(pairs) / len(pairs)


@given(subsets_of_ten)
def test_pairwise_measures_by_their_definitions(subsets):
    assert average_tanimoto(subsets) == pytest.approx(
        pair_mean(subsets, lambda a, b: len(a & b) / len(a | b) if a | b else 1.0)
    )
    assert average_normalised_hamming(subsets, 10) == pytest.approx(
        pair_mean(subsets, lambda a, b: 1 - len(a ^ b) / 10)
    )


@given(st.integers(1, 9), st.lists(st.permutations(range(10)), min_size=2, max_size=6))
@settings(deadline=None)
def test_kuncheva_by_its_definition_and_equal_to_nogueira(k, orders):
    subsets = [order[:k] for order in orders]
    expected = pair_mean(subsets, lambda a, b: (len(a & b) * 10 - k * k) / (k * (10 - k)))
    assert kuncheva(subsets, 10) == pytest.approx(expected)
    # Nogueira et al. (2018), section 4: for equal sizes the two are one measure.
    assert nogueira(subsets, 10).value == pytest.approx(expected)


@given(subsets_of_ten)
def test_relative_weighted_consistency_lies_between_its_bounds(subsets):
    value = relative_weighted_consistency(subsets, 10)
    n, counts = len(subsets), indicator(subsets, 10).sum(axis=0)
    N = counts.sum()
    if N == 0:
        assert np.isnan(value)
        return
    assert 0 <= value <= 1
    D, H = N % 10, N % n
    consistency = (counts / N * (counts - 1) / (n - 1)).sum()
    least = (N**2 - 10 * (N - D) - D**2) / (10 * N * (n - 1))
    greatest = (H**2 + N * (n - 1) - H * n) / (N * (n - 1))
    if greatest - least > 1e-12:
        assert value == pytest.approx((consistency - least) / (greatest - least), abs=1e-9)
    else:
        assert value == pytest.approx(consistency)


def test_weighted_consistency_reaches_both_bounds():
    assert relative_weighted_consistency([[0, 1], [2, 3], [4, 5]], 6) == 0.0
    assert relative_weighted_consistency([[0, 1], [0, 1], [0, 1]], 6) == 1.0


def test_nogueira_interval_is_that_of_the_authors_formula():
    """Worked with the unbiased variances and theorem 7, one subset at a time."""
    Z = np.array([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 1, 1, 0, 0], [0, 1, 0, 0, 1]])
    M, d = Z.shape
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    kbar = k.mean()
    spread = kbar / d * (1 - kbar / d)
    phi = 1 - Z.var(axis=0, ddof=1).mean() / spread
    phis = [
        (
            (Z[i] * p).sum() / d
            - k[i] * kbar / d**2
            + phi / 2 * (2 * k[i] * kbar / d**2 - k[i] / d - kbar / d + 1)
        )
        / spread
        for i in range(M)
    ]
    variance = 4 / M**2 * sum((x - np.mean(phis)) ** 2 for x in phis)
    found = nogueira([np.flatnonzero(row) for row in Z], d)
    assert found.value == pytest.approx(phi)
    assert found.upper - found.value == pytest.approx(1.959963984540054 * np.sqrt(variance))
    assert found.value - found.lower == pytest.approx(found.upper - found.value)


def test_nogueira_interval_covers_what_it_promises():
    """Subsets drawn independently per feature have a known stability."""
    rng = np.random.default_rng(0)
    p = np.array([0.9, 0.8, 0.8, 0.6, 0.3, 0.2, 0.1, 0.1])
    k = p.sum() / 8
    truth = 1 - (p * (1 - p)).mean() / (k * (1 - k))
    hits = 0
    for _ in range(300):
        subsets = [np.flatnonzero(row) for row in rng.random((60, 8)) < p]
        interval = nogueira(subsets, 8)
        hits += interval.lower <= truth <= interval.upper
    assert 0.90 <= hits / 300 <= 0.99


def test_chance_gives_zero_where_corrected():
    rng = np.random.default_rng(1)
    trios = [[rng.permutation(50)[:12] for _ in range(3)] for _ in range(500)]
    for name, measure in OF_SUBSETS.items():
        value = np.mean([measure.value(subsets, 50) for subsets in trios])
        assert (abs(value) < 0.02) == measure.corrected_for_chance, name


@pytest.mark.parametrize("name", OF_SUBSETS)
def test_edge_cases_are_those_of_the_table(name):
    measure = STABILITY[name]
    cases = {
        "single_subset": ([[0, 2]], measure.single_subset),
        "all_empty": ([[], []], measure.all_empty),
        "all_full": ([[0, 1, 2], [0, 1, 2]], measure.all_full),
    }
    for case, (subsets, expected) in cases.items():
        np.testing.assert_equal(measure.value(subsets, 3), expected, err_msg=case)


@pytest.mark.parametrize("name", OF_SUBSETS)
@given(subsets=subsets_of_ten)
@settings(max_examples=50, deadline=None)
def test_bounds_are_those_of_the_table(name, subsets):
    value = STABILITY[name].value(subsets, 10)
    low, high = STABILITY[name].bounds
    assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12
    same = STABILITY[name].value([subsets[0]] * 3, 10)
    assert np.isnan(same) or same == pytest.approx(high)


def test_kuncheva_needs_one_size():
    assert np.isnan(kuncheva([[0], [0, 1]], 5))


def test_columns_outside_the_table_are_refused():
    with pytest.raises(ValueError, match=r"0\.\.2"):
        average_normalised_hamming([[0, 3], [1]], 3)


def one_assignment_per_prefix(su, order_a, order_b):
    values = []
    for k in range(1, min(len(order_a), len(order_b)) + 1):
        block = su[np.ix_(order_a[:k], order_b[:k])]
        values.append(block[linear_sum_assignment(block, maximize=True)].mean())
    return np.array(values)


@given(st.integers(0, 2**32 - 1), st.integers(2, 14), st.booleans())
@settings(max_examples=60, deadline=None)
def test_matching_equals_an_assignment_per_prefix(seed, d, composed):
    """Also where SU breaks the triangle inequality: features composed of pairs of others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (30, d))
    if composed:
        for column in range(2, d, 3):
            X[:, column] = 2 * X[:, column - 1] + X[:, column - 2]
    a, b = rng.permutation(d), rng.permutation(d)[: rng.integers(1, d + 1)]
    matching = SUMatching(X)
    expected = one_assignment_per_prefix(matching.su, a, b)
    np.testing.assert_allclose(matching(a, b), expected, atol=1e-9)
    np.testing.assert_allclose(su_matching(a, b, X), expected, atol=1e-9)


def test_a_feature_between_two_others_is_not_matched_with_itself():
    """z = (x, y) is closer to both than they are to each other."""
    x, y = np.array([0, 0, 1, 1] * 5), np.array([0, 1, 0, 1] * 5)
    X = np.column_stack([x, y, 2 * x + y])
    matching = SUMatching(X)
    assert matching.certified.tolist() == [True, True, False]
    # z with x and y with z: 2/3 each; z with itself would leave x and y with 0
    assert matching([2, 0], [2, 1])[1] == pytest.approx(2 / 3)
    assert matching([2, 0], [2, 1])[1] == pytest.approx(
        one_assignment_per_prefix(matching.su, [2, 0], [2, 1])[1]
    )


def test_equal_sequences_are_wholly_similar():
    X = np.random.default_rng(0).integers(0, 5, (50, 8))
    order = np.random.default_rng(1).permutation(8)
    np.testing.assert_array_equal(su_matching(order, order, X), np.ones(8))


def test_matching_refuses_what_it_cannot_mean():
    X = np.random.default_rng(0).integers(0, 5, (20, 4))
    with pytest.raises(ValueError, match="equal_width"):
        su_matching([0], [1], X * 0.5)
    with pytest.raises(ValueError, match="twice"):
        su_matching([0, 0], [1, 2], X)
