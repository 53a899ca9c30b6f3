"""Inconsistency of the classes of equal rows, while features are taken away."""

from __future__ import annotations

import numpy as np

from fslib.kernels.information import DiscreteTable


class RowHashes:
    """Equal rows found by a sum of random 64-bit codes, one per feature and level.

    Taking a feature away subtracts its codes. The class replaces the lowest bits, so that one sort
    brings equal rows together and, among them, equal classes. The codes are fixed; two different
    rows of a million collide with a probability below 1e-6.
    """

    def __init__(self, table: DiscreteTable, y: np.ndarray):
        rng = np.random.default_rng(0x1D07)
        self._table = table
        self._codes = rng.integers(0, 2**64, table.start[-1], dtype=np.uint64)
        self._y = y.astype(np.uint64)
        self._class_bits = np.uint64(int(y.max()).bit_length())
        self._hash = np.zeros(table.n_rows, dtype=np.uint64)
        for feature in range(table.n_features):
            self._hash += self._of(feature)

    def _of(self, feature: int) -> np.ndarray:
        start, end = self._table.start[feature : feature + 2]
        return self._codes[start:end][self._table.codes[feature]]

    def remove(self, feature: int) -> None:
        """Take a feature away."""
        self._hash -= self._of(feature)

    def inconsistency(self, without: int | None = None) -> float:
        """Share of rows outside the most frequent class of the rows equal to them."""
        hashes = self._hash if without is None else self._hash - self._of(without)
        keys = np.sort((hashes >> self._class_bits << self._class_bits) | self._y)
        cells = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        sizes = np.diff(cells, append=len(keys))
        patterns = keys[cells] >> self._class_bits
        groups = np.flatnonzero(np.concatenate([[True], patterns[1:] != patterns[:-1]]))
        return 1.0 - np.maximum.reduceat(sizes, groups).sum() / len(keys)
