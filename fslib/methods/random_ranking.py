"""Control: a ranking that knows nothing."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.registry import register
from fslib.run.roles import RANDOM


@register
class RandomRanking(FeatureSelector):
    """Rank features by uniform random scores: what a method has to beat.

    Parameters
    ----------
    random_state : int, RandomState or None
        Seed; 0 is a seed like any other.
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.

    Examples
    --------
    >>> from fslib import RandomRanking
    >>> ranked = RandomRanking(random_state=0).fit([[0, 1, 2], [1, 0, 2]], [0, 1])
    >>> sorted(ranked.order_.tolist())
    [0, 1, 2]
    """

    role = RANDOM
    deterministic = False

    def __init__(self, random_state=None, n_features_to_select=None):
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        return by_score(check_random_state(self.random_state).random_sample(X.shape[1]))
