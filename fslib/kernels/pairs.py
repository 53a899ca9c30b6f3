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
_FEATURES_PER_PRODUCT = 16

# Measured costs of one row or cell, in nanoseconds; only their ratio matters.
_COUNT_ROW, _COUNT_CELL = 2.0, 6.0
_PRODUCT_ROW, _PRODUCT_CELL = 0.023, 25.0


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
    by_product = product < counting and n < 2**_BITS
    upper = np.triu(_by_product(table, packing) if by_product else _by_counting(table))
    return upper + np.triu(upper, 1).T


def _by_counting(table: DiscreteTable) -> np.ndarray:
    sums = np.zeros((table.n_features, table.n_features))
    for f in range(table.n_features):
        sums[f, f:] = table.joint_sums(table.codes[f], table.levels[f], first=f)
    return sums


class _Packing:
    """Which bits of which column hold the count of each level.

    The columns of a feature lie in as many planes. Features with most columns come first, so
    that each plane holds the columns of the first so many features.
    """

    def __init__(self, table: DiscreteTable):
        owner = np.repeat(np.arange(table.n_features), table.levels)
        by_count = np.lexsort((-table.counts, owner))
        widths = np.frexp(table.counts[by_count])[1].tolist()  # bits of each count
        firsts = set(table.start[:-1].tolist())
        n_levels = len(widths)
        #: Of each level: its plane, its lowest bit there, and which digit of its column it is.
        self.plane, self.shift, self.digit = np.zeros((3, n_levels), dtype=np.int32)
        self.left_out = np.zeros(n_levels, dtype=bool)
        self.mask = np.empty(n_levels, dtype=np.int32)
        self.mask[by_count] = [2**width - 1 for width in widths]
        places = []
        plane = used = digit = 0
        for position, width in enumerate(widths):
            if position in firsts:  # the most frequent level of the next feature
                plane = used = digit = 0
                places.append((0, 0, 0))
                continue
            if used + width > _BITS or digit == _DIGITS:
                plane, used, digit = plane + 1, 0, 0
            places.append((plane, used, digit))
            used, digit = used + width, digit + 1
        self.plane[by_count], self.shift[by_count], self.digit[by_count] = np.array(places).T
        self.left_out[by_count[table.start[:-1]]] = True
        n_planes = np.maximum.reduceat(self.plane, table.start[:-1]) + 1
        self.n_columns = int(n_planes.sum())
        #: Features, those with most columns first, and how many have each plane.
        self.order = np.argsort(-n_planes, kind="stable")
        self.sizes = [int((n_planes > plane).sum()) for plane in range(n_planes.max())]

    def columns(self, table: DiscreteTable, plane: int) -> np.ndarray:
        """Packed values of one plane, one row per feature."""
        here = (self.plane == plane) & ~self.left_out
        weight = np.where(here, 2.0**self.shift, 0.0).astype(np.float32)
        features = self.order[: self.sizes[plane]]
        return weight[table.codes[features] + table.start[features, None]]

    def digits(self, table: DiscreteTable, plane: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Shift and mask by feature, for each digit of one plane."""
        position = np.empty(table.n_features, dtype=np.intp)
        position[self.order] = np.arange(table.n_features)
        place = np.repeat(position, table.levels)
        found = []
        for digit in range(_DIGITS):
            here = (self.plane == plane) & (self.digit == digit) & ~self.left_out
            if here.any():
                shift, mask = np.zeros((2, self.sizes[plane]), dtype=np.int32)
                shift[place[here]], mask[place[here]] = self.shift[here], self.mask[here]
                found.append((shift, mask))
        return found


def _by_product(table: DiscreteTable, packing: _Packing) -> np.ndarray:
    d, rows = table.n_features, np.arange(table.n_rows)
    codes, levels = table.codes[packing.order], table.levels[packing.order]
    start = np.concatenate([[0], np.cumsum(levels)])
    counts = np.concatenate(
        [table.counts[table.start[f] : table.start[f + 1]] for f in packing.order]
    )
    planes = [
        (packing.columns(table, plane), packing.digits(table, plane))
        for plane in range(len(packing.sizes))
    ]
    reader = _DigitReader(table.logs.T)
    sums = np.zeros((d, d))
    for first in range(0, d, _FEATURES_PER_PRODUCT):
        last = min(first + _FEATURES_PER_PRODUCT, d)
        indicators = np.zeros((start[last] - start[first], table.n_rows), dtype=np.float32)
        offsets = start[first:last] - start[first]
        indicators[codes[first:last] + offsets[:, None], rows] = 1.0
        products = [
            (indicators @ columns[first:].T, [(s[first:], m[first:]) for s, m in digits])
            for columns, digits in planes
            if len(columns) > first
        ]
        by_level = reader.sums(products, counts[start[first] : start[last]])
        sums[first:last, first:] = np.add.reduceat(by_level, offsets, axis=0)
    back = np.argsort(packing.order)
    whole = np.triu(sums) + np.triu(sums, 1).T
    return whole[np.ix_(back, back)]


class _DigitReader:
    """Sums T over the counts packed in products, in buffers that stay in the cache."""

    def __init__(self, T: np.ndarray):
        self._T = T
        self._numbers, self._shifted = np.empty((2, BLOCK), dtype=np.int32)
        self._digits, self._remaining = np.empty((2, BLOCK), dtype=np.int64)
        self._values = np.empty(BLOCK)

    def sums(self, products: list, counts: np.ndarray) -> np.ndarray:
        """For each level and feature the sum of T over the feature's levels."""
        n_levels, n_features = products[0][0].shape
        total = np.zeros((n_levels, n_features))
        step = max(1, BLOCK // n_features)
        for begin in range(0, n_levels, step):
            block = slice(begin, min(begin + step, n_levels))
            self._add(total[block], [(p[block], d) for p, d in products], counts[block])
        return total

    def _add(self, total, products, counts):
        n_rows, n_features = total.shape
        remaining = _shaped(self._remaining, n_rows, n_features)
        remaining[:] = counts[:, None]
        for product, digits in products:
            shape = product.shape
            numbers, shifted = _shaped(self._numbers, *shape), _shaped(self._shifted, *shape)
            digit, values = _shaped(self._digits, *shape), _shaped(self._values, *shape)
            numbers[:] = product
            for shift, mask in digits:
                np.right_shift(numbers, shift, out=shifted)
                np.bitwise_and(shifted, mask, out=digit)
                self._T.take(digit, out=values, mode="clip")  # unlike "raise", without a copy
                total[:, : shape[1]] += values
                remaining[:, : shape[1]] -= digit
        total += self._T.take(remaining)


def _shaped(buffer: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    return buffer[: n_rows * n_columns].reshape(n_rows, n_columns)
