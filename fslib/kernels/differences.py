"""Absolute differences of all pairs of rows, weighted by feature or by pair."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

#: Bytes of differences that are kept.
MAX_BYTES = 2**28
#: More differences than this leave a core's cache and are kept in float32: reading them is slow.
MAX_DOUBLES = 2**16


class PairDifferences:
    """``|x_i - x_j|`` of all pairs i < j, in the order of scipy's condensed distances.

    They are kept if they fit, else computed again where they are needed.
    """

    def __init__(self, X: np.ndarray):
        self.X = X
        n, d = X.shape
        n_pairs = n * (n - 1) // 2
        kind = np.dtype(np.float64 if n_pairs * d <= MAX_DOUBLES else np.float32)
        self._kept = None
        if n_pairs * d * kind.itemsize <= MAX_BYTES:
            # Long runs of memory are read twice as fast: the longer axis is the contiguous one.
            order = "C" if d > n_pairs else "F"
            self._kept = np.empty((n_pairs, d), dtype=kind, order=order)
            rounded = X.astype(kind, order=order)
            for row, begin, end in self._rows():
                np.subtract(rounded[row + 1 :], rounded[row], out=self._kept[begin:end])
            np.abs(self._kept, out=self._kept)
        #: False where sums are in float32.
        self.exact = self._kept is None or kind == np.float64

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
            return (self._kept @ weights.astype(self._kept.dtype)).astype(np.float64)
        used = weights > 0
        # Indexing by a mask would give the other memory order, which pdist is slow on.
        return pdist(self.X.compress(used, axis=1) * weights[used], "cityblock")

    def combine(self, coefficients: np.ndarray, exactly: bool = False) -> np.ndarray:
        """``sum_ij c_ij |x_if - x_jf|`` over all pairs, of every feature; if asked, in float64."""
        if self._kept is not None and (self.exact or not exactly):
            return (coefficients.astype(self._kept.dtype) @ self._kept).astype(np.float64)
        # |a - b| = 2 max(a, b) - a - b: one pass over the pairs, the rest is linear. Pairs of the
        # same lag are two slices of the table, which numpy passes over in one go.
        n, d = self.X.shape
        row = np.arange(n)
        first_pair = row * n - row * (row + 1) // 2
        total, of_row = np.zeros(d), np.zeros(n)
        buffer = np.empty((n, d))
        for lag in range(1, n):
            of_pairs = coefficients.take(first_pair[:-lag] + (lag - 1))
            total += of_pairs @ np.maximum(self.X[lag:], self.X[:-lag], out=buffer[lag:])
            of_row[lag:] += of_pairs
            of_row[:-lag] += of_pairs
        return 2 * total - of_row @ self.X
