"""Information about the class that a feature has beyond another: I(f; y | g)."""

from __future__ import annotations

import numpy as np

from fslib.kernels.information import BLOCK, CountLogs, DiscreteTable


class ConditionalInformation:
    """``I(f; y | g)`` for many pairs (f, g), by counting; every pair may differ.

    ``I(f; y | g) = (sum T[n_fgy] - sum T[n_fg] - sum T[n_gy] + sum T[n_g]) / N``
    """

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.table = DiscreteTable(X)
        self.y = y
        self._learn(self.table.logs, np.bincount(y), self.table.levels, self.table.sums)

    def _learn(self, logs: CountLogs, class_counts, levels, sums) -> None:
        self.logs, self.class_counts, self.levels, self.sums = logs, class_counts, levels, sums
        self.n_classes = len(class_counts)
        self.with_class = self._sums_with_class()
        class_sum = logs.T[class_counts].sum()
        #: I(f; y) of every feature.
        self.relevance = logs.information(self.with_class, sums, levels, class_sum, self.n_classes)

    def __call__(self, features: np.ndarray, given: np.ndarray) -> np.ndarray:
        """``I(features[i]; y | given[i])`` for each i."""
        triples, pairs = np.empty(len(features)), np.empty(len(features))
        step = max(1, BLOCK // self._pair_size())
        for begin in range(0, len(features), step):
            block = slice(begin, begin + step)
            triples[block], pairs[block] = self._joint_sums(features[block], given[block])
        cells = self.levels[features] * self.levels[given] * self.n_classes
        n_terms = 2 * np.minimum(cells, self.logs.n_rows) + 2 * self.levels[given]
        total = triples - pairs - self.with_class[given] + self.sums[given]
        return self.logs.per_row(total, n_terms)

    def _sums_with_class(self) -> np.ndarray:
        return self.table.joint_sums(self.y, self.n_classes)

    def _pair_size(self) -> int:
        return self.table.n_rows

    def _joint_sums(self, features: np.ndarray, given: np.ndarray):
        """``sum T[n_fgy]`` and ``sum T[n_fg]`` of a block of pairs."""
        table = self.table
        bounds = np.concatenate([[0], np.cumsum(self.levels[features] * self.levels[given])])
        cells = table.codes[features] * self.levels[given, None]
        cells += table.codes[given]
        cells += bounds[:-1, None]
        pairs = table.cell_sums(cells.ravel(), bounds)
        cells *= self.n_classes
        cells += self.y
        return table.cell_sums(cells.ravel(), bounds * self.n_classes), pairs


class BinaryConditionalInformation(ConditionalInformation):
    """``I(f; y | g)`` for features of at most two levels, on bit planes.

    Only the rows where both features are 1 are counted; the other cells are differences.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.planes = _bit_planes(X, X.min(axis=0))
        classes = np.arange(y.max() + 1) == y[:, None]
        self.class_planes = _bit_planes(classes, False)
        #: Ones of each feature in each class.
        self.ones = np.stack([_popcount(self.planes & plane) for plane in self.class_planes])
        ones, logs = self.ones.sum(axis=0), CountLogs(len(X))
        levels = 1 + (ones > 0)
        self._learn(logs, classes.sum(axis=0), levels, logs.T[ones] + logs.T[len(X) - ones])

    def _sums_with_class(self):
        T = self.logs.T
        return (T[self.ones] + T[self.class_counts[:, None] - self.ones]).sum(axis=0)

    def _pair_size(self):
        return self.planes.shape[1]

    def _joint_sums(self, features, given):
        T = self.logs.T
        both = self.planes[features] & self.planes[given]
        triples = np.zeros(len(features))
        totals = np.zeros((4, len(features)), dtype=np.int64)
        left = _popcount(both)
        for k, plane in enumerate(self.class_planes):
            together = left if k == self.n_classes - 1 else _popcount(both & plane)
            left = left - together
            f, g = self.ones[k, features], self.ones[k, given]
            neither = self.class_counts[k] - f - g + together
            cells = np.stack([together, f - together, g - together, neither])
            triples += T.take(cells).sum(axis=0)
            totals += cells
        return triples, T.take(totals).sum(axis=0)


def conditional_information(X: np.ndarray, y: np.ndarray) -> ConditionalInformation:
    """Bit planes if every feature has at most two levels, else counting."""
    low, high = X.min(axis=0), X.max(axis=0)
    binary = (high - low).max() <= 1 or ((X == low) | (X == high)).all()
    return (BinaryConditionalInformation if binary else ConditionalInformation)(X, y)


def _bit_planes(X: np.ndarray, zero) -> np.ndarray:
    """One row of 64-bit words per column of X: bits set where a value is not ``zero``."""
    n_rows, n_columns = X.shape
    words = np.zeros((n_columns, -(-n_rows // 64) * 8), dtype=np.uint8)
    zero = np.broadcast_to(zero, n_columns)
    for begin in range(0, n_columns, 256):  # few columns at a time stay in the cache
        columns = slice(begin, begin + 256)
        ones = np.ascontiguousarray((X[:, columns] != zero[columns]).T)
        words[columns, : -(-n_rows // 8)] = np.packbits(ones, axis=1)
    return words.view(np.uint64)


def _popcount(planes: np.ndarray) -> np.ndarray:
    return np.bitwise_count(planes).sum(axis=1, dtype=np.int64)
