"""Linear SVMs: the two-class problems of a table, and their solution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fslib.kernels.svm.dual import TOLERANCE, Solution, binary_problems, solve_gram, try_gram
from fslib.kernels.svm.interior import solve_interior
from fslib.kernels.svm.newton import solve_newton

#: Features of a table that are copied at a time.
_COPIED = 256
#: Above this many rows, and with fewer features than rows, a Gram matrix costs more than the whole
#: interior point.
_GRAM_ROWS = 1024
#: Equal rows are searched for with fewer features than the first and at least as many rows as the
#: second: with more features rows hardly ever repeat, with fewer rows LIBSVM is quick anyway.
_FEW_FEATURES, _MANY_ROWS = 25, 128


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


def solve(
    features: np.ndarray,
    signs: np.ndarray,
    C: float,
    tol: float = TOLERANCE,
    gram: np.ndarray | None = None,
    keep_ties: bool = False,
) -> Solution:
    """The dual solution of a linear SVM. The way to it depends on the problem alone.

    1. Equal rows of equal label count as one, with the sum of their bounds, where there are many
       rows of few features.
    2. Where the shape makes a Gram matrix cheap, LIBSVM may take as many iterations as cost half an
       interior point. LIBSVM's cost depends on the data: most SVMs that need more iterations would
       need ten times as many.
    3. Newton's method starts from LIBSVM's unfinished answer.
    4. The interior point, whose cost depends on the shape alone, solves what is left.
    5. What the interior point cannot certify is LIBSVM's, however many iterations it takes; such
       a solution says ``fallback``.

    Parameters
    ----------
    features : array of shape (n_features, n_rows), centred. If they are in single precision, so
        are the products of rows that LIBSVM gets.
    signs : labels ±1.
    C : upper bound of the coefficients.
    tol : LIBSVM's tolerance; the other solvers are more exact.
    gram : ``features.T @ features``, C-contiguous float64, if known.
    keep_ties : whether weights will be compared with each other. Features of few values often have
        weights of equal size, which LIBSVM, within its tolerance, would tell apart: a table of many
        rows, few of them distinct, then goes to the interior point all the same.
    """
    n_features, n = features.shape
    if n_features >= _FEW_FEATURES or n < _MANY_ROWS:
        return _solve(features, signs, C, np.ones(n), tol, gram, n)
    first, group, counts = _equal_columns(np.vstack([features, signs]))
    if len(first) < n:
        features, signs, gram = features.take(first, axis=1), signs[first], None
    n_counted = n if keep_ties else len(first)
    solution = _solve(features, signs, C, counts, tol, gram, n_counted)
    return solution._replace(beta=(solution.beta / counts)[group])


def _solve(features, signs, C, counts, tol, gram, n_counted: int) -> Solution:
    n_features, n = features.shape
    if n_counted <= _GRAM_ROWS or n_features >= n_counted:
        if gram is None:
            gram = (features.T @ features).astype(np.float64, copy=False)
        rank = min(n, n_features)
        solution, done = try_gram(gram, signs, C, _half(n, rank), tol, counts)
        if done:
            return solution
        if features.dtype != np.float64:  # single precision cannot certify Newton's answer
            features = features.astype(np.float64)
            gram = features.T @ features
        solution = solve_newton(gram, signs, C * counts, solution.beta, rank)
        if solution is not None:
            return solution
    solution = solve_interior(features, signs, C * counts)
    if solution is None:
        features = features.astype(np.float64, copy=False)
        solution = solve_gram(features.T @ features, signs, C, counts=counts)
        solution = solution._replace(fallback=True)
    return solution


def _half(n: int, rank: int) -> int:
    """How many iterations of LIBSVM cost half an interior point.

    An interior point takes about 12 iterations of n·rank²/50 + 1.5e5 nanoseconds, LIBSVM 3
    nanoseconds per row and iteration.
    """
    return int(rank**2 / 25 + 3e5 / n)


def _equal_columns(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first of each group of equal columns, the group of each column, and the groups' sizes."""
    # Wrapping sums of integers are exact in any order, so equal columns have equal keys.
    odd = 2 * np.random.default_rng(0).integers(0, 2**62, len(table)) + 1
    keys = odd @ (table + 0.0).view(np.int64)
    _, first, group, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    n = len(group)
    if len(first) == n or (table[:, first[group]] != table).any():  # or two kinds with one key
        return np.arange(n), np.arange(n), np.ones(n)
    return first, group, counts.astype(np.float64)
