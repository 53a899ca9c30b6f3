"""MultiSURF: Relief with neighbourhoods that fit themselves to every row."""

from __future__ import annotations

import logging

import numpy as np

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.kernels.neighbours import neighbour_margins
from fslib.prepare.scale import minmax
from fslib.registry import register


@register
class MultiSURF(FeatureSelector):
    r"""Rank features by how much near rows of other classes differ, less those of their own.

    With features scaled to [0, 1] and city-block distances, the neighbours :math:`N_i` of row i are
    the rows nearer than the mean of its distances less half their standard deviation, and

    .. math::
        W_f = \frac1n \sum_i \Bigl( \sum_{c \ne y_i} \frac{p_c}{\sum_{c' \ne y_i} p_{c'}}
            \operatorname*{mean}_{j \in N_i,\ y_j = c} |x_{if} - x_{jf}|
          - \operatorname*{mean}_{j \in N_i,\ y_j = y_i} |x_{if} - x_{jf}| \Bigr)

    with the shares :math:`p_c` of the classes among the neighbours. For two classes this is the
    published score; more classes are weighted as by :class:`ReliefF`. There is nothing to tune.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    verbose : int
        1 shows the progress, 2 more of it.

    References
    ----------
    Urbanowicz, Olson, Schmitt, Meeker & Moore (2018), Benchmarking relief-based feature selection
    methods for bioinformatics data mining, Journal of Biomedical Informatics 85, 168-188.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import MultiSURF
    >>> X = np.random.default_rng(0).random((100, 5))
    >>> y = (X[:, 1] > 0.5) ^ (X[:, 3] > 0.5)  # neither column says anything alone
    >>> sorted(MultiSURF().fit(X, y).order_[:2].tolist())
    [1, 3]
    """

    def __init__(self, n_features_to_select=None, verbose=0):
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        log = logging.getLogger("fslib.multisurf")
        return by_score(neighbour_margins(minmax(X), y, _near, log))


def _near(distances: np.ndarray) -> np.ndarray:
    """Rows nearer than the mean distance to others less half the deviation."""
    others = np.isfinite(distances)
    n = others.sum(axis=1, keepdims=True)
    mean = np.where(others, distances, 0.0).sum(axis=1, keepdims=True) / n
    squares = np.where(others, (distances - mean) ** 2, 0.0).sum(axis=1, keepdims=True)
    return distances < mean - np.sqrt(squares / n) / 2
