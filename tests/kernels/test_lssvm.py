"""LS-SVM errors against solving the bordered system once per fold."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from fslib.criteria.base import fixed_folds
from fslib.criteria.lssvm import CS, GAMMAS, LSSVMCriterion


def by_solving(X, y, folds, subset, error, kernel, C, gamma) -> float:
    """The error of the left-out rows, one linear system per fold."""
    target = np.where(y == 0, 1.0, -1.0)
    Z = X[:, subset]
    K = Z @ Z.T if kernel == "linear" else rbf_kernel(Z, gamma=gamma / len(subset))
    output = np.empty(len(y))
    for fold in range(folds.max() + 1):
        train, test = folds != fold, folds == fold
        n = train.sum()
        system = np.ones((n + 1, n + 1))
        system[:n, :n] = K[np.ix_(train, train)] + np.eye(n) / C
        system[n, n] = 0.0
        solution = np.linalg.solve(system, np.append(target[train], 0.0))
        output[test] = K[np.ix_(test, train)] @ solution[:n] + solution[n]
    if error == "mae":
        return np.abs(target - output).mean()
    margin = target * output
    if error == "rate":
        return (margin < 0).mean()
    return (margin < 0).mean() + np.maximum(0, 1 - margin).mean() / len(y)


@pytest.mark.parametrize("error", ["mae", "mm", "rate"])
@pytest.mark.parametrize(
    ("kernel", "C", "gamma"),
    [
        ("linear", 1.0, None),
        ("linear", 50.0, None),
        ("rbf", 10.0, 2.0),  # a candidate's factor is summed as a series
        ("rbf", 10.0, 150.0),  # too narrow for that
    ],
)
@pytest.mark.parametrize("shape", [(14, 120), (41, 30)])
def test_equals_one_system_per_fold(error, kernel, C, gamma, shape):
    random = np.random.default_rng(sum(shape))
    X, y = random.random(shape), np.arange(shape[0]) % 2
    folds = fixed_folds(random.permutation(y), 5)
    J = LSSVMCriterion(X, y, folds, error, kernel, C, gamma)

    def plain(subset):
        return -by_solving(X, y, folds, np.sort(subset), error, kernel, C, gamma)

    current = [3, 11, 7]
    rest = np.setdiff1d(np.arange(shape[1]), current)
    assert J.one(current) == pytest.approx(plain(current), abs=1e-9)
    added = [plain([*current, column]) for column in rest]
    np.testing.assert_allclose(J.plus_each(current, rest), added, rtol=0, atol=1e-9)
    alone = [plain([column]) for column in range(shape[1])]
    np.testing.assert_allclose(J.plus_each([], range(shape[1])), alone, rtol=0, atol=1e-9)
    removed = [plain([11, 7]), plain([3, 7]), plain([3, 11])]
    np.testing.assert_allclose(J.minus_each(current), removed, rtol=0, atol=1e-9)


def test_duplicates_and_constants_are_no_obstacle():
    random = np.random.default_rng(0)
    X, y = random.random((30, 4)), np.arange(30) % 2
    X = np.column_stack([X, X[:, 0], np.full(30, 2.0), np.zeros(30)])
    folds = fixed_folds(y, 5)
    for kernel, gamma in (("linear", None), ("rbf", 1.0)):
        J = LSSVMCriterion(X, y, folds, "mae", kernel, 100.0, gamma)
        expected = [
            -by_solving(X, y, folds, np.sort([0, 4, c]), "mae", kernel, 100.0, gamma)
            for c in (1, 5, 6)
        ]
        np.testing.assert_allclose(J.plus_each([0, 4], [1, 5, 6]), expected, rtol=0, atol=1e-9)


def test_rbf_parameters_are_the_grids_best_on_all_features():
    random = np.random.default_rng(1)
    X, y = random.random((30, 6)), random.permutation(np.arange(30) % 2)
    X[:, 2] += y
    folds = fixed_folds(y, 5)
    J = LSSVMCriterion(X, y, folds, "mae", "rbf")
    errors = {
        (C, gamma): by_solving(X, y, folds, np.arange(6), "mae", "rbf", C, gamma)
        for gamma in GAMMAS
        for C in CS
    }
    assert errors[J.C, J.gamma] == pytest.approx(min(errors.values()), abs=1e-9)
    assert J.n_fits == 5 * len(errors)


def test_refuses_a_third_class():
    with pytest.raises(ValueError, match="two classes"):
        LSSVMCriterion(np.zeros((9, 2)), np.arange(9) % 3, np.arange(9) % 3)
