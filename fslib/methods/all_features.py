"""Control: no selection."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.registry import register
from fslib.run.roles import ALL_FEATURES


@register
class AllFeatures(FeatureSelector):
    """Keep every feature, in column order: what selection has to be worth.

    Examples
    --------
    >>> from fslib import AllFeatures
    >>> AllFeatures().fit([[0, 1, 2], [1, 0, 2]], [0, 1]).order_.tolist()
    [0, 1, 2]
    """

    role = ALL_FEATURES

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        return Ranking(np.arange(X.shape[1]), ordered=False)
