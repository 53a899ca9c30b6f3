"""Linear SVMs on many subsets of the same features."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fslib.kernels.svm import linear
from fslib.kernels.svm.dual import Solution
from fslib.kernels.svm.gradient import solve_together

#: LIBSVM's tolerance. A strength is a mean over many subsets, whose scores differ far more.
_TOLERANCE = 1e-5
#: Subsets on which gradients are tried, and the share to be solved before all others are.
_PILOT, _ENOUGH = 8, 0.75
#: Gradients take long with fewer features than this share of the rows, where interior points do
#: not; and with fewer rows than the second number LIBSVM is quick.
_WIDE, _MANY_ROWS = 0.25, 128
#: The share of SVMs that a way may fail on before it is given up; one of the first three may fail.
_FAILING = 0.25


def solve_subsets(
    features: np.ndarray, signs: np.ndarray, subsets: np.ndarray, C: float
) -> tuple[np.ndarray, int]:
    """The dual solution of each subset's SVM, one per row, and how many only LIBSVM could solve.

    Equal subsets are solved once. They take one way after the other, and how far each leads is
    found on these subsets alone:

    1. accelerated gradients for all at once, if these solve six of the first eight;
    2. LIBSVM within the time of an interior point, until many SVMs take longer;
    3. an active set, from LIBSVM's unfinished answer or from the mean of all solutions so far,
       until many SVMs fail;
    4. the interior point.

    Parameters
    ----------
    features : array of shape (n_features, n_rows) in single precision, centred.
    signs : labels ±1.
    subsets : masks of the features, one per row, of one size.
    C : upper bound of the coefficients.
    """
    bits = np.packbits(subsets, axis=1)
    _, first, group = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    stage = _Stage(features, signs, subsets[first], C)
    stage.together()
    stage.one_by_one(stage.libsvm)
    stage.one_by_one(stage.active_set)
    stage.one_by_one(stage.interior)
    return stage.betas[group.ravel()], stage.n_fallbacks


class _Stage:
    """Subsets of which more and more are solved."""

    def __init__(self, features, signs, subsets, C):
        self.features, self.signs, self.subsets, self.C = features, signs, subsets, C
        self.betas = np.zeros((len(subsets), len(signs)))
        self.solved = np.zeros(len(subsets), dtype=bool)
        self.n_fallbacks = 0

    def one_by_one(self, way: Callable[[linear.Problem, int], Solution | None]) -> None:
        """Take the way with each subset that is left, unless it fails on too many."""
        failures = 0
        for tried, i in enumerate(np.flatnonzero(~self.solved)):
            if failures > _FAILING * (tried + 4):
                return
            part = self.features.compress(self.subsets[i], axis=0)
            problem = linear.merged(part, self.signs, self.C)
            solution = way(problem, i)
            if solution is None:
                failures += 1
                continue
            self.betas[i], self.solved[i] = problem.whole(solution).beta, True
            self.n_fallbacks += solution.fallback

    def together(self) -> None:
        n = len(self.signs)
        every = np.arange(len(self.subsets))
        wide = np.count_nonzero(self.subsets[0]) >= _WIDE * n
        if not wide or n < _MANY_ROWS:
            return
        for some in every[:_PILOT], every[_PILOT:]:
            betas, solved = solve_together(self.features, self.signs, self.subsets[some], self.C)
            self.betas[some[solved]], self.solved[some] = betas[solved], solved
            if solved.mean() < _ENOUGH or len(some) == len(every):
                return

    def libsvm(self, problem, i) -> Solution | None:
        solution, done = linear.by_libsvm(problem, _TOLERANCE, len(problem.signs), patience=1.0)
        if done or solution is None:
            return solution
        self.betas[i] = problem.whole(solution).beta
        return None

    def active_set(self, problem, i) -> Solution | None:
        start = self.betas[i]
        if not start.any() and self.solved.any():
            start = np.median(self.betas[self.solved], axis=0)
        return linear.by_active_set(problem, start)

    def interior(self, problem, i) -> Solution:
        return linear.by_interior(problem)
