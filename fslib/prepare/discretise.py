"""Discretisation of a whole table by its own statistics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # every plan imports this module
    from scipy.sparse import sparray, spmatrix

#: Cells of a sparse table that are made dense at a time.
_CELLS = 2**22


def bin_codes(X: np.ndarray, low: np.ndarray, high: np.ndarray, bins: int) -> np.ndarray:
    """``floor((x - min)/(max - min) * bins)``, clipped to ``0 .. bins-1``; constants are 0.

    Formulas that look equivalent differ at bin edges, so this one is used everywhere.
    """
    codes = X - low
    codes /= np.where(high > low, high - low, 1.0)
    codes *= bins
    np.floor(codes, out=codes)
    return np.clip(codes, 0, bins - 1, out=codes).astype(np.int64)


def sigma_codes(X: np.ndarray, mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """0, 1, 2 for values below, within, above mean ± half a deviation; edges get the lower code."""
    return (X > mean - 0.5 * deviation).astype(np.int64) + (X > mean + 0.5 * deviation)


def equal_width(X, bins: int) -> np.ndarray:
    """Codes ``0 .. bins-1`` of equal-width bins per column, the maximum in the last bin.

    >>> equal_width([[0.0], [0.5], [1.0]], 2).ravel().tolist()
    [0, 1, 1]
    """
    X = np.asarray(X, dtype=np.float64)
    return bin_codes(X, X.min(axis=0), X.max(axis=0), bins)


def binarise_by_mean(X) -> np.ndarray:
    """1 where a value exceeds its column's mean, else 0.

    >>> binarise_by_mean([[0.0], [1.0], [5.0]]).ravel().tolist()
    [0, 0, 1]
    """
    X = np.asarray(X, dtype=np.float64)
    return (X > X.mean(axis=0)).astype(np.int64)


def sigma3(X) -> np.ndarray:
    """Three states: below, within and above mean +/- half a standard deviation.

    >>> sigma3([[0.0], [1.0], [2.0]]).ravel().tolist()
    [0, 1, 2]
    """
    X = np.asarray(X, dtype=np.float64)
    return sigma_codes(X, X.mean(axis=0), X.std(axis=0))


def codes_of_sparse(
    X: sparray | spmatrix, codes_of: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Codes of a table of compressed columns, in the smallest type that holds them all.

    ``codes_of`` makes codes of a few dense columns. Each column's lowest code becomes 0.

    >>> from scipy.sparse import csc_array
    >>> codes_of_sparse(csc_array([[0.0, 2.0], [5.0, 0.0]]), lambda X: X.astype(int)).tolist()
    [[0, 2], [5, 0]]
    """
    codes = np.zeros(X.shape, np.uint8, order="F")
    width = max(1, _CELLS // X.shape[0])
    for begin in range(0, X.shape[1], width):
        columns = slice(begin, begin + width)
        block = codes_of(X[:, columns].toarray())
        block = block - block.min(axis=0)
        codes = codes.astype(
            np.promote_types(codes.dtype, np.min_scalar_type(block.max())), "F", copy=False
        )
        codes[:, columns] = block
    return codes
