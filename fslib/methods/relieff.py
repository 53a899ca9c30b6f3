"""ReliefF: weights from the nearest hits and misses of every row."""

from __future__ import annotations

import logging
from numbers import Integral

import numpy as np

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.kernels.neighbours import neighbour_margins
from fslib.prepare.scale import minmax
from fslib.registry import register


@register
class ReliefF(FeatureSelector):
    r"""Rank features by how much nearest rows of other classes differ, less those of their own.

    With features scaled to [0, 1] and city-block distances, row i has the k nearest rows
    :math:`H_i` of its own class and the k nearest rows :math:`M_{ic}` of every other class c, and

    .. math:: W_f = \frac1{nk} \sum_i \Bigl( \sum_{c \ne y_i} \frac{p_c}{1 - p_{y_i}}
        \sum_{j \in M_{ic}} |x_{if} - x_{jf}| - \sum_{j \in H_i} |x_{if} - x_{jf}| \Bigr)

    with the shares :math:`p_c` of the classes. Every row takes part, so nothing is drawn. A class
    of fewer rows than k gives all it has; equally near rows go by row index. Nominal features
    should come as one column per value: the codes of a nominal feature are not distances.

    Parameters
    ----------
    n_neighbors : int
        k, per class.
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    verbose : int
        1 shows the progress, 2 more of it.

    References
    ----------
    Kononenko (1994), Estimating attributes: analysis and extensions of RELIEF, ECML, 171-182;
    Robnik-Sikonja & Kononenko (2003), Machine Learning 53, 23-69.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import ReliefF
    >>> X = np.random.default_rng(0).random((100, 5))
    >>> y = (X[:, 1] > 0.5) ^ (X[:, 3] > 0.5)  # neither column says anything alone
    >>> sorted(ReliefF().fit(X, y).order_[:2].tolist())
    [1, 3]
    """

    def __init__(self, n_neighbors=10, n_features_to_select=None, verbose=0):
        self.n_neighbors = n_neighbors
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        k = self.n_neighbors
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise ValueError(f"n_neighbors must be a positive integer, got {k!r}.")
        members = [np.flatnonzero(y == c) for c in range(y.max() + 1)]

        def nearest(distances: np.ndarray) -> np.ndarray:
            chosen = np.zeros(distances.shape, dtype=bool)
            for rows in members:
                chosen[:, rows] = _smallest(distances[:, rows], k)
            return chosen

        log = logging.getLogger("fslib.relieff")
        return by_score(neighbour_margins(minmax(X), y, nearest, log))


def _smallest(distances: np.ndarray, k: int) -> np.ndarray:
    """Which are the k smallest finite distances of each line, the lower index first on ties.

    >>> _smallest(np.array([[3.0, 1.0, 1.0, 1.0, np.inf]]), 2)
    array([[False,  True,  True, False, False]])
    """
    finite = np.isfinite(distances)
    if k >= distances.shape[1]:
        return finite
    last = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    nearer, tied = distances < last, distances == last
    room = k - nearer.sum(axis=1, keepdims=True)
    return (nearer | (tied & (np.cumsum(tied, axis=1) <= room))) & finite
