"""Entropies and mutual information of discrete features, from exact counts.

All quantities are sums of ``T[n] = n log n`` over cells of a contingency table::

    H(x)   = (T[N] - sum T[n_x]) / N
    I(x;z) = (sum T[n_xz] - sum T[n_x] - sum T[n_z] + T[N]) / N          (natural logarithm)

``T`` is rounded to a fixed point such that every such sum is exact in float64. So a value does not
depend on the order of rows, on the labels of levels or on which kernel counted, and equal tables
give equal scores: ties are real ties.
"""

from __future__ import annotations

import numpy as np

#: Cells worked on at a time: small enough for the cache, fixed so that results are too.
BLOCK = 2**16


class CountLogs:
    """``T[k] = k log k`` for k = 0..n, rounded to multiples of a power of two.

    Sums of T over the cells of any table of n rows stay below ``2 T[n]``; with 51 bits below that
    they are exact.
    """

    def __init__(self, n_rows: int):
        k = np.arange(n_rows + 1, dtype=np.float64)
        exact = k * np.log(np.maximum(k, 1.0))
        self.n_rows = n_rows
        self.unit = 2.0 ** (np.ceil(np.log2(exact[-1] + 1)) - 51)
        self.T = np.round(exact / self.unit) * self.unit

    def per_row(self, total, n_terms) -> np.ndarray:
        """A sum of ``n_terms`` values of T, per row; 0 where it may be the rounding of T alone."""
        return np.where(total > n_terms * (self.unit / 2), total, 0.0) / self.n_rows

    def information(self, joint, sums_x, levels_x, sums_z, levels_z) -> np.ndarray:
        """Mutual information from joint and marginal sums."""
        n_terms = np.minimum(levels_x * levels_z, self.n_rows) + levels_x + levels_z + 1
        return self.per_row(joint - sums_x - sums_z + self.T[-1], n_terms)


class DiscreteTable:
    """A table of discrete features, feature-major, levels that do not occur dropped.

    Parameters
    ----------
    X : array of int, shape (rows, features)
        Codes of any value and arity.
    """

    def __init__(self, X: np.ndarray):
        self.n_rows, self.n_features = X.shape
        self.logs = CountLogs(self.n_rows)
        #: Codes ``0 .. levels-1``, one row per feature; rows of each level; and the position of
        #: each feature's first level among all levels (one more at the end).
        self.codes, self.counts, self.start = _dense_codes(X)
        #: Number of levels of each feature.
        self.levels = np.diff(self.start)
        #: sum T[n_x] of each feature.
        self.sums = np.add.reduceat(self.logs.T[self.counts], self.start[:-1])

    def joint_sums(self, z: np.ndarray, n_levels: int, first: int = 0) -> np.ndarray:
        """``sum T[n_xz]`` of every feature x, from ``first`` on, with one variable z of codes
        ``0 .. n_levels-1``."""
        sums = np.empty(self.n_features - first)
        per_block = max(1, BLOCK // self.n_rows)
        # Integers of 32 bits are quicker to multiply; bincount wants 64. Blocks share the buffers.
        kind = np.int32 if self.levels.max() * per_block * n_levels < 2**31 else np.int64
        numbers = np.empty((per_block, self.n_rows), dtype=kind)
        cells = np.empty((per_block, self.n_rows), dtype=np.int64)
        z = z.astype(kind)
        for begin in range(first, self.n_features, per_block):
            end = min(begin + per_block, self.n_features)
            bounds = (self.start[begin : end + 1] - self.start[begin]) * n_levels
            number, cell = numbers[: end - begin], cells[: end - begin]
            np.multiply(self.codes[begin:end], kind(n_levels), out=number)
            number += z
            np.add(number, bounds[:-1, None].astype(kind), out=cell)
            sums[begin - first : end - first] = self.cell_sums(cell.ravel(), bounds)
        return sums

    def cell_sums(self, cells: np.ndarray, bounds: np.ndarray) -> np.ndarray:
        """``sum T[count]`` over the cells numbered ``bounds[i] .. bounds[i+1]-1``, for each i."""
        if bounds[-1] <= 4 * cells.size + BLOCK:
            counts, edges = np.bincount(cells, minlength=bounds[-1]), bounds[:-1]
        else:  # far more cells than rows: count only those that occur
            occurring, counts = np.unique(cells, return_counts=True)
            edges = np.searchsorted(occurring, bounds[:-1])
        return np.add.reduceat(self.logs.T.take(counts), edges)

    def relevance(self, z: np.ndarray, n_levels: int) -> np.ndarray:
        """Mutual information of every feature with one variable of codes ``0 .. n_levels-1``."""
        sum_z = self.logs.T[np.bincount(z, minlength=n_levels)].sum()
        joint = self.joint_sums(z, n_levels)
        return self.logs.information(joint, self.sums, self.levels, sum_z, n_levels)

    def redundancy(self, feature: int) -> np.ndarray:
        """Mutual information of every feature of the table with one feature of it."""
        return self.relevance(self.codes[feature], self.levels[feature])

    def uncertainty(self, z: np.ndarray, n_levels: int) -> np.ndarray:
        """Symmetrical uncertainty ``2 I(x;z) / (H(x) + H(z))`` of every feature x with one variable
        of codes ``0 .. n_levels-1``; 0 for two constants."""
        occurring = self.logs.T[np.bincount(z, minlength=n_levels)].sum()
        both = self.entropies + (self.logs.T[-1] - occurring) / self.n_rows
        shared = 2 * self.relevance(z, n_levels)
        return np.divide(shared, both, out=np.zeros_like(both), where=both > 0)

    @property
    def entropies(self) -> np.ndarray:
        """Entropy of each feature, in nats."""
        return (self.logs.T[-1] - self.sums) / self.n_rows


def _dense_codes(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = X.min(axis=0), X.max(axis=0)
    far_apart = np.flatnonzero(high - low >= max(4 * len(X), 256))
    largest = (high - low).max() if not far_apart.size else max(4 * len(X), 256)
    codes = np.empty(X.shape[::-1], dtype=np.min_scalar_type(largest))
    for rows in _slices(X.shape[0], 256):  # tile by tile: a plain transposed copy misses the cache
        for columns in _slices(X.shape[1], 256):
            codes[columns, rows] = (X[rows, columns] - low[columns]).T
    for column in far_apart:
        codes[column] = np.unique(X[:, column], return_inverse=True)[1]
    spans = codes.max(axis=1).astype(np.intp) + 1
    start = np.concatenate([[0], np.cumsum(spans)])
    counts = np.empty(start[-1], dtype=np.intp)
    for block in _slices(len(codes), max(1, BLOCK // len(X))):
        begin, end = start[block.start], start[block.stop]
        cells = codes[block] + (start[block] - begin)[:, None]
        counts[begin:end] = np.bincount(cells.ravel(), minlength=end - begin)
    occurring = counts > 0
    if not occurring.all():
        number = np.concatenate([[0], np.cumsum(occurring)])
        for feature in np.flatnonzero(np.diff(number[start]) < spans):
            begin, end = start[feature], start[feature + 1]
            codes[feature] = (number[begin:end] - number[begin])[codes[feature]]
        counts, start = counts[occurring], number[start]
    return codes, counts, start


def _slices(length: int, step: int) -> list[slice]:
    return [slice(begin, min(begin + step, length)) for begin in range(0, length, step)]


def mutual_information(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mutual information, in nats, of each discrete column of ``X`` with the codes ``y``.

    >>> mutual_information(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1, 1]))
    array([0.69314718, 0.        ])
    """
    return DiscreteTable(X).relevance(y, int(y.max()) + 1)
