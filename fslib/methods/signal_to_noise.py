"""Golub's signal-to-noise ratio."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.kernels.variance import class_moments, ratio
from fslib.registry import register


@register
class SignalToNoise(FeatureSelector):
    r"""Rank features by how far apart two classes lie for their spread.

    .. math:: |\mu_+ - \mu_-| / (\sigma_+ + \sigma_-)

    with the sample standard deviation (divisor :math:`n - 1`; a class of one row has none).
    Different means without any spread score :math:`+\infty`; constant columns score 0.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.

    References
    ----------
    Golub et al. (1999), Science 286, 531-537; Yun et al., section 3.4 ("correlation coefficient").

    Examples
    --------
    >>> from fslib import SignalToNoise
    >>> ranked = SignalToNoise().fit([[0, 1], [0, 3], [1, 4], [3, 6]], [0, 0, 1, 1])
    >>> ranked.scores_.round(3).tolist()
    [1.414, 1.061]
    """

    binary_only = True
    accepts_sparse = True

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        sizes, means, squares = class_moments(X, y)
        deviations = np.sqrt(squares / np.maximum(sizes - 1, 1)[:, None])
        return by_score(ratio(np.abs(means[0] - means[1]), deviations.sum(axis=0)))
