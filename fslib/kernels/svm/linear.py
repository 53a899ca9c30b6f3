"""Linear SVMs: the two-class problems of a table, and their solution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fslib.kernels.equal_rows import distinct_rows
from fslib.kernels.svm.active_set import ActiveSet, Lost
from fslib.kernels.svm.dual import TOLERANCE, Solution, binary_problems, solve_gram, try_gram
from fslib.kernels.svm.interior import solve_interior

#: Features of a table that are copied at a time.
_COPIED = 256
#: Above this many rows, and with fewer features than rows, a Gram matrix costs more than the whole
#: interior point.
GRAM_ROWS = 1024
#: Equal rows are searched for with fewer features than the first and at least as many rows as the
#: second: with more features rows hardly ever repeat, with fewer rows LIBSVM is quick anyway.
_FEW_FEATURES, _MANY_ROWS = 25, 128
#: An active set is tried with at least this share of features per row: with fewer features many
#: rows change places, and an interior point is cheap.
WIDE = 0.25


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


def solve(features: np.ndarray, signs: np.ndarray, C: float) -> Solution:
    """The dual solution of a linear SVM. The way to it depends on the problem alone.

    1. Equal rows of equal label count as one, with the sum of their bounds, where there are many
       rows of few features.
    2. Where the shape makes a Gram matrix cheap, LIBSVM may take as many iterations as cost an
       interior point. LIBSVM's cost depends on the data: most SVMs that need more iterations would
       need ten times as many.
    3. With many features for the rows, an active set starts from LIBSVM's unfinished answer.
    4. The interior point, whose cost depends on the shape alone, solves what is left.
    5. What the interior point cannot certify is LIBSVM's, however many iterations it takes; such
       a solution says ``fallback``.

    Parameters
    ----------
    features : array of shape (n_features, n_rows), centred.
    signs : labels ±1.
    C : upper bound of the coefficients.
    """
    problem, guess, done = Problem(features, signs, C), None, False
    # Features of few values often have weights of equal size, which LIBSVM, within its tolerance,
    # would tell apart: large tables, though few rows may be distinct, are not for LIBSVM.
    if _gram_pays(*features.shape):
        guess, done = problem.by_libsvm(TOLERANCE)
    return problem.whole(guess if done else problem.exactly(guess))


class Problem:
    """An SVM with one row for each kind of equal rows.

    ``features`` in single precision give LIBSVM products of rows in single precision.
    """

    def __init__(self, features: np.ndarray, signs: np.ndarray, C: float):
        self.features, self.signs, self.C = features, signs, C
        n_features, n = features.shape
        self.kinds, self.counts = None, np.ones(n)
        if n_features < _FEW_FEATURES and n >= _MANY_ROWS:
            first, self.kinds, counts = distinct_rows(np.vstack([features, signs]).T)
            self.features, self.signs = features.take(first, axis=1), signs[first]
            self.counts = counts.astype(np.float64)

    def whole(self, solution: Solution) -> Solution:
        """The solution for all rows from one for the distinct rows."""
        if self.kinds is None:
            return solution
        return solution._replace(beta=(solution.beta / self.counts)[self.kinds])

    def by_libsvm(self, tol: float) -> tuple[Solution | None, bool]:
        """LIBSVM's answer after an interior point's time, and whether it meets ``tol``."""
        n_features, n = self.features.shape
        if not _gram_pays(n_features, n):
            return None, False
        gram = (self.features.T @ self.features).astype(np.float64, copy=False)
        limit = int(_as_long_as_an_interior_point(n, min(n, n_features)))
        return try_gram(gram, self.signs, self.C, limit, tol, self.counts)

    def exactly(self, guess: Solution | None) -> Solution:
        """The answer of an active set that starts from a guess, or else of the interior point."""
        n_features, n = self.features.shape
        features = self.features.astype(np.float64, copy=False)
        if guess is not None and n_features >= WIDE * n and self.kinds is None:
            try:
                gram = features.T @ features
                return ActiveSet(features, self.signs, self.C, guess.beta, gram).solution
            except Lost:
                pass
        solution = solve_interior(features, self.signs, self.C * self.counts)
        if solution is None:
            gram = features.T @ features
            solution = solve_gram(gram, self.signs, self.C, counts=self.counts)
            solution = solution._replace(fallback=True)
        return solution


def _gram_pays(n_features: int, n: int) -> bool:
    return n <= GRAM_ROWS or n_features >= n


def _as_long_as_an_interior_point(n: int, rank: int) -> float:
    """How many iterations of LIBSVM cost an interior point.

    An interior point takes about 12 iterations of n·rank²/50 + 1.5e5 nanoseconds, LIBSVM 3
    nanoseconds per row and iteration.
    """
    return rank**2 / 12.5 + 6e5 / n
