"""Relief's sums over neighbours: how much farther off a row's misses are than its hits."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

#: Distances computed at a time, and differences of features summed at a time.
_DISTANCES, _DIFFERENCES = 2**20, 2**18

#: Distances that differ by less are equal: sums of equal terms in another order round differently.
_DIGITS = 10


def neighbour_margins(
    X: np.ndarray,
    y: np.ndarray,
    near: Callable[[np.ndarray], np.ndarray],
    log: logging.Logger,
) -> np.ndarray:
    r"""The mean over rows i of how much misses differ from row i, less how much hits do.

    .. math::
        W_f = \frac1n \sum_i \Bigl( \sum_{c \ne y_i} \frac{p_c}{\sum_{c' \ne y_i} p_{c'}}
            \operatorname*{mean}_{j \in N_i,\ y_j = c} |x_{if} - x_{jf}|
          - \operatorname*{mean}_{j \in N_i,\ y_j = y_i} |x_{if} - x_{jf}| \Bigr)

    with the shares :math:`p_c` of those classes that are among the neighbours :math:`N_i`; a mean
    over no row is 0. Equal columns get exactly equal values.

    Parameters
    ----------
    X : table with columns in [0, 1].
    y : class codes.
    near : function of some rows' city-block distances to all rows, infinite from a row to itself,
        that says which rows are neighbours, a line for each.
    """
    (n, d), share = X.shape, np.bincount(y) / len(y)
    of_class = (y[:, None] == np.arange(len(share))).astype(float)
    total = np.zeros(d)
    height = max(1, _DISTANCES // n)
    for first in range(0, n, height):
        rows = np.arange(first, min(first + height, n))
        distances = np.round(cdist(X[rows], X, "cityblock"), _DIGITS)
        distances[np.arange(len(rows)), rows] = np.inf
        chosen = near(distances)
        factors = _factors(chosen @ of_class, y[rows], share)
        lines, others = np.nonzero(chosen)
        for part in np.array_split(np.arange(len(lines)), max(1, len(lines) * d // _DIFFERENCES)):
            line, other = lines[part], others[part]
            differences = np.abs(X[rows[line]] - X[other])
            differences *= factors[line, y[other], None]
            # Summed row by row, not by BLAS, whose rounding depends on a column's place.
            total += differences.sum(axis=0)
        log.info("%d of %d rows compared", rows[-1] + 1, n)
    return total / n


def _factors(counts: np.ndarray, own: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The factor of the difference to a neighbour of each class, a line per row.

    ``counts`` has the neighbours of each row by class, ``own`` each row's class.
    """
    line = np.arange(len(own))
    weights = share * (counts > 0)
    weights[line, own] = 0.0
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    weights[line, own] = -1.0
    return weights / np.maximum(counts, 1.0)
