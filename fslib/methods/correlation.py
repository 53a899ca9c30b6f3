"""Correlation of each feature with the class."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.kernels.variance import sums_of_squares
from fslib.registry import register


@register
class Correlation(FeatureSelector):
    r"""Rank features by their absolute correlation with the class.

    For two classes :math:`|\mathrm{corr}(f, y)|`; for more, the correlation ratio
    :math:`\sqrt{BSS_f / TSS_f}`, which equals it for two. Constant columns score 0.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, section 1 (CORR).

    Examples
    --------
    >>> from fslib import Correlation
    >>> Correlation().fit([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 1, 1]).order_.tolist()
    [0, 1]
    """

    accepts_sparse = True

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        between, within = sums_of_squares(X, y)
        total = between + within
        return by_score(
            np.sqrt(np.divide(between, total, out=np.zeros_like(total), where=total > 0))
        )
