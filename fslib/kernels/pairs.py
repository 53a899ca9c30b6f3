"""Mutual information of all pairs of discrete features at once.

All contingency tables are counted exactly, in the cheaper of two ways:

* one count per feature, of its codes with those of all later features (for any number of levels);
* one matrix product of indicator columns. A float32 holds integers up to 2**24 exactly, so a number
  holds the counts of several levels, each in as many bits as the level's own count needs. The most
  frequent level is left out, since its count follows from the marginal count.
"""

from __future__ import annotations

import numpy as np

from fslib.kernels.equal_rows import distinct_rows
from fslib.kernels.information import DiscreteTable

_BITS = 24
_FEATURES_PER_PRODUCT = 16
#: Counts unpacked at a time: their buffers stay in a core's own cache.
_READ = 2**14

# Measured costs of one row or cell, in nanoseconds; only their ratio matters.
_COUNT_ROW, _COUNT_CELL = 1.0, 3.0
_PRODUCT_ROW, _PRODUCT_CELL = 0.014, 2.7


def pairwise_information(table: DiscreteTable) -> np.ndarray:
    """Mutual information of every pair of features, a symmetric matrix in nats."""
    joint = pairwise_sums(table)
    sums, levels = table.sums, table.levels
    return table.logs.information(joint, sums[:, None], levels[:, None], sums, levels)


def symmetrical_uncertainty(X: np.ndarray) -> np.ndarray:
    """``2 I(x;z) / (H(x) + H(z))`` of every pair of discrete columns; 1 for two constants.

    >>> symmetrical_uncertainty(np.array([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]]))
    array([[1., 0., 0.],
           [0., 1., 1.],
           [0., 1., 1.]])
    """
    table = DiscreteTable(X)
    entropies = table.entropies
    both = entropies[:, None] + entropies
    shared = 2 * pairwise_information(table)
    su = np.divide(shared, both, out=np.ones_like(both), where=both > 0)
    np.fill_diagonal(su, 1.0)
    return su


def pairwise_sums(table: DiscreteTable) -> np.ndarray:
    """``sum T[n_xz]`` of every pair of features."""
    n, d, levels = table.n_rows, table.n_features, table.start[-1]
    counting = d * d * n * _COUNT_ROW + levels * levels * _COUNT_CELL
    columns = _least_columns(table).sum()
    product = levels * (columns * n * _PRODUCT_ROW + levels * _PRODUCT_CELL)
    return _by_product(table) if product < counting and n < 2**_BITS else _by_counting(table)


def _by_counting(table: DiscreteTable) -> np.ndarray:
    sums = np.zeros((table.n_features, table.n_features))
    for f in range(table.n_features):
        sums[f, f:] = table.joint_sums(table.codes[f], table.levels[f], first=f)
    return sums + np.triu(sums, 1).T


def _bits(counts: np.ndarray) -> np.ndarray:
    return np.frexp(counts)[1].astype(np.int32)


def _least_columns(table: DiscreteTable) -> np.ndarray:
    """How many columns the counts of each feature's levels fill at least."""
    bits, start = _bits(table.counts), table.start[:-1]
    packed = np.add.reduceat(bits, start) - np.maximum.reduceat(bits, start)
    return np.maximum(1, -(-packed // _BITS))


class _Packing:
    """Which bits of which column hold the count of each level.

    Features are sorted by falling number of levels, so that the features with an i-th level are a
    slice. Levels and columns are sorted by feature.
    """

    def __init__(self, table: DiscreteTable):
        self.order = np.argsort(-table.levels, kind="stable")
        levels = table.levels[self.order]
        #: Each feature's first level, one more at the end; each level's feature and count.
        self.start = np.concatenate([[0], np.cumsum(levels)])
        self.owner = owner = np.repeat(np.arange(table.n_features), levels)
        moved = (table.start[self.order] - self.start[:-1])[owner]
        self.counts = table.counts[np.arange(len(owner)) + moved]
        by_count = np.lexsort((-self.counts, owner))
        bits = _bits(self.counts)
        #: Each level's column and its value there: 0 for the most frequent, which is left out.
        self.column, self.value = np.zeros((2, len(owner)), dtype=np.int32)
        #: Columns, shifts and masks of the second most frequent level of every feature that has
        #: one, then of the third, and so on.
        self.digits = []
        # First fit: a level goes to its feature's first column with room. Such a packing needs less
        # than twice the least number of columns.
        room = np.full((len(levels), 2 * _least_columns(table).max()), _BITS, dtype=np.int32)
        for rank in range(1, levels[0]):
            features = np.arange(np.searchsorted(-levels, -rank))
            level = by_count[self.start[features] + rank]
            column = (room[features] >= bits[level, None]).argmax(axis=1)
            shift = _BITS - room[features, column]
            room[features, column] -= bits[level]
            self.column[level], self.value[level] = column, 1 << shift
            self.digits.append((column, shift[:, None], (1 << bits[level, None]) - 1))
        n_columns = np.maximum(1, (room < _BITS).sum(axis=1))
        #: Each feature's first column, one more at the end.
        self.first_column = np.concatenate([[0], np.cumsum(n_columns)])
        self.column += self.first_column[owner]
        for column, _, _ in self.digits:
            column += self.first_column[: len(column)]


def _by_product(table: DiscreteTable) -> np.ndarray:
    packing = _Packing(table)
    d, start = table.n_features, packing.start
    # In a bootstrap more than a third of the rows are repeats.
    rows, _, times = distinct_rows(table.codes.T)
    codes = table.codes[packing.order][:, rows]
    levels = codes + start[:-1, None]
    columns = np.zeros((packing.first_column[-1], len(rows)), dtype=np.float32)
    columns[packing.column[levels], np.arange(len(rows))] = packing.value[levels] * times.astype(
        np.float32
    )
    reader = _DigitReader(packing, table.logs.T)
    sums = np.empty((d, d))
    for first in range(0, d, _FEATURES_PER_PRODUCT):
        last = min(first + _FEATURES_PER_PRODUCT, d)
        begin, end = start[[first, last]]
        owner = packing.owner[begin:end]
        own_code = (np.arange(begin, end) - start[owner]).astype(codes.dtype)
        indicators = (codes[owner] == own_code[:, None]).astype(np.float32)
        product = columns[packing.first_column[first] :] @ indicators.T
        by_level = reader.sums(product, first, packing.counts[begin:end])
        by_feature = np.add.reduceat(by_level, start[first:last] - begin, axis=1)
        sums[first:, first:last] = by_feature
        sums[first:last, first:] = by_feature.T
    back = np.argsort(packing.order)
    return sums[np.ix_(back, back)]


class _DigitReader:
    """Sums T over the counts packed in products, in buffers that stay in the cache."""

    def __init__(self, packing: _Packing, T: np.ndarray):
        self._packing, self._T = packing, T

    def sums(self, product: np.ndarray, first: int, counts: np.ndarray) -> np.ndarray:
        """``sum T[n]`` over the levels of each feature from ``first`` on, one line per feature.

        A column is one level of another feature: n counts the rows that have both levels.
        ``product`` has these counts, packed; ``counts`` the rows of each column's level.
        """
        d, edges = len(self._packing.order), self._packing.first_column
        total = np.zeros((d - first, len(counts)))
        step = min(d - first, max(1, _READ // len(counts)))
        shape = (step, len(counts))
        buffers = *np.empty((2, *shape), dtype=np.int32), np.empty(shape)
        for begin in range(first, d, step):
            end = min(begin + step, d)
            part = product[edges[begin] - edges[first] : edges[end] - edges[first]]
            block = total[begin - first : end - first]
            self._add(block, part.astype(np.int32), begin, counts, buffers)
        return total

    def _add(self, total, packed, begin, counts, buffers):
        here = slice(begin, begin + len(total))
        remaining = buffers[1][: len(total)]
        remaining[:] = counts
        for column, shift, mask in self._packing.digits:
            column = column[here] - self._packing.first_column[begin]
            n = len(column)
            if n == 0:
                break
            digits, _, values = (buffer[:n] for buffer in buffers)
            packed.take(column, axis=0, out=digits, mode="clip")  # unlike "raise", without a copy
            np.right_shift(digits, shift[here], out=digits)
            np.bitwise_and(digits, mask[here], out=digits)
            self._T.take(digits, out=values, mode="clip")
            total[:n] += values
            remaining[:n] -= digits
        total += self._T.take(remaining)
