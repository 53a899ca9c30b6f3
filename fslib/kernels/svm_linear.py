"""Linear SVMs, each by the solver that suits it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fslib.kernels.svm_dual import (
    TOLERANCE,
    Solution,
    binary_problems,
    solve_gram,
    try_gram,
)
from fslib.kernels.svm_exchange import solve_by_exchange
from fslib.kernels.svm_interior import solve_interior
from fslib.kernels.svm_newton import solve_newton

#: Features of a table that are copied at a time.
_COPIED = 256
#: Above this many rows a Gram matrix costs more than the interior point.
_GRAM_ROWS = 1024
#: With so many features or fewer rows than this, searching for equal rows does not pay; with fewer
#: rows, exchanges may.
_SOME_FEATURES, _MANY_ROWS = 25, 128
#: With more free rows than this share of the Gram matrix's rank, Newton's method takes too long.
_SPARE = 0.7
#: With fewer iterations per row than this LIBSVM takes no longer than exchanges of free rows.
_LABORIOUS = 4


class LinearProblem(NamedTuple):
    """One two-class problem: features as rows, and labels ±1."""

    features: np.ndarray
    signs: np.ndarray


def linear_problems(
    X: np.ndarray, y: np.ndarray, multiclass: str, centre: bool = True, dtype: type = np.float64
) -> list[LinearProblem]:
    """The two-class problems of a table; centred features leave a linear SVM's weights alone."""
    problems = []
    for rows, signs in binary_problems(y, multiclass):
        table = X if len(rows) == len(X) else X[rows]
        features = np.empty(table.shape[::-1], dtype)
        for start in range(0, len(features), _COPIED):
            part = np.array(table[:, start : start + _COPIED].T, order="C")
            if centre:
                constant = (part == part[:, :1]).all(axis=1)
                part -= part.mean(axis=1, keepdims=True)
                part[constant] = 0.0  # the mean of equal numbers need not equal them
            features[start : start + _COPIED] = part
        problems.append(LinearProblem(features, signs))
    return problems


class LinearSolver:
    """Solves linear SVMs on the same rows, each by one of four solvers.

    LIBSVM's cost depends on the data, the interior point's on the shape alone. So an SVM goes to
    LIBSVM with as many iterations as would cost an interior point, and to the interior point if
    they do not suffice. Once they have failed to more often than not, those that follow go there
    at once, until there are less than half as many features. Two solvers that start from solutions
    before go first: exchanges of free rows where LIBSVM took many iterations for few rows and left
    none at its bound, Newton's method before the interior point where few rows are free. What the
    interior point cannot certify is left to LIBSVM, however long it takes, and counted in
    ``n_fallbacks``. Equal rows of equal label count as one with the sum of their bounds.

    ``tol`` is LIBSVM's; the others are more exact.
    """

    def __init__(self, C: float, tol: float = TOLERANCE):
        self.C, self.tol = C, tol
        self.n_fallbacks = 0
        self._decided_at = np.inf
        # Where all rows differed, they are expected to in other subsets of so many features.
        self._search_below = _SOME_FEATURES
        self._guess: np.ndarray | None = None
        self._laborious = False
        # They go first while they have not failed more often than they succeeded, those that start
        # from a guess with two failures to spare.
        self._trust_libsvm, self._trust_newton, self._trust_exchange = 0, 2, 2

    def solve(
        self, features: np.ndarray, signs: np.ndarray, gram: np.ndarray | None = None
    ) -> Solution:
        """The dual solution for centred features, one per row.

        They may be in single precision: the products of rows that LIBSVM gets are then too, unless
        they are known as ``gram`` (C-contiguous float64).
        """
        n_features, n = features.shape
        if n_features >= self._search_below or n < _MANY_ROWS:
            solution = self._solve(features, signs, np.ones(n), self._guess, gram)
            if self._trust_libsvm < 0:
                self._learn(solution.beta, min(n, n_features))
            elif n < _MANY_ROWS:
                exchangeable = self._laborious and np.abs(solution.beta).max() < self.C
                self._guess = solution.beta if exchangeable else None
            return solution
        first, group, counts = _equal_columns(np.vstack([features, signs]))
        if len(first) == n:
            self._search_below = n_features
        solution = self._solve(features.take(first, axis=1), signs[first], counts)
        return Solution((solution.beta / counts)[group], solution.bias)

    def _learn(self, beta: np.ndarray, rank: int) -> None:
        """Guess the next solution: the mean of this one and the guess for it."""
        alpha = np.abs(beta)
        free = np.count_nonzero((alpha > 1e-5 * self.C) & (alpha < (1 - 1e-5) * self.C))
        if free > _SPARE * rank:
            self._guess = None
        else:
            self._guess = beta if self._guess is None else 0.5 * (self._guess + beta)

    def _solve(self, features, signs, counts, start=None, gram=None) -> Solution:
        n_features, n = features.shape
        if 2 * n_features < self._decided_at:
            self._decided_at = n_features
            self._trust_libsvm = 0 if n <= _GRAM_ROWS or n_features >= n else -1
        if self._trust_libsvm >= 0:
            solution = self._by_libsvm(features, signs, counts, start, gram)
            if solution is not None:
                return solution
        if start is not None and self._trust_newton > 0:
            solution = solve_newton(features, signs, self.C * counts, start)
            if solution is not None:
                self._trust_newton += 1
                return solution
            self._trust_newton -= 1
        solution = solve_interior(features, signs, self.C * counts)
        if solution is None:
            self.n_fallbacks += 1
            features = features.astype(np.float64, copy=False)
            solution = solve_gram(features.T @ features, signs, self.C, counts=counts)
        return solution

    def _by_libsvm(self, features, signs, counts, start, gram) -> Solution | None:
        """What exchanges or a limited number of LIBSVM's iterations find, if they do."""
        if gram is None:
            gram = (features.T @ features).astype(np.float64, copy=False)
        if start is not None and self._trust_exchange > 0:
            solution = solve_by_exchange(gram, signs, self.C, start)
            if solution is not None:
                self._trust_exchange += 1
                return solution
            self._trust_exchange -= 1
        budget = _break_even(*features.shape[::-1])
        solution, n_iterations = try_gram(gram, signs, self.C, budget, self.tol, counts)
        if n_iterations is None:
            self._trust_libsvm -= 1
            return None
        self._trust_libsvm += 1
        self._laborious = n_iterations > _LABORIOUS * len(signs)
        return solution


def _break_even(n: int, n_features: int) -> int:
    """How many iterations of LIBSVM cost as much as an interior point.

    In nanoseconds: 1/50 per multiplication and 1.5e5 per iteration of the interior point, which
    takes about 12; 3 per row and iteration of LIBSVM.
    """
    rank = min(n, n_features)
    return int(12 * (n * rank**2 / 50 + 1.5e5) / (3 * n))


def _equal_columns(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first of each group of equal columns, the group of each column, and the groups' sizes."""
    # Wrapping sums of integers are exact in any order, so equal columns have equal keys.
    odd = 2 * np.random.default_rng(0).integers(0, 2**62, len(table)) + 1
    keys = odd @ (table + 0.0).view(np.int64)
    _, first, group, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    if (table[:, first[group]] != table).any():  # different columns with the same key
        n = table.shape[1]
        return np.arange(n), np.arange(n), np.ones(n)
    return first, group, counts.astype(np.float64)
