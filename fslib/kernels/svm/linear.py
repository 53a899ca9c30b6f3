"""Linear SVMs: the two-class problems of a table, and their solution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
_WIDE = 0.25


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
    3. With many features for the rows, an active set starts from LIBSVM's unfinished answer.
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
    problem = merged(features, signs, C, gram)
    solution, done = by_libsvm(problem, tol, len(signs) if keep_ties else len(problem.signs))
    if not done and solution is not None:
        solution = by_active_set(problem, solution.beta)
        done = solution is not None
    return problem.whole(solution if done else by_interior(problem))


class Problem(NamedTuple):
    """An SVM with one row for each kind of equal rows, and which kind each row is of."""

    features: np.ndarray
    signs: np.ndarray
    C: float
    counts: np.ndarray
    kinds: np.ndarray | None
    gram: np.ndarray | None

    def whole(self, solution: Solution) -> Solution:
        if self.kinds is None:
            return solution
        return solution._replace(beta=(solution.beta / self.counts)[self.kinds])


def merged(features, signs, C, gram=None) -> Problem:
    """The problem without its equal rows, where there are many rows of few features."""
    n_features, n = features.shape
    if n_features < _FEW_FEATURES and n >= _MANY_ROWS:
        first, kinds, counts = _equal_columns(np.vstack([features, signs]))
        if len(first) < n:
            return Problem(features.take(first, axis=1), signs[first], C, counts, kinds, None)
    return Problem(features, signs, C, np.ones(n), None, gram)


def by_libsvm(
    problem: Problem, tol: float, n_counted: int, patience: float = 0.5
) -> tuple[Solution | None, bool]:
    """LIBSVM's answer after a share of an interior point's time, and whether it meets ``tol``."""
    features, gram = problem.features, problem.gram
    n_features, n = features.shape
    if n_counted > GRAM_ROWS and n_features < n_counted:
        return None, False
    if gram is None:
        gram = (features.T @ features).astype(np.float64, copy=False)
    limit = int(patience * _as_long_as_an_interior_point(n, min(n, n_features)))
    return try_gram(gram, problem.signs, problem.C, limit, tol, problem.counts)


def by_active_set(problem: Problem, start: np.ndarray) -> Solution | None:
    """An active set's answer, where there are features enough to expect one soon."""
    n_features, n = problem.features.shape
    if n_features < _WIDE * n or problem.kinds is not None:
        return None
    features = problem.features.astype(np.float64, copy=False)  # single precision is too little
    gram = features.T @ features if problem.gram is None else problem.gram
    try:
        found = ActiveSet(features, problem.signs, problem.C, start, gram)
    except Lost:
        return None
    return Solution(found.beta, found.bias)


def by_interior(problem: Problem) -> Solution:
    """The interior point's answer, or LIBSVM's where that cannot be certified."""
    solution = solve_interior(problem.features, problem.signs, problem.C * problem.counts)
    if solution is None:
        features = problem.features.astype(np.float64, copy=False)
        gram = features.T @ features
        solution = solve_gram(gram, problem.signs, problem.C, counts=problem.counts)
        solution = solution._replace(fallback=True)
    return solution


def _as_long_as_an_interior_point(n: int, rank: int) -> float:
    """How many iterations of LIBSVM cost an interior point.

    An interior point takes about 12 iterations of n·rank²/50 + 1.5e5 nanoseconds, LIBSVM 3
    nanoseconds per row and iteration.
    """
    return rank**2 / 12.5 + 6e5 / n


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
