"""Absolute differences of all pairs of rows, weighted by feature or by pair."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

#: Differences are kept if they fit; otherwise they are computed again where they are needed.
MAX_BYTES = 2**28


class PairDifferences:
    """``|x_i - x_j|`` of all pairs i < j, in the order of scipy's condensed distances."""

    def __init__(self, X: np.ndarray):
        self.X = X
        n, d = X.shape
        n_pairs = n * (n - 1) // 2
        self._kept = None
        if n_pairs * d * X.itemsize <= MAX_BYTES:
            self._kept = np.empty((n_pairs, d))
            for row, begin, end in self._rows():
                block = self._kept[begin:end]
                np.subtract(X[row + 1 :], X[row], out=block)
                np.abs(block, out=block)

    def _rows(self):
        """Each row with the range of its pairs with later rows."""
        n, begin = len(self.X), 0
        for row in range(n - 1):
            end = begin + n - 1 - row
            yield row, begin, end
            begin = end

    def distances(self, weights: np.ndarray) -> np.ndarray:
        """``sum_f w_f |x_if - x_jf|`` of every pair, for weights that are not negative."""
        if self._kept is not None:
            return self._kept @ weights
        used = weights > 0
        return pdist(self.X[:, used] * weights[used], "cityblock")

    def combine(self, coefficients: np.ndarray) -> np.ndarray:
        """``sum_ij c_ij |x_if - x_jf|`` over all pairs, of every feature."""
        if self._kept is not None:
            return coefficients @ self._kept
        # |a - b| = 2 max(a, b) - a - b: one pass over the pairs, the rest is linear.
        n, d = self.X.shape
        total, of_row = np.zeros(d), np.zeros(n)
        buffer = np.empty((n, d))
        for row, begin, end in self._rows():
            of_pairs = coefficients[begin:end]
            greater = np.maximum(self.X[row + 1 :], self.X[row], out=buffer[row + 1 :])
            total += of_pairs @ greater
            of_row[row] += of_pairs.sum()
            of_row[row + 1 :] += of_pairs
        return 2 * total - of_row @ self.X
