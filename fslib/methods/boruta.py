"""Boruta: features that beat the best of their shuffled copies."""

from __future__ import annotations

import logging

import numpy as np
from scipy.stats import binom, false_discovery_control
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.registry import register

_LOG = logging.getLogger("fslib.boruta")

#: Fewer features than this get more than one shadow each, so that the best shadow means something.
_FEWEST_SHADOWS = 5


@register
class Boruta(FeatureSelector):
    r"""Keep all features whose importance beats that of the best shuffled feature, time and again.

    Every trial sets a shadow beside each feature that is not rejected, the feature with its rows
    shuffled, and trains a forest on both. A feature scores a hit if its importance exceeds that of
    the best shadow. After t trials a feature with h hits is confirmed if :math:`P(B \ge h)`, and
    rejected if :math:`P(B \le h)`, is small for :math:`B \sim Bin(t, \tfrac12)`: at most ``alpha``
    after the correction of Benjamini and Hochberg for many features, and at most ``alpha`` / t for
    many trials. The search ends when all are decided.

    Confirmed features are kept; where there are none the undecided ones, and where there are none
    either the single best feature. ``scores_`` is the mean, over the trials of a feature, of its
    importance less that of the best shadow; kept features are ordered by it.

    Parameters
    ----------
    estimator : estimator with ``feature_importances_``, optional
        ``RandomForestClassifier(n_estimators=100, max_depth=5)`` by default; a new seed per trial.
    n_trials : int
        The most trials.
    alpha : float
        Level of the tests.
    percentile : float
        Which percentile of the shadows' importances is the bar; 100 is the best shadow.
    random_state : int, RandomState instance or None
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    decisions_ : per feature 1 for confirmed, 0 for undecided, -1 for rejected.
    hits_ : per feature the number of hits.
    n_trials_ : trials done.

    References
    ----------
    Kursa & Rudnicki (2010), Feature selection with the Boruta package, Journal of Statistical
    Software 36(11); the two corrections are those of the Python package BorutaPy.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import Boruta
    >>> X = np.random.default_rng(0).random((120, 6))
    >>> sorted(Boruta(n_trials=20, random_state=0).fit(X, X[:, 1] > X[:, 3]).order_.tolist())
    [1, 3]
    """

    deterministic = False

    def __init__(
        self,
        estimator=None,
        *,
        n_trials=100,
        alpha=0.05,
        percentile=100,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_trials = n_trials
        self.alpha = alpha
        self.percentile = percentile
        self.random_state = random_state
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {self.alpha!r}.")
        random, d = check_random_state(self.random_state), X.shape[1]
        decisions, hits, self.n_trials_ = np.zeros(d, dtype=int), np.zeros(d, dtype=int), 0
        excess, trials = np.zeros(d), np.zeros(d)
        while self.n_trials_ < self.n_trials and (decisions == 0).any():
            self.n_trials_ += 1
            alive = np.flatnonzero(decisions >= 0)
            lead = self._importances_over_shadows(X[:, alive], y, random)
            excess[alive] += lead
            trials[alive] += 1
            hits[alive] += lead > 0
            decisions[alive] = decided(decisions[alive], hits[alive], self.n_trials_, self.alpha)
            counts = [np.count_nonzero(decisions == value) for value in (1, 0, -1)]
            _LOG.info("trial %d: %d confirmed, %d open, %d rejected", self.n_trials_, *counts)
        self.decisions_, self.hits_ = decisions, hits
        scores = excess / trials
        by_score = np.argsort(-scores, kind="stable")
        for kept in (decisions == 1, decisions == 0):
            if kept.any():
                return Ranking(by_score[kept[by_score]], scores, n_fits=self.n_trials_)
        return Ranking(by_score[:1], scores, n_fits=self.n_trials_)

    def _importances_over_shadows(self, X: np.ndarray, y: np.ndarray, random) -> np.ndarray:
        """The importance of each feature less that of the best shadow, by one forest."""
        copies = -(-_FEWEST_SHADOWS // X.shape[1])
        shadows = np.column_stack([random.permutation(column) for column in np.tile(X, copies).T])
        forest = self.estimator
        if forest is None:
            forest = RandomForestClassifier(n_estimators=100, max_depth=5)
        forest = clone(forest)
        if "random_state" in forest.get_params():
            forest.set_params(random_state=random.randint(2**31 - 1))
        importances = forest.fit(np.hstack([X, shadows]), y).feature_importances_
        real, shadow = np.split(importances, [X.shape[1]])
        return real - np.percentile(shadow, self.percentile)


def decided(decisions: np.ndarray, hits: np.ndarray, n_trials: int, alpha: float) -> np.ndarray:
    """Decisions after a trial: open features with significantly many or few hits are decided.

    >>> decided(np.array([0, 0, 0, 1]), np.array([12, 6, 0, 12]), 12, 0.05).tolist()
    [1, 0, -1, 1]
    """
    after = decisions.copy()
    for decision, p in (
        (1, binom.sf(hits - 1, n_trials, 0.5)),
        (-1, binom.cdf(hits, n_trials, 0.5)),
    ):
        small = (false_discovery_control(p) <= alpha) & (p <= alpha / n_trials)
        after[(decisions == 0) & small] = decision
    return after
