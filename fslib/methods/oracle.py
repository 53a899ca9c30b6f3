"""Control: the truth, where a data set's essential features are known."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.methods.correlation import Correlation
from fslib.registry import register
from fslib.run.roles import ORACLE


@register
class Oracle(FeatureSelector):
    """Keep exactly the essential features, the most correlated with the class first.

    Parameters
    ----------
    essential : sequence of int
        Column indices of the essential features, as the data set states them.

    Examples
    --------
    >>> from fslib import Oracle
    >>> X = [[0, 5, 1], [0, 6, 0], [1, 5, 1], [1, 6, 1]]
    >>> Oracle(essential=[0, 2]).fit(X, [0, 0, 1, 1]).order_.tolist()
    [0, 2]
    """

    role = ORACLE
    needs_essential = True

    def __init__(self, essential=None):
        self.essential = essential

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        if self.essential is None or len(self.essential) == 0:
            raise ValueError(
                "Oracle needs the truth: essential=[column, ...] of a data set that knows it."
            )
        essential = np.unique(np.asarray(self.essential, dtype=np.intp))
        if essential[0] < 0 or essential[-1] >= X.shape[1]:
            raise ValueError(
                f"essential columns must lie in 0..{X.shape[1] - 1}, got {essential.tolist()}."
            )
        by_correlation = Correlation()._rank(X, y)
        keep = np.isin(by_correlation.order, essential)
        return Ranking(by_correlation.order[keep], by_correlation.scores)
