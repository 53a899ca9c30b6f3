"""Strengths of features from SVMs on random feature subsets."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from copy import copy
from dataclasses import InitVar, dataclass, field
from functools import partial

import numpy as np

from fslib.kernels.svm.dual import solve_gram
from fslib.kernels.svm.linear import LinearProblem, linear_problems
from fslib.kernels.svm.stage import solve_subsets
from fslib.run.workers import in_order

#: Subsets that are solved together, features whose weights are computed in one product, and random
#: keys drawn at a time; fixed, since the rounding of a product depends on its shape. Fewer subsets
#: make more tasks for several processes, and cost one process more: 50 instead of 100 about 5 %.
_SUBSETS, _FEATURES, _KEYS = 50, 256, 2**16
#: Strengths below this are zero but for rounding, and have no digits to round.
_NOTHING = 1e-290


@dataclass
class SubsetTrainer:
    """Trains one SVM per subset and two-class problem of a table, and counts what it did.

    ``kernel`` is ``"linear"``, another name that ``sklearn.metrics.pairwise_kernels`` knows, or a
    function of two tables of rows. ``gamma`` is the named kernels'; None is 1 / subset size.
    """

    X: InitVar[np.ndarray]
    y: InitVar[np.ndarray]
    multiclass: InitVar[str]
    C: float
    kernel: str | Callable
    gamma: float | None
    logger: logging.Logger
    n_jobs: int | None = None
    problems: list[LinearProblem] = field(init=False)
    n_fits: int = field(default=0, init=False)
    n_fallbacks: int = field(default=0, init=False)

    def __post_init__(self, X: np.ndarray, y: np.ndarray, multiclass: str):
        linear = self.kernel == "linear"
        dtype = np.float32 if linear else np.float64
        self.problems = linear_problems(X, y, multiclass, centre=linear, dtype=dtype)

    def strengths(self, candidates: np.ndarray, subsets: np.ndarray) -> np.ndarray:
        """Mean score of each candidate over the subsets that contain it; NaN if none does.

        ``subsets`` are masks of the candidates, one per row. The score of a feature is the change
        of the SVM's objective without it, |obj − obj⁽ᶠ⁾|, summed over the problems; w_f² for the
        linear SVM. Means are rounded to the digits that are exact, so that equal features tie.
        """
        total = np.zeros(len(candidates))
        times = np.count_nonzero(subsets, axis=0)
        # Another process gets this object with every task, and each task brings its own problem.
        light = copy(self)
        light.problems = []
        score = light._linear_scores if self.kernel == "linear" else light._kernel_scores
        blocks = [subsets[start : start + _SUBSETS] for start in range(0, len(subsets), _SUBSETS)]
        tasks = [(problem, candidates, block) for block in blocks for problem in self.problems]
        for scores, n_fallbacks in in_order(score, tasks, self.n_jobs):
            total += scores
            self.n_fallbacks += n_fallbacks
        self.n_fits += len(subsets) * len(self.problems)
        means = np.divide(total, times, out=np.full(len(total), np.nan), where=times > 0)
        return _rounded(means)

    def _linear_scores(self, problem, candidates, subsets) -> tuple[np.ndarray, int]:
        features = problem.features
        if len(candidates) < len(features):
            features = features[candidates]
        betas, n_fallbacks = solve_subsets(features, problem.signs, subsets, self.C)
        scores = np.empty(len(candidates))
        for start in range(0, len(candidates), _FEATURES):
            block = slice(start, start + _FEATURES)
            weights = betas @ features[block].T
            scores[block] = (np.where(subsets[:, block], weights, 0.0) ** 2).sum(axis=0)
        return scores, n_fallbacks

    def _kernel_scores(self, problem, candidates, subsets) -> tuple[np.ndarray, int]:
        scores = np.zeros(len(candidates))
        kernel = self._kernel_function(np.count_nonzero(subsets[0]))
        for drawn in self._logged(subsets):
            subset = np.flatnonzero(drawn)
            rows = problem.features[candidates[subset]].T
            gram = np.ascontiguousarray(kernel(rows, rows), dtype=np.float64)
            beta = solve_gram(gram, problem.signs, self.C).beta
            support = np.flatnonzero(beta)
            rows, beta = rows[support], beta[support]
            objective = beta @ gram[np.ix_(support, support)] @ beta
            for position, feature in enumerate(subset):
                without = np.delete(rows, position, axis=1)
                left = beta @ kernel(without, without) @ beta if without.shape[1] else 0.0
                scores[feature] += abs(objective - left)
        return scores, 0

    def _kernel_function(self, subset_size: int) -> Callable:
        if callable(self.kernel):
            return self.kernel
        from sklearn.metrics.pairwise import pairwise_kernels

        # One gamma for the subset with and without a feature: obj⁽ᶠ⁾ keeps the kernel.
        gamma = 1.0 / subset_size if self.gamma is None else self.gamma
        return partial(pairwise_kernels, metric=self.kernel, filter_params=True, gamma=gamma)

    def _logged(self, subsets):
        last = time.monotonic()
        for trained, subset in enumerate(subsets, start=1):
            yield subset
            if time.monotonic() - last > 5:
                last = time.monotonic()
                self.logger.info("%d of %d SVMs trained", trained, len(subsets))


def _rounded(values: np.ndarray) -> np.ndarray:
    """Values to five digits; zeros and NaN as they are."""
    scale = 10.0 ** (4 - np.floor(np.log10(np.where(values > _NOTHING, values, 1.0))))
    return np.rint(values * scale) / scale


def draw_subsets(rng: np.random.RandomState, n_subsets: int, n: int, share: float) -> np.ndarray:
    """Independent subsets of ``share`` of ``n`` positions (at least one), a mask per row."""
    if n_subsets < 1:
        raise ValueError(f"n_subsets must be positive, got {n_subsets!r}.")
    if not 0 < share <= 1:
        raise ValueError(f"subset_fraction must lie in (0, 1], got {share!r}.")
    size = max(1, int(n * share))
    drawn = np.ones((n_subsets, n), dtype=bool)
    if size == n:
        return drawn
    at_once = max(1, _KEYS // n)
    for start in range(0, n_subsets, at_once):
        block = drawn[start : start + at_once]
        # A subset has the positions of the smallest keys. The key at its border equals another
        # once in 10¹² subsets.
        keys = rng.random_sample(block.shape)
        np.less(keys, np.partition(keys, size, axis=1)[:, size : size + 1], out=block)
    return drawn


def strongest_first(candidates: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Candidates by descending strength, the lower column first on ties.

    Candidates that no subset had (NaN) come last, in the order they had before.
    """
    drawn = ~np.isnan(strengths)
    columns = candidates[drawn]
    return np.concatenate([columns[np.lexsort((columns, -strengths[drawn]))], candidates[~drawn]])


def stage_sizes(n_features: int, keep: float) -> list[int]:
    """How many features each stage ranks: all, then the kept share, down to three or fewer.

    >>> stage_sizes(20, 0.5)
    [20, 10, 5, 2]
    """
    if not 0 < keep < 1:
        raise ValueError(f"keep must lie between 0 and 1, got {keep!r}.")
    sizes = [n_features]
    while sizes[-1] > 3:
        sizes.append(max(1, int(sizes[-1] * keep)))
    return sizes
