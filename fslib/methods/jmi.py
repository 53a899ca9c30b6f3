"""Joint mutual information."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.joint import JointInformation
from fslib.methods._stepwise import rank_by_sum
from fslib.registry import register


@register
class JMI(FeatureSelector):
    r"""Rank features step by step by what each tells together with every one before it.

    .. math:: \sum_s I(f, s; y)

    over the features :math:`s` ranked so far, in nats; the first one by :math:`I(f; y)`. Ties go
    to the lower column index. Where all sums left are 0, the features left stay unranked.

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
    Yang & Moody (1999), NIPS 12, 687-693.

    Examples
    --------
    >>> from fslib import JMI
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]]  # column 1 repeats column 0
    >>> JMI().fit(X, [0, 0, 0, 1, 1]).order_.tolist()
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
            lambda s: joint.with_feature(s)[0],
            self._count_to_keep() or X.shape[1],
            "JMI",
        )
