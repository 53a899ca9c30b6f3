"""Linear SVMs on many subsets of the same features."""

from __future__ import annotations

import numpy as np

from fslib.kernels.svm.dual import Solution
from fslib.kernels.svm.gradient import solve_together
from fslib.kernels.svm.linear import WIDE, Problem

#: LIBSVM's tolerance. A strength is a mean over many subsets, whose scores differ far more.
_TOLERANCE = 1e-5
#: Subsets on which gradients are tried, and the share to be solved before all others are.
_PILOT, _ENOUGH = 8, 0.75
#: With fewer rows than this LIBSVM is quicker than gradients.
_MANY_ROWS = 128
#: The share of SVMs that LIBSVM may fail on before it is given up; one of the first three may fail.
_FAILING = 0.25


def solve_subsets(
    features: np.ndarray, signs: np.ndarray, subsets: np.ndarray, C: float
) -> tuple[np.ndarray, int]:
    """The dual solution of each subset's SVM, one per row, and how many only LIBSVM could solve.

    Equal subsets are solved once. How far each way leads is found on these subsets alone:

    1. accelerated gradients for all at once, if these solve six of the first eight;
    2. LIBSVM within the time of an interior point, until many SVMs take longer;
    3. an active set, from LIBSVM's unfinished answer or, once LIBSVM is given up, from the median
       of all solutions so far; the interior point with few features for the rows.

    Parameters
    ----------
    features : array of shape (n_features, n_rows) in single precision, centred.
    signs : labels ±1.
    subsets : masks of the features, one per row, of one size.
    C : upper bound of the coefficients.
    """
    bits = np.packbits(subsets, axis=1)
    _, first, group = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    subsets = subsets[first]
    wide = np.count_nonzero(subsets[0]) >= WIDE * len(signs)
    betas, solved = np.zeros((len(subsets), len(signs))), np.zeros(len(subsets), dtype=bool)
    if wide and len(signs) >= _MANY_ROWS:
        every = np.arange(len(subsets))
        for some in every[:_PILOT], every[_PILOT:]:
            betas[some], solved[some] = solve_together(features, signs, subsets[some], C)
            if solved[some].mean() < _ENOUGH or len(some) == len(every):
                break
    asked = failed = n_fallbacks = 0
    for i in np.flatnonzero(~solved):
        problem = Problem(features.compress(subsets[i], axis=0), signs, C)
        done, guess = False, None
        if failed <= _FAILING * (asked + 4):
            guess, done = problem.by_libsvm(_TOLERANCE)
            asked, failed = asked + 1, failed + (not done)
        elif wide and solved.any():
            guess = Solution(np.median(betas[solved], axis=0), 0.0)
        solution = problem.whole(guess if done else problem.exactly(guess))
        betas[i], solved[i] = solution.beta, True
        n_fallbacks += solution.fallback
    return betas[group.ravel()], n_fallbacks
