"""Absolute differences of all pairs of rows, weighted by feature or by pair."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

#: Bytes of maxima that are computed at a time: they stay in a core's second cache.
_MADE = 3 * 2**18
#: The fewest and the most features whose maxima are computed at a time.
_FEWEST, _MOST = 64, 256
#: BLAS is quick on multiples of this number of columns.
_COLUMNS = 8
#: Numpy copies a broadcast operand along runs of memory shorter than a third of its buffer.
_BUFFER = 1024


@contextmanager
def short_buffer():
    """Let numpy broadcast along runs of some hundred values without copying them."""
    before = np.setbufsize(_BUFFER)
    try:
        yield
    finally:
        np.setbufsize(before)


def pairs_by_lag(n: int) -> tuple[np.ndarray, np.ndarray]:
    """First and second rows of all pairs: every row with the next one, then with the next but one.

    The row after the last is the first.

    >>> [side.tolist() for side in pairs_by_lag(4)]
    [[0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 2, 3]]
    """
    n_pairs, rows = n * (n - 1) // 2, np.arange(n + n // 2) % n
    return np.resize(rows[:n], n_pairs), sliding_window_view(rows[1:], n).reshape(-1)[:n_pairs]


class StoredDifferences:
    """``|x_i - x_j|`` of all pairs in the order of :func:`pairs_by_lag`, in one matrix."""

    def __init__(self, X: np.ndarray, dtype: type):
        n, d = X.shape
        n_pairs = n * (n - 1) // 2
        # Long runs of memory are read twice as fast: the longer axis is the contiguous one.
        order = "C" if d > n_pairs else "F"
        self._stored = np.empty((n_pairs, d), dtype, order)
        rows = np.concatenate([X, X[: n // 2]]).astype(dtype, order=order)
        for lag, begin in enumerate(range(0, n_pairs, n), start=1):
            pairs = self._stored[begin : begin + n]
            np.subtract(rows[lag : lag + len(pairs)], rows[: len(pairs)], out=pairs)
        np.abs(self._stored, out=self._stored)

    def distances(self, weights: np.ndarray) -> np.ndarray:
        """``sum_f w_f |x_if - x_jf|`` of every pair."""
        return (self._stored @ weights.astype(self._stored.dtype)).astype(np.float64)

    def combine(self, coefficients: np.ndarray) -> np.ndarray:
        """``sum_ij c_ij |x_if - x_jf|`` over all pairs, of every feature."""
        return (coefficients.astype(self._stored.dtype) @ self._stored).astype(np.float64)


class MadeDifferences:
    r"""The same sums as of :class:`StoredDifferences`, from differences that are never stored.

    As :math:`|a - b| = 2 \max(a, b) - a - b`, sums of differences are sums of maxima, which are
    computed in blocks that stay in the cache. With the first rows repeated below the last, the
    maxima of several lags are one call on an overlapping view; lag 0 gives the rows themselves.
    """

    def __init__(self, X: np.ndarray, dtype: type, pairs: tuple[np.ndarray, np.ndarray]):
        self._X, self._dtype = X, np.dtype(dtype)
        self._first, self._second = pairs

    def distances(self, weights: np.ndarray) -> np.ndarray:
        """``sum_f w_f |x_if - x_jf|`` of every pair."""
        n, weights = len(self._X), weights.astype(self._dtype)
        sums = np.zeros(n + len(self._first))
        for features, terms, maxima in self._maxima():
            sums[terms] += maxima @ weights[features]
        of_row, of_pair = sums[:n], sums[n:]
        return np.maximum(2 * of_pair - of_row[self._first] - of_row[self._second], 0.0)

    def combine(self, coefficients: np.ndarray) -> np.ndarray:
        """``sum_ij c_ij |x_if - x_jf|`` over all pairs, of every feature."""
        n, d = self._X.shape
        of_row = sum(np.bincount(side, coefficients, n) for side in (self._first, self._second))
        factors = np.concatenate([-of_row, 2 * coefficients]).astype(self._dtype)
        totals = np.zeros(d)
        for features, terms, maxima in self._maxima():
            totals[features] += factors[terms] @ maxima
        return totals

    def _maxima(self) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Maxima block by block: (features, terms, values), where a term is a row or a pair."""
        (n, d), size = self._X.shape, self._dtype.itemsize
        n_lags, n_terms = n // 2 + 1, n + len(self._first)
        n_blocks = -(-d // min(max(_MADE // (n * n_lags * size), _FEWEST), _MOST))
        width = -(-d // (n_blocks * _COLUMNS)) * _COLUMNS
        at_once = min(max(1, _MADE // (n * width * size)), n_lags)
        block = np.zeros((n + n // 2, width), self._dtype)
        lagged = np.moveaxis(sliding_window_view(block, n, axis=0), -1, 1)
        made = np.empty((at_once, n, width), self._dtype)
        for begin in range(0, d, width):
            features = slice(begin, min(begin + width, d))
            block[:n, : features.stop - begin] = self._X[:, features]
            block[n:] = block[: n // 2]
            for lag in range(0, n_lags, at_once):
                terms = slice(lag * n, min((lag + at_once) * n, n_terms))
                lags = lagged[lag : lag + at_once]
                with short_buffer():
                    np.maximum(lags, block[:n], out=made[: len(lags)])
                maxima = made.reshape(-1, width)[: terms.stop - terms.start]
                yield features, terms, maxima[:, : features.stop - begin]
