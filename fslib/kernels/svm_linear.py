"""Linear SVMs, each by the solver that suits it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fslib.kernels.svm_dual import Solution, binary_problems, solve_gram
from fslib.kernels.svm_interior import solve_interior

#: Up to this many rows LIBSVM is done before an interior point has formed its first matrix.
_SMALL = 128
#: Above this many rows a Gram matrix costs more than the interior point.
_GRAM_ROWS = 1024


class LinearProblem(NamedTuple):
    """One two-class problem: features as rows, centred; which leaves its weights as they are."""

    features: np.ndarray
    signs: np.ndarray


def linear_problems(X: np.ndarray, y: np.ndarray, multiclass: str) -> list[LinearProblem]:
    """The two-class problems of a table, feature-major and centred."""
    problems = []
    for rows, signs in binary_problems(y, multiclass):
        features = np.ascontiguousarray(X[rows].T)
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
    features. An answer it cannot certify is left to LIBSVM and counted in ``n_fallbacks``.
    """

    def __init__(self, C: float):
        self.C = C
        self.n_fallbacks = 0
        self._by_libsvm = True
        self._decided_at = np.inf

    def solve(self, features: np.ndarray, signs: np.ndarray) -> Solution:
        """The dual solution for centred features, one per row."""
        n_features, n = features.shape
        if n <= _SMALL or n_features >= n:
            return self._libsvm(features, signs)
        if 2 * n_features < self._decided_at:
            self._decided_at = n_features
            solution = None
            if n <= _GRAM_ROWS:
                # Nanoseconds: 1/25 per multiplication, 2e5 per iteration of the interior point,
                # 3 per row and iteration of LIBSVM.
                budget = 12 * (n * n_features**2 / 25 + 2e5) / (3 * n)
                solution = solve_gram(features.T @ features, signs, self.C, max_iter=int(budget))
            self._by_libsvm = solution is not None
            if self._by_libsvm:
                return solution
        if self._by_libsvm:
            return self._libsvm(features, signs)
        solution = solve_interior(features, signs, self.C)
        if solution is None:
            self.n_fallbacks += 1
            return self._libsvm(features, signs)
        return solution

    def _libsvm(self, features: np.ndarray, signs: np.ndarray) -> Solution:
        return solve_gram(features.T @ features, signs, self.C)
