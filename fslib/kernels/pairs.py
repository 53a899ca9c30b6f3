"""Mutual information of all pairs of discrete features at once.

Two exact ways to count every contingency table, the cheaper one is taken:

* one fused count per feature against all later ones (any arity);
* one matrix product of indicator columns. A float32 holds integers up to 2**24 exactly, so several
  counts fit into one number, each in as many bits as its level's own count needs; and the most
  frequent level is left out, since it follows from the marginal count.
"""

from __future__ import annotations

import numpy as np

from fslib.kernels.information import BLOCK, DiscreteTable

_BITS = 24
_DIGITS = 4
_FEATURES_PER_PRODUCT = 64

# Measured costs of one row or cell, in nanoseconds; only their ratio matters.
_COUNT_ROW, _COUNT_CELL = 2.0, 1.0
_PRODUCT_ROW, _PRODUCT_CELL = 0.023, 10.0


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
    packing = _Packing(table)
    n, d, levels = table.n_rows, table.n_features, table.start[-1]
    counting = d * d * n * _COUNT_ROW + levels * levels * _COUNT_CELL
    product = levels * packing.n_columns * (n * _PRODUCT_ROW + _PRODUCT_CELL)
    sums = np.empty((d, d))
    if counting < product or n >= 2**_BITS:
        _by_counting(table, sums)
    else:
        _by_product(table, packing, sums)
    lower = np.tril_indices(d, -1)
    sums[lower] = sums.T[lower]
    return sums


def _by_counting(table: DiscreteTable, sums: np.ndarray) -> None:
    for feature in range(table.n_features):
        sums[feature, feature:] = table.joint_sums(
            table.codes[feature], table.levels[feature], first=feature
        )


class _Packing:
    """Which bits of which column hold the count of each level."""

    def __init__(self, table: DiscreteTable):
        n_levels = table.start[-1]
        owner = np.repeat(np.arange(table.n_features), table.levels)
        by_count = np.lexsort((-table.counts, owner))
        widths = [int(count).bit_length() for count in table.counts[by_count]]
        firsts = set(table.start[:-1].tolist())
        column, used, digit = -1, 0, 0
        columns, shifts, digits = [0] * n_levels, [-1] * n_levels, [0] * n_levels
        column_start = []
        for position, (level, width) in enumerate(zip(by_count.tolist(), widths, strict=True)):
            if position in firsts:  # the most frequent level of the next feature: left out
                column, used, digit = column + 1, 0, 0
                column_start.append(column)
                columns[level] = column
                continue
            if used + width > _BITS or digit == _DIGITS:
                column, used, digit = column + 1, 0, 0
            columns[level], shifts[level], digits[level] = column, used, digit
            used, digit = used + width, digit + 1
        self.n_columns = column + 1
        self.column_start = np.array([*column_start, self.n_columns])
        self.column = np.array(columns)
        shift = np.array(shifts)
        kept = shift >= 0
        self.weight = np.where(kept, 2.0 ** np.maximum(shift, 0), 0.0).astype(np.float32)
        self.shift = np.zeros((_DIGITS, self.n_columns), dtype=np.int32)
        self.mask = np.zeros((_DIGITS, self.n_columns), dtype=np.int32)
        where = np.array(digits)[kept], self.column[kept]
        self.shift[where] = shift[kept]
        self.mask[where] = [2 ** int(count).bit_length() - 1 for count in table.counts[kept]]


def _by_product(table: DiscreteTable, packing: _Packing, sums: np.ndarray) -> None:
    rows = np.arange(table.n_rows)
    packed = np.zeros((packing.n_columns, table.n_rows), dtype=np.float32)
    for feature, codes in enumerate(table.codes):
        level = codes + table.start[feature]
        packed[packing.column[level], rows] = packing.weight[level]
    for first in range(0, table.n_features, _FEATURES_PER_PRODUCT):
        last = min(first + _FEATURES_PER_PRODUCT, table.n_features)
        base, n_levels = table.start[first], table.start[last] - table.start[first]
        indicators = np.zeros((n_levels, table.n_rows), dtype=np.float32)
        indicators[table.codes[first:last] + (table.start[first:last] - base)[:, None], rows] = 1.0
        product = indicators @ packed[packing.column_start[first] :].T
        per_step = max(1, BLOCK * (last - first) // max(product.size, 1))
        for feature in range(first, last, per_step):
            _read_digits(
                table, packing, sums, product, first, slice(feature, min(feature + per_step, last))
            )


def _read_digits(table, packing, sums, product, first: int, features: slice) -> None:
    """``sum T[count]`` of the pairs of ``features`` with all features from ``first`` on."""
    columns = slice(packing.column_start[first], None)
    ids = slice(table.start[features.start], table.start[features.stop])
    numbers = product[ids.start - table.start[first] : ids.stop - table.start[first]]
    numbers = numbers.astype(np.int32)
    by_column = np.zeros(numbers.shape)
    counted = np.zeros(numbers.shape, dtype=np.int32)
    for shift, mask in zip(packing.shift[:, columns], packing.mask[:, columns], strict=True):
        digits = (numbers >> shift) & mask
        by_column += table.logs.T.take(digits)
        counted += digits
    edges = packing.column_start[first:-1] - columns.start
    left_out = table.counts[ids, None] - np.add.reduceat(counted, edges, axis=1)
    by_level = np.add.reduceat(by_column, edges, axis=1) + table.logs.T.take(left_out)
    sums[features, first:] = np.add.reduceat(by_level, table.start[features] - ids.start, axis=0)
