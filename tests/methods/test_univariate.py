"""Scores of single features against scikit-learn and numpy."""

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

from fslib import BWRatio, Correlation, Oracle, RandomRanking, SignalToNoise


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return rng.normal(size=(90, 12)) + np.outer(y, rng.normal(size=12)), y


def test_bw_ratio_is_the_f_statistic_without_degrees_of_freedom(table):
    X, y = table
    F, _ = f_classif(X, y)
    np.testing.assert_allclose(BWRatio().fit(X, y).scores_, F * 2 / (len(y) - 3), rtol=1e-12)


def test_correlation_of_two_classes_is_pearsons(table):
    X, y = table
    two = y < 2
    expected = [abs(np.corrcoef(column, y[two])[0, 1]) for column in X[two].T]
    np.testing.assert_allclose(Correlation().fit(X[two], y[two]).scores_, expected, rtol=1e-12)


def test_signal_to_noise_by_its_definition(table):
    X, y = table
    low, high = X[y == 0], X[y == 1]
    expected = np.abs(low.mean(0) - high.mean(0)) / (low.std(0, ddof=1) + high.std(0, ddof=1))
    two = y < 2
    np.testing.assert_allclose(SignalToNoise().fit(X[two], y[two]).scores_, expected, rtol=1e-12)


def test_bw_ratio_and_correlation_give_one_order(table):
    X, y = table
    np.testing.assert_array_equal(BWRatio().fit(X, y).order_, Correlation().fit(X, y).order_)


@pytest.mark.parametrize("method", [SignalToNoise(), BWRatio(), Correlation()])
def test_perfect_columns_lead_and_constants_come_last(method):
    rng = np.random.default_rng(1)
    y = np.arange(20) % 2
    X = np.column_stack([np.full(20, 0.1), rng.normal(size=20), y * 0.3, rng.normal(size=20)])
    method.fit(X, y)
    assert method.order_[0] == 2
    assert method.order_[-1] == 0
    assert method.scores_[0] == 0
    assert not np.isnan(method.scores_).any()


def test_a_class_of_one_row_has_no_spread():
    X, y = np.array([[0.0], [2.0], [5.0]]), [0, 0, 1]
    np.testing.assert_allclose(SignalToNoise().fit(X, y).scores_, 4 / np.sqrt(2))


def test_random_ranking_takes_zero_as_a_seed(table):
    X, y = table
    orders = {tuple(RandomRanking(random_state=s).fit(X, y).order_) for s in (0, 0, 1, 2)}
    assert len(orders) == 3


def test_oracle_keeps_the_essential_by_correlation(table):
    X, y = table
    essential = [7, 2, 5]
    order = Oracle(essential=essential).fit(X, y).order_.tolist()
    assert order == [c for c in Correlation().fit(X, y).order_.tolist() if c in essential]


@pytest.mark.parametrize("essential", [None, [], [12], [-1]])
def test_oracle_refuses_what_is_no_truth(table, essential):
    with pytest.raises(ValueError, match="essential"):
        Oracle(essential=essential).fit(*table)
