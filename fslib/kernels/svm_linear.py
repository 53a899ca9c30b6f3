"""Linear SVMs, each by the solver that suits it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpstrf

from fslib.kernels.svm_dual import Solution, binary_problems, solve_gram, try_gram
from fslib.kernels.svm_interior import solve_interior

#: Above this many rows a Gram matrix costs more than the interior point.
_GRAM_ROWS = 1024


class LinearProblem(NamedTuple):
    """One two-class problem: features as rows, and labels ±1."""

    features: np.ndarray
    signs: np.ndarray


def linear_problems(
    X: np.ndarray, y: np.ndarray, multiclass: str, centre: bool = True
) -> list[LinearProblem]:
    """The two-class problems of a table; centred features leave a linear SVM's weights alone."""
    problems = []
    for rows, signs in binary_problems(y, multiclass):
        features = np.ascontiguousarray(X[rows].T)
        if centre:
            constant = (features == features[:, :1]).all(axis=1)
            features -= features.mean(axis=1, keepdims=True)
            features[constant] = 0.0  # the mean of equal numbers need not equal them
        problems.append(LinearProblem(features, signs))
    return problems


class LinearSolver:
    """Solves linear SVMs of one kind, by LIBSVM or by an interior point.

    LIBSVM's cost depends on the data, the interior point's on the shape alone. So the first SVM
    goes to LIBSVM with as many iterations as would cost an interior point; if they do not suffice,
    this one and those that follow go to the interior point, until there are less than half as many
    features. What the interior point cannot certify is left to LIBSVM, however long it takes, and
    counted in ``n_fallbacks``.
    """

    def __init__(self, C: float):
        self.C = C
        self.n_fallbacks = 0
        self._by_libsvm = True
        self._decided_at = np.inf

    def solve(self, features: np.ndarray, signs: np.ndarray) -> Solution:
        """The dual solution for centred features, one per row."""
        n_features, n = features.shape
        if 2 * n_features < self._decided_at:
            self._decided_at = n_features
            self._by_libsvm = n <= _GRAM_ROWS or n_features >= n
        if self._by_libsvm:
            budget = _break_even(n, n_features)
            solution, reached = try_gram(features.T @ features, signs, self.C, budget)
            if reached:
                return solution
            self._by_libsvm = False
        if n_features > n:
            features = _condensed(features.T @ features)
        solution = solve_interior(features, signs, self.C)
        if solution is None:
            self.n_fallbacks += 1
            solution = solve_gram(features.T @ features, signs, self.C)
        return solution


def _break_even(n: int, n_features: int) -> int:
    """How many iterations of LIBSVM cost as much as an interior point.

    In nanoseconds: 1/25 per multiplication and 2e5 per iteration of the interior point, which
    takes about 12; 3 per row and iteration of LIBSVM.
    """
    rank = min(n, n_features)
    return int(12 * (n * rank**2 / 25 + 2e5) / (3 * n)) + 20 * n


def _condensed(gram: np.ndarray) -> np.ndarray:
    """At most as many features as rows, with the same Gram matrix: its pivoted Cholesky factor."""
    factor, pivots, rank, _ = dpstrf(gram, lower=1)
    features = np.empty((rank, len(gram)))
    features[:, pivots - 1] = np.tril(factor)[:, :rank].T
    return features
