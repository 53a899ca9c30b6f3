"""Ratio of the sums of squares between and within classes."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.kernels.variance import ratio, sums_of_squares
from fslib.registry import register


@register
class BWRatio(FeatureSelector):
    r"""Rank features by their between-class over within-class sum of squares.

    .. math:: \frac{\sum_i (\bar x_{y_i} - \bar x)^2}{\sum_i (x_i - \bar x_{y_i})^2}

    for any number of classes. Different means without any spread within the classes score
    :math:`+\infty`; constant columns score 0. The order equals :class:`Correlation`'s.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.

    References
    ----------
    Dudoit, Fridlyand & Speed (2002), JASA 97, 77-87; Yun et al., section 3.5.

    Examples
    --------
    >>> from fslib import BWRatio
    >>> BWRatio().fit([[0, 1], [0, 3], [1, 4], [3, 6]], [0, 0, 1, 1]).scores_.tolist()
    [2.0, 2.25]
    """

    accepts_sparse = True

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        return by_score(ratio(*sums_of_squares(X, y)))
