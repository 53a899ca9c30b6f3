"""I-RELIEF against the equations, one sample at a time."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fslib import IRelief
from fslib.kernels import differences, margins
from fslib.prepare import minmax


def one_iteration(X, y, weights, sigma):
    """Margins nu by the definition (plain loops, nothing shared with the library)."""
    nu = np.zeros(X.shape[1])
    for n in range(len(X)):
        gaps = np.abs(X - X[n])
        kernel = np.exp(-(gaps @ weights) / sigma)
        hits = [i for i in range(len(X)) if y[i] == y[n] and i != n]
        misses = [i for i in range(len(X)) if y[i] != y[n]]
        outlier = kernel[misses].sum() / (kernel[misses].sum() + kernel[hits].sum())
        margin = sum(kernel[i] * gaps[i] for i in misses) / kernel[misses].sum()
        if hits:
            margin = margin - sum(kernel[i] * gaps[i] for i in hits) / kernel[hits].sum()
        nu += (1 - outlier) * margin
    return nu


def by_loops(X, y, sigma, n_iter):
    X = minmax(X)
    weights = np.full(X.shape[1], 1 / X.shape[1])
    for _ in range(n_iter):
        positive = np.maximum(one_iteration(X, y, weights, sigma), 0)
        weights = positive / np.linalg.norm(positive)
    return weights


@pytest.fixture(params=[2, 4])
def table(request):
    rng = np.random.default_rng(request.param)
    y = rng.integers(0, request.param, 40)
    return rng.normal(size=(40, 7)) + np.outer(y == 0, [2.0, 1.0, 0.5, 0, 0, 0, 0]), y


@pytest.fixture(params=["stored", "made", "made by lag", "blocks of five rows", "rows"])
def ways(request, monkeypatch):
    if "made" in request.param:
        monkeypatch.setattr(margins, "_STORED", 0)
    if "lag" in request.param:
        monkeypatch.setattr(differences, "_MADE", 0)
    if "rows" in request.param:
        monkeypatch.setattr(margins, "_MANY_PAIRS", 0)
        monkeypatch.setattr(margins, "_BLOCK", 200 if "blocks" in request.param else 1)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0])
def test_weights_are_those_of_the_loops(table, sigma, ways):
    X, y = table
    method = IRelief(sigma=sigma).fit(X, y)
    np.testing.assert_allclose(method.scores_, by_loops(X, y, sigma, method.n_iter_), atol=1e-11)


def test_large_tables_iterate_in_float32_and_end_in_float64(table, monkeypatch):
    X, y = table
    X = np.column_stack([X, X])  # equal features keep equal scores
    expected = by_loops(X, y, 1.0, IRelief(sigma=1.0).fit(X, y).n_iter_)
    monkeypatch.setattr(margins, "_FEW", 0)
    scores = IRelief(sigma=1.0).fit(X, y).scores_
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    np.testing.assert_array_equal(scores[:7], scores[7:])


def test_converges_to_a_fixed_point_of_unit_length(table):
    X, y = table
    method = IRelief(sigma=1.0, tol=1e-10, max_iter=1000).fit(X, y)
    again = np.maximum(one_iteration(minmax(X), y, method.scores_, 1.0), 0)
    np.testing.assert_allclose(method.scores_, again / np.linalg.norm(again), atol=1e-8)
    assert (method.scores_ >= 0).all()
    assert np.linalg.norm(method.scores_) == pytest.approx(1)
    assert method.order_[0] in (0, 1)  # the two that differ most between the classes


def test_features_without_weight_follow_by_their_margin(table):
    X, y = table
    method = IRelief(sigma=1.0, tol=1e-10, max_iter=1000).fit(X, y)
    margins = one_iteration(minmax(X), y, method.scores_, 1.0)
    np.testing.assert_array_equal(method.order_, np.argsort(-margins))


def test_a_class_of_one_row_counts_as_an_outlier(ways):
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 4)), np.array([0] * 6 + [1] * 5 + [2])
    method = IRelief().fit(X, y)
    expected = by_loops(X, y, method.sigma_, method.n_iter_)
    np.testing.assert_allclose(method.scores_, expected, atol=1e-11)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_thousands_of_features_do_not_underflow(ways):
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = rng.random((20, 20000))
    X[:, 17] = y
    method = IRelief(sigma=0.01, max_iter=5).fit(X, y)
    assert np.isfinite(method.scores_).all()
    assert method.ranking_[17] == 1


def test_says_when_it_has_not_converged(table):
    with pytest.warns(ConvergenceWarning, match="2 iterations"):
        IRelief(max_iter=2, tol=0.0).fit(*table)


def test_the_default_width_grows_with_the_features():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 2500)), np.arange(30) % 2
    method = IRelief().fit(X, y)
    assert method.sigma_ == pytest.approx(5)
    assert method.n_iter_ < 100


def test_refuses_a_width_that_is_none(table):
    with pytest.raises(ValueError, match="sigma"):
        IRelief(sigma=0).fit(*table)


def test_going_row_by_row_changes_nothing_but_the_range(monkeypatch, table):
    X, y = table
    plain = IRelief().fit(X, y).scores_
    monkeypatch.setattr(margins, "_FAR", -1.0)
    np.testing.assert_allclose(IRelief().fit(X, y).scores_, plain, atol=1e-12)
