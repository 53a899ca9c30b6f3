"""Conditional mutual information maximisation."""

from __future__ import annotations

import logging

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.conditional import ConditionalInformation, conditional_information
from fslib.methods._stepwise import ROUNDING, first_best, informed_ranking, report_progress
from fslib.registry import register

_log = logging.getLogger("fslib.cmim")

#: Features whose scores the first round of `_leader` updates: more would save calls of numpy, but
#: waste evaluations on features that cannot lead.
_AT_FIRST = 8


@register
class CMIM(FeatureSelector):
    r"""Rank features step by step by what they tell that no feature before them tells.

    Each step takes the feature with the greatest

    .. math:: \min\bigl( I(f; y),\ \min_s I(f; y \mid s) \bigr)

    over the features :math:`s` ranked so far; in nats, for features and classes of any arity.
    A feature's minimum only falls, so it is brought up to date only while it still leads
    (Fleuret's lazy evaluation). Ties go to the lower column index. Where all minima left are 0, the
    features left stay unranked.

    Parameters
    ----------
    bins : int, optional
        Discretise into so many bins of equal width; by default features must be discrete.
    n_features_to_select : int or float, optional
        Stop after so many, or after this share of all; by default all are ranked.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    path_ : the criterion's value at each step; ``scores_`` has the same by column.

    References
    ----------
    Fleuret (2004), JMLR 5, 1531-1555.

    Examples
    --------
    >>> from fslib import CMIM
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]]  # column 1 repeats column 0
    >>> CMIM(n_features_to_select=2).fit(X, [0, 0, 0, 1, 1]).order_.tolist()
    [0, 2]
    """

    discrete_only = True
    accepts_sparse = True

    def __init__(self, bins=None, n_features_to_select=None, verbose=0):
        self.bins = bins
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        information = conditional_information(X, y)
        n_steps = self._count_to_keep() or X.shape[1]
        score = information.relevance.copy()
        used = np.zeros(len(score), dtype=np.intp)  # ranked features that a score accounts for
        order = np.empty(n_steps, dtype=np.intp)
        path = np.empty(n_steps)
        for step in range(n_steps):
            best = _leader(score, used, order[:step], information)
            order[step], path[step] = best, score[best]
            if score[best] <= 0:
                order, path = order[: step + 1], path[: step + 1]
                break
            score[best] = -np.inf
            report_progress(_log, step, n_steps)
        return informed_ranking(order, path, X.shape[1], "CMIM")


def _leader(
    score: np.ndarray, used: np.ndarray, ranked: np.ndarray, information: ConditionalInformation
) -> int:
    """The feature with the greatest score among the scores that account for all of ``ranked``.

    ``used`` says how many of ``ranked`` a score accounts for. Scores only fall, so outdated scores
    below the greatest up-to-date score need no update: their features cannot lead.
    """
    step = len(ranked)
    few, at_once = _AT_FIRST, 1  # features per round, ranked features for each: both double
    while True:
        fresh = used == step
        leading = score[fresh].max(initial=-np.inf)
        behind = np.flatnonzero(~fresh & (score >= leading - ROUNDING) & (score > -np.inf))
        if not behind.size:
            return int(first_best(np.where(fresh, score, -np.inf)))
        if behind.size > few:
            behind = behind[np.argpartition(-score[behind], few)[:few]]
        counts = np.minimum(at_once, step - used[behind])
        _meet(behind, counts, score, used, ranked, information)
        few, at_once = 2 * few, min(2 * at_once, step)


def _meet(features, counts, score, used, ranked, information) -> None:
    """Lower ``score`` of ``features`` f to I(f; y | s) of the next ``counts`` ranked features s."""
    first = np.cumsum(counts) - counts
    next_ranked = np.arange(counts.sum()) - np.repeat(first - used[features], counts)
    values = information(np.repeat(features, counts), ranked[next_ranked])
    score[features] = np.minimum(score[features], np.minimum.reduceat(values, first))
    used[features] += counts
