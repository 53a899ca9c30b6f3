"""I-RELIEF's margins: how much farther a row's misses are than its hits, feature by feature."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import expit

from fslib.kernels.differences import (
    MadeDifferences,
    StoredDifferences,
    pairs_by_lag,
    short_buffer,
)

#: With more pairs than this, margins are summed over blocks of rows.
_MANY_PAIRS = 2**21
#: More differences of pairs than this are summed in float32: they leave a core's cache.
_FEW = 2**16
#: Largest matrix of stored differences, in bytes. No cache holds a larger one, and reading it from
#: memory takes longer than computing the differences again for every sum.
_STORED = 2**25
#: Pairs of rows in a block of rows: their differences stay in a core's second cache.
_BLOCK = 2**16
#: Distances, in units of sigma, up to which exp(-distance) and its ratios are finite.
_FAR = 300.0


def margins_of_rows(X: np.ndarray, y: np.ndarray, sigma: float) -> PairMargins | RowMargins:
    r"""The margins of a table in [0, 1], in the way that suits its shape and ``sigma``.

    Weights of length 1 give distances up to :math:`\sqrt d`. Where the kernel of such a distance
    would underflow, and with many rows, it is :class:`RowMargins`.
    """
    n, d = X.shape
    many_pairs, far = n * (n - 1) // 2 > _MANY_PAIRS, np.sqrt(d) > _FAR * sigma
    return (RowMargins if many_pairs or far else PairMargins)(X, y, sigma)


class _Margins:
    """A table sorted by class, and the width of the kernel."""

    def __init__(self, X: np.ndarray, y: np.ndarray, sigma: float):
        # Sorted by class, the hits of a row are a slice of rows.
        by_class = np.argsort(y, kind="stable")
        self._X, self._y, self._sigma = X[by_class], y[by_class], sigma
        ends = np.cumsum(np.bincount(y)).tolist()
        self._classes = [slice(*ends) for ends in zip([0, *ends], ends, strict=False)]


class PairMargins(_Margins):
    """Margins from the differences of all pairs."""

    def __init__(self, X: np.ndarray, y: np.ndarray, sigma: float):
        super().__init__(X, y, sigma)
        n, d = X.shape
        self._pairs = first, second = pairs_by_lag(n)
        self._exact = len(first) * d <= _FEW
        dtype = np.float64 if self._exact else np.float32
        if len(first) * d * np.dtype(dtype).itemsize <= _STORED:
            self._differences = StoredDifferences(self._X, dtype)
        else:
            self._differences = MadeDifferences(self._X, dtype, self._pairs)
        # Positions of a pair's two rows in a vector that has n sums over hits and n over misses.
        beyond_hits = np.where(self._y[first] == self._y[second], 0, n)
        self._sides = first + beyond_hits, second + beyond_hits

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """The margin of every feature, for weights that are not negative."""
        distances = self._differences.distances(weights) / self._sigma
        self._of_pairs = self._coefficients(distances)
        return self._differences.combine(self._of_pairs)

    def exactly(self) -> np.ndarray:
        """The last margins, summed in float64."""
        exact = self._differences
        if not self._exact:
            exact = MadeDifferences(self._X, np.float64, self._pairs)
        return exact.combine(self._of_pairs)

    def _coefficients(self, distances: np.ndarray) -> np.ndarray:
        """The factor of each pair's differences in the margins, the sum over its two rows n of

        gamma_n k / (sum of k over the misses of n) for a miss and minus gamma_n k / (sum of k over
        the hits of n) for a hit, with k = exp(-distance).
        """
        n, kernel = len(self._X), np.exp(-distances)
        sums = sum(np.bincount(side, kernel, 2 * n) for side in self._sides)
        hits, misses = sums[:n], sums[n:]
        of_hit = 1 / (hits + misses)  # gamma / hits; finite for a class of one row too
        values = np.concatenate([-of_hit, hits * of_hit / misses])
        kernel *= sum(values.take(side) for side in self._sides)
        return kernel


class RowMargins(_Margins):
    """Margins summed over blocks of rows, in the memory of one block."""

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        """The margin of every feature, for weights that are not negative."""
        used = weights > 0
        # Indexing by a mask would give the other memory order, which cdist is slow on.
        weighted = self._X.compress(used, axis=1) * (weights[used] / self._sigma)
        n, d = self._X.shape
        height = max(1, _BLOCK // n)
        features, room = np.ascontiguousarray(self._X.T), np.empty((height, n))
        self._last = np.zeros(d)
        with short_buffer():
            for hits in self._classes:
                for start in range(hits.start, hits.stop, height):
                    rows = slice(start, min(start + height, hits.stop))
                    of_pairs = cdist(weighted[rows], weighted, "cityblock")
                    _row_coefficients(of_pairs, hits, start)
                    gaps = room[: len(of_pairs)]
                    for feature, values in enumerate(features):
                        np.subtract(values[rows, None], values, out=gaps)
                        self._last[feature] += np.vdot(np.abs(gaps, out=gaps), of_pairs)
        return self._last

    def exactly(self) -> np.ndarray:
        """The last margins, which are in float64 already."""
        return self._last


def _row_coefficients(distances: np.ndarray, hits: slice, first: int) -> None:
    """Turn distances in units of sigma into the factors of differences in the margins, in place.

    ``distances`` has one line for each row from ``first`` on, all of the class whose rows are
    ``hits``, and one column for every row of the table. The kernel is divided by that of the
    nearest hit or miss, which cancels in the factors: what then underflows is negligible.
    """
    if hits.stop - hits.start == 1:
        distances[:] = 0.0
        return
    row = np.arange(len(distances))
    distances[row, first + row] = np.inf
    to_hits = distances[:, hits]
    to_misses = [distances[:, : hits.start], distances[:, hits.stop :]]
    hit = to_hits.min(axis=1)
    miss = np.minimum(*(part.min(axis=1, initial=np.inf) for part in to_misses))
    for part, nearest in zip([to_hits, *to_misses], [hit, miss, miss], strict=True):
        np.exp(np.subtract(nearest[:, None], part, out=part), out=part)
    of_hits, of_misses = to_hits.sum(axis=1), sum(part.sum(axis=1) for part in to_misses)
    gamma = expit(np.log(of_hits) - np.log(of_misses) + miss - hit)
    to_hits *= -(gamma / of_hits)[:, None]
    for part in to_misses:
        part *= (gamma / of_misses)[:, None]
