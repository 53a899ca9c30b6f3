"""FCBF: the fast correlation-based filter."""

from __future__ import annotations

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.information import DiscreteTable
from fslib.registry import register


@register
class FCBF(FeatureSelector):
    r"""Keep the features that no better feature explains more than the class does.

    With the symmetrical uncertainty :math:`SU(f, g) = 2 I(f; g) / (H(f) + H(g))`, features with
    :math:`SU(f, y) >` ``threshold`` are visited by falling :math:`SU(f, y)`. Each one that is still
    there is kept, and removes every later feature g with :math:`SU(f, g) \ge SU(g, y)`: its
    redundant peers. Ties go to the lower column index. The best feature stays if none exceeds the
    threshold. ``scores_`` has :math:`SU(f, y)` of every feature.

    Parameters
    ----------
    threshold : float
    bins : int, optional
        Discretise into so many bins of equal width; by default features must be discrete.

    References
    ----------
    Yu & Liu (2003), Feature selection for high-dimensional data: a fast correlation-based filter
    solution, Proc. ICML, 856-863; Yu & Liu (2004), JMLR 5, 1205-1224.

    Examples
    --------
    >>> from fslib import FCBF
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1]]  # column 1 repeats column 0
    >>> FCBF().fit(X, [0, 0, 0, 1, 1]).order_.tolist()
    [0, 2]
    """

    discrete_only = True
    accepts_sparse = True

    def __init__(self, threshold=0.0, bins=None):
        self.threshold = threshold
        self.bins = bins

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        table = DiscreteTable(X)
        with_class = table.uncertainty(y, int(y.max()) + 1)
        left = np.argsort(-with_class, kind="stable")
        left = left[: max(1, np.count_nonzero(with_class > self.threshold))]
        kept = []
        while left.size:
            best, left = left[0], left[1:]
            kept.append(best)
            shared = table.uncertainty(table.codes[best], table.levels[best])
            left = left[shared[left] < with_class[left]]
        return Ranking(np.array(kept), with_class)
