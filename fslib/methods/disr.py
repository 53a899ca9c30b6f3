"""Double input symmetrical relevance."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.joint import JointInformation
from fslib.methods._stepwise import rank_by_sum
from fslib.registry import register


@register
class DISR(FeatureSelector):
    r"""Rank features step by step by their symmetrical relevance with every one before.

    .. math:: \sum_s \frac{I(f, s; y)}{H(f, s, y)}

    over the features :math:`s` ranked so far; the first one by :math:`I(f; y)`. Ties go to the
    lower column index. Where all sums left are 0, the features left stay unranked.

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
    Meyer & Bontempi (2006), EvoWorkshops, LNCS 3907, 91-102.

    Examples
    --------
    >>> from fslib import DISR
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]]  # column 1 repeats column 0
    >>> DISR().fit(X, [0, 0, 0, 1, 1]).order_.tolist()
    [0, 2, 1]
    """

    discrete_only = True
    accepts_sparse = True

    def __init__(self, bins=None, n_features_to_select=None, verbose=0):
        self.bins = bins
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        joint = JointInformation(X, y)
        return rank_by_sum(
            joint.relevance,
            lambda s: np.divide(*joint.with_feature(s)),
            self._count_to_keep() or X.shape[1],
            "DISR",
        )
