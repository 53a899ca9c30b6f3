"""The tests against published tables, scipy and closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fslib.compare.statistics import (
    corrected_interval,
    corrected_standard_error,
    corrected_t_test,
    critical_difference,
    friedman,
    groups_within,
    holm,
)

# Demšar (2006), table 6: AUC of four variants of C4.5 on fourteen data sets.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],  # printed as equal, but ranked 2 and 3 in the paper
    [0.957, 0.978, 0.946, 0.970],
]


def ranks_of(values):
    return stats.rankdata(-np.asarray(values), axis=1)


def test_demsars_worked_example():
    ranks = ranks_of(DEMSAR)
    np.testing.assert_allclose(ranks.mean(axis=0), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    # The paper leaves ties uncorrected: its 9.28 is ours times the share of spread left by ties.
    n, k = ranks.shape
    untied = ((ranks - (k + 1) / 2) ** 2).sum() / (n * k * (k**2 - 1) / 12)
    chi2 = friedman(ranks).chi2 * untied
    assert chi2 == pytest.approx(9.28, abs=0.005)
    assert (n - 1) * chi2 / (n * (k - 1) - chi2) == pytest.approx(3.69, abs=0.005)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)


def test_friedman_equals_scipy():
    values = np.array(DEMSAR)
    expected = stats.friedmanchisquare(*values.T)
    outcome = friedman(ranks_of(values))
    assert outcome.chi2 == pytest.approx(expected.statistic)
    assert outcome.p_chi2 == pytest.approx(expected.pvalue)


@given(st.integers(2, 8), st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_friedman_equals_scipy_on_any_table(n, k, seed):
    values = np.random.default_rng(seed).integers(0, 4, (n, k)).astype(float)
    if all(len(set(row)) == 1 for row in values):
        values[0, 0] += 1
    expected = stats.friedmanchisquare(*values.T).statistic
    assert friedman(ranks_of(values)).chi2 == pytest.approx(expected, abs=1e-9)


def test_friedman_without_a_random_part():
    assert friedman([[1, 2]] * 4).f == math.inf
    assert friedman([[1, 2]] * 4).p_f == 0
    assert friedman([[1.5, 1.5]] * 4).p_f == 1


@pytest.mark.parametrize(
    ("alpha", "published"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_difference_against_demsars_table_5(alpha, published):
    for k, q in enumerate(published, start=2):
        # With N = k(k+1)/6 the critical difference is q itself.
        assert critical_difference(k, k * (k + 1) / 6, alpha) == pytest.approx(q, abs=1e-3)


def test_groups_are_maximal_and_miss_nobody_within_reach():
    ranks = [1.0, 1.5, 2.4, 4.0, 4.1]
    assert groups_within(ranks, 1.5) == [(0, 2), (3, 4)]
    assert groups_within(ranks, 10) == [(0, 4)]
    assert groups_within(ranks, 0.01) == []
    assert groups_within([], 1.0) == []


def test_corrected_t_is_its_closed_form():
    differences = np.array([0.03, -0.01, 0.02, 0.05, 0.00, 0.02])
    share = 0.25
    t = differences.mean() / math.sqrt((1 / 6 + share) * differences.var(ddof=1))
    p = 2 * stats.t.sf(abs(t), 5)
    assert corrected_t_test(differences, share) == pytest.approx((t, p))
    assert corrected_standard_error(differences, share) == pytest.approx(differences.mean() / t)


def test_without_overlap_the_corrected_t_is_the_paired_t():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 12))
    expected = stats.ttest_rel(a, b)
    assert corrected_t_test(a - b, 0.0) == pytest.approx((expected.statistic, expected.pvalue))


def test_corrected_t_of_equal_or_single_differences():
    assert corrected_t_test([0.0, 0.0, 0.0], 0.2) == (0.0, 1.0)
    assert corrected_t_test([-0.1, -0.1, -0.1], 0.2) == (-math.inf, 0.0)
    assert all(math.isnan(value) for value in corrected_t_test([0.1], 0.2))


def test_holm_by_hand():
    # Sorted .005 .01 .03 .04 times 4 3 2 1, never decreasing.
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.9, np.nan, 0.8]), [1.0, np.nan, 1.0])
    assert holm([]).size == 0


def test_the_interval_of_independent_values_is_students():
    values = np.random.default_rng(0).random(9)
    mean, low, high = corrected_interval(values, share=0.0)
    expected = stats.t.interval(0.95, 8, values.mean(), stats.sem(values))
    assert (low, high) == pytest.approx(expected)
    assert mean == values.mean()
    assert np.isnan(corrected_interval([0.5], 0.2)).tolist() == [False, True, True]
