"""Search for interacting features by consistency."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.consistency import RowHashes
from fslib.kernels.information import DiscreteTable
from fslib.registry import register


@register
class Interact(FeatureSelector):
    r"""Keep the features without which the rows would contradict each other more.

    Features are visited from the least to the greatest symmetrical uncertainty
    :math:`2 I(f; y) / (H(f) + H(y))`. A feature's consistency contribution is the rise of the
    inconsistency rate when the feature is left out of the features still kept; a feature whose
    contribution is at most ``threshold`` is removed. The inconsistency rate is the share of rows
    that do not belong to the most frequent class among the rows of equal values. The feature with
    the greatest uncertainty stays if all others are removed.

    ``scores_`` has the consistency contributions; kept features are ordered by them, equal ones by
    symmetrical uncertainty, then column index.

    Parameters
    ----------
    threshold : float
    bins : int, optional
        Discretise into so many bins of equal width; by default features must be discrete.

    References
    ----------
    Zhao & Liu (2007), Proc. IJCAI, 1156-1161.

    Examples
    --------
    >>> from fslib import Interact
    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0]]
    >>> Interact().fit(X, [0, 1, 1, 0, 0, 0]).order_.tolist()  # exclusive or of columns 0 and 1
    [0, 1]
    """

    discrete_only = True
    accepts_sparse = True

    def __init__(self, threshold=1e-4, bins=None):
        self.threshold = threshold
        self.bins = bins

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        table = DiscreteTable(X)
        uncertainty = table.uncertainty(y, int(y.max()) + 1)
        by_uncertainty = np.argsort(-uncertainty, kind="stable")
        hashes = RowHashes(table, y)
        contribution = np.empty(X.shape[1])
        kept = np.ones(X.shape[1], dtype=bool)
        rate = hashes.inconsistency()
        for feature in by_uncertainty[::-1]:
            without = hashes.inconsistency(without=feature)
            contribution[feature] = without - rate
            last_one = kept.sum() == 1
            if contribution[feature] <= self.threshold and not last_one:
                hashes.remove(feature)
                kept[feature], rate = False, without
        members = by_uncertainty[kept[by_uncertainty]]
        order = members[np.argsort(-contribution[members], kind="stable")]
        return Ranking(order, contribution)
