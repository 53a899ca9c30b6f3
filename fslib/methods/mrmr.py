"""Minimum redundancy, maximum relevance."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.information import DiscreteTable
from fslib.kernels.pairs import pairwise_information
from fslib.methods._stepwise import (
    first_best,
    informed_ranking,
    lowest_tied,
    ranking_until,
    report_progress,
    stepwise_ranking,
)
from fslib.registry import register

_log = logging.getLogger("fslib.mrmr")

#: Pairs of features up to which mutual information is kept in memory; above, it is computed again
#: for every step, one feature at a time.
_MAX_CACHED = 2**27


@register
class MRMR(FeatureSelector):
    r"""Rank features step by step: relevant to the class, not redundant with those before.

    With :math:`V_f = I(f; y)` and :math:`W_f` the mean of :math:`I(f; s)` over the features
    :math:`s` ranked so far, each step takes the feature with the greatest

    ========= ======================================
    MID       :math:`V - W`
    MIQ       :math:`V / W`
    alpha     :math:`\alpha V - (1 - \alpha) W`
    ========= ======================================

    and the first one by :math:`V` alone, whatever the scheme. Mutual information is that of the
    counts, in nats. MIQ of :math:`W = 0` is infinite where :math:`V > 0` (ordered by V) and 0 where
    :math:`V = 0`: where nothing else is left, the features left stay unranked. The differences can
    be negative, so 0 alone is no end of theirs; MID ends where both :math:`V` and :math:`V - W` of
    all features left are 0. Ties go to the lower column index. ``fit_together`` ranks for many
    schemes and alphas from one set of pairwise mutual information.

    Parameters
    ----------
    scheme : {"MID", "MIQ", "alpha"}
    alpha : float in [0, 1]
        Weight of relevance in the scheme ``"alpha"``; 0.5 gives the order of MID.
    bins : int, optional
        Discretise into so many bins of equal width; by default features must be discrete.
    n_features_to_select : int or float, optional
        Stop after so many, or after this share of all; by default all are ranked.
    rank_all : bool
        MIQ and MID rank also what would stay unranked, last and in the order of columns, for
        protocols that compare complete rankings.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    path_ : the criterion's value at each step; ``scores_`` has the same by column.

    References
    ----------
    Ding & Peng (2003), Proc. CSB, 523-528; Gulgezen, Cataltepe & Yu (2009), section 4.3.

    Examples
    --------
    >>> from fslib import MRMR
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]  # column 1 only repeats column 0
    >>> MRMR(n_features_to_select=2).fit(X, [0, 0, 1, 1]).order_.tolist()
    [0, 1]
    >>> MRMR(scheme="alpha", alpha=0.25).fit(X, [0, 0, 1, 1]).order_.tolist()
    [0, 2, 1]
    """

    discrete_only = True
    accepts_sparse = True

    def __init__(
        self,
        scheme="MID",
        alpha=0.5,
        bins=None,
        n_features_to_select=None,
        rank_all=False,
        verbose=0,
    ):
        self.scheme = scheme
        self.alpha = alpha
        self.bins = bins
        self.n_features_to_select = n_features_to_select
        self.rank_all = rank_all
        self.verbose = verbose

    def _check_scheme(self) -> None:
        if self.scheme not in ("MID", "MIQ", "alpha"):
            raise ValueError(f"scheme must be 'MID', 'MIQ' or 'alpha', got {self.scheme!r}.")
        if self.scheme == "alpha" and not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha must lie in [0, 1], got {self.alpha!r}.")

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        return self._rank_together([self], X, y)[0]

    @classmethod
    def _rank_together(cls, selectors, X, y) -> list[Ranking]:
        for selector in selectors:
            selector._check_scheme()
        table = DiscreteTable(X)
        relevance = table.relevance(y, y.max() + 1)
        steps = [selector._count_to_keep() or X.shape[1] for selector in selectors]
        information_with = _rows_of_information(table, sum(steps))
        orders, paths, told = _greedy(selectors, relevance, information_with, max(steps))
        return [
            selector._ranking(order[:k], path[:k], X.shape[1], end)
            for selector, order, path, k, end in zip(
                selectors, orders, paths, steps, told.tolist(), strict=True
            )
        ]

    def _ranking(self, order, path, n_features: int, told: int) -> Ranking:
        name = f"MRMR(scheme={self.scheme!r})"
        if self.scheme == "MIQ" and not self.rank_all:
            return informed_ranking(order, path, n_features, name)
        if self.scheme == "MID" and not self.rank_all and told < len(order):
            return ranking_until(told, order, path, n_features, name)
        return stepwise_ranking(order, path, n_features)


def _greedy(selectors, relevance, information_with, n_steps):
    """Rank for all selectors at once; return orders and criterion values, a row per selector, and
    the step at which the relevances and the differences of all features left are 0.

    ``information_with(features)`` has a row per feature: its mutual information with all features.
    """
    # A step takes so little time that the number of numpy calls decides: every array has a row per
    # selector, the rows of MIQ (quotients) after all others (differences), so that both are slices.
    place = np.argsort([selector.scheme == "MIQ" for selector in selectors], kind="stable")
    selectors = [selectors[position] for position in place]
    n_differences = sum(selector.scheme != "MIQ" for selector in selectors)
    weights = np.array(
        [(s.alpha, 1.0 - s.alpha) if s.scheme == "alpha" else (1.0, 1.0) for s in selectors]
    )
    gain = np.outer(weights[:, 0], relevance)  # weighted V; minus infinity for ranked features
    price = np.repeat(weights[:n_differences, 1:], len(relevance), axis=1)
    shared = np.zeros_like(gain)
    shared[n_differences:, relevance == 0] = 1.0  # MIQ of V = 0 is then 0, not 0 / 0
    criterion = np.empty_like(gain)
    minuend, dividend = gain[:n_differences], gain[n_differences:]
    difference, quotient = criterion[:n_differences], criterion[n_differences:]
    row_start = np.arange(len(selectors)) * len(relevance)
    orders = np.empty((n_steps, len(selectors)), dtype=np.intp)
    paths = np.empty(orders.shape)
    best = orders[0] = first_best(relevance)
    paths[0] = relevance[best]
    some_infinite = n_differences < len(selectors)
    told, n_relevant = np.full(len(selectors), n_steps), np.count_nonzero(relevance)
    with np.errstate(divide="ignore"):
        for step in range(1, n_steps):
            gain.put(row_start + orders[step - 1], -np.inf)
            shared += information_with(orders[step - 1])
            np.divide(shared, float(step), out=criterion)
            np.subtract(minuend, np.multiply(difference, price, out=difference), out=difference)
            np.divide(dividend, quotient, out=quotient)
            if step >= n_relevant:  # before, some relevance is left
                something = (minuend > -np.inf) & ((relevance != 0) | (difference != 0))
                ends = np.flatnonzero(~something.any(axis=1))
                told[ends] = np.minimum(told[ends], step)
            candidates = criterion
            if some_infinite:
                infinite = criterion == np.inf
                some_infinite = infinite.any()  # sums only grow: W = 0 does not come back
                by_relevance = np.where(infinite, relevance, -np.inf)
                candidates = np.where(infinite.any(axis=1, keepdims=True), by_relevance, criterion)
            greatest = candidates.take(row_start + candidates.argmax(axis=1))
            best = (candidates >= lowest_tied(greatest)[:, None]).argmax(axis=1)
            orders[step], paths[step] = best, criterion.take(row_start + best)
            report_progress(_log, step, n_steps)
    back = np.argsort(place)
    return orders.T[back], paths.T[back], told[back]


def _rows_of_information(table: DiscreteTable, n_wanted: int) -> Callable:
    """A function of column indices that gives, a row each, their mutual information with all."""
    d = table.n_features
    # All d rows of the table of pairs at once cost about as much as d / 4 rows one at a time.
    if 4 * n_wanted >= d and d * d <= _MAX_CACHED:
        _log.info("mutual information of all pairs of %d features", d)
        return partial(pairwise_information(table).take, axis=0)
    one = cache(table.redundancy) if n_wanted * d <= _MAX_CACHED else table.redundancy
    return lambda features: np.stack([one(feature) for feature in features.tolist()])
