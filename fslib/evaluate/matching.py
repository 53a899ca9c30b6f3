"""Similarity of two feature sequences by matching their features, for every prefix length.

Gulgezen, Cataltepe & Yu (2009), section 3: the first k features of both sequences are matched one
to one such that the sum of their symmetrical uncertainties (SU) is greatest; the similarity is the
mean over the matched pairs.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from fslib.kernels.pairs import symmetrical_uncertainty

_ROUNDING = 1e-12


class SUMatching:
    """Matches sequences of the columns of one discrete table.

    A feature in both prefixes may be matched with itself, and only the others need an assignment,
    if ``1 - SU(a, b) <= (1 - SU(a, f)) + (1 - SU(f, b))`` for it and all a and b: whatever is
    matched with the two copies of f loses nothing by being matched with each other. SU does not
    promise that, so it is checked once per feature; features that fail stay in the assignment, and
    the result is exact in any case.

    Parameters
    ----------
    X : array of int, shape (rows, features)
        Codes of the discrete features; the two sequences hold column indices.
    """

    def __init__(self, X: np.ndarray):
        X = np.asarray(X)
        if not np.issubdtype(X.dtype, np.integer):
            raise ValueError(
                f"symmetrical uncertainty counts values and needs integer codes, got {X.dtype}; "
                f"discretise first: fslib.prepare.equal_width(X, 10)."
            )
        self.su = symmetrical_uncertainty(X)
        self._distances = 1 - self.su
        #: Features that may be matched with themselves.
        self.certified = ~_between(self.su)

    def __call__(self, order_a, order_b) -> np.ndarray:
        """Similarity of the first 1, 2, ... features, up to the shorter sequence's length."""
        order_a, order_b = (np.asarray(order, dtype=np.intp) for order in (order_a, order_b))
        for order in (order_a, order_b):
            if len(np.unique(order)) != len(order):
                raise ValueError("a feature sequence must not name a feature twice")
        length = min(len(order_a), len(order_b))
        order_a, order_b = order_a[:length], order_b[:length]
        # Where both add the same feature, and it is matched with itself, nothing else changes.
        changes = (order_a != order_b) | ~self.certified[order_a]
        lost = np.concatenate([[0.0], self._lost(order_a, order_b, np.flatnonzero(changes))])
        return 1 - lost[np.cumsum(changes)] / np.arange(1, length + 1)

    def _lost(self, order_a, order_b, steps) -> np.ndarray:
        """By how much the sum of the matched pairs' SU falls short of their number."""
        in_a, in_b = (self._prefixes(order, steps) for order in (order_a, order_b))
        settled = in_a & in_b & self.certified
        of_step, rows = np.nonzero(in_a & ~settled)
        columns = np.nonzero(in_b & ~settled)[1]
        first = rows * len(self.su)
        bounds = np.searchsorted(of_step, np.arange(len(steps) + 1)).tolist()
        for begin, end in pairwise(bounds):
            block = self._distances.take(first[begin:end, None] + columns[begin:end])
            columns[begin:end] = columns[begin:end][linear_sum_assignment(block)[1]]
        return np.bincount(of_step, self._distances[rows, columns], minlength=len(steps))

    def _prefixes(self, order: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Which features a sequence has named by each of some steps, one row each."""
        position = np.full(len(self.su), len(order))
        position[order] = np.arange(len(order))
        return position <= steps[:, None]


def _between(su: np.ndarray) -> np.ndarray:
    """Which features f lie between two others: SU(a, f) + SU(f, b) > 1 + SU(a, b).

    Only features with SU(a, f) > 1 - max SU(f, .) can be a or b; there are few of them.
    """
    between = np.zeros(len(su), dtype=bool)
    for f, row in enumerate(su):
        near = row.copy()
        near[f] = -1.0
        ends = np.flatnonzero(near + near.max() > 1 + _ROUNDING)
        if len(ends) > 1:
            excess = row[ends][:, None] + row[ends] - 1 - su[np.ix_(ends, ends)]
            between[f] = (excess > _ROUNDING).any()
    return between
