"""Which rows of a table are equal on a subset of its columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

#: Codes are kept in a sparse matrix where fewer than this share of them differ from 0.
_SPARSE = 0.05
#: Columns copied at a time: single ones of a wide table are slow to collect.
_TOGETHER = 64


class EqualRows:
    """Groups of equal rows, on any columns, where at most ``share`` of the rows are distinct.

    Every column and value has a random code; rows are equal on a subset of columns if the sums of
    their codes are. 64 random bits make anything else as good as impossible. The median of a column
    has the code 0, so that texts, most of which lack any given term, have few codes.
    """

    def __init__(self, X: np.ndarray, share: float):
        n, d = X.shape
        self._n, self._share = n, share
        random = np.random.default_rng(0)
        multipliers = random.integers(2**64, size=d, dtype=np.uint64) | np.uint64(1)
        self._n_distinct = np.empty(d, dtype=np.intp)
        rows, codes = [], []
        for column, values in enumerate(_columns(X)):
            differs = np.flatnonzero(values != np.sort(values)[n // 2])
            distinct, rank = np.unique(values[differs], return_inverse=True)
            self._n_distinct[column] = len(distinct) + 1
            rows.append(differs)
            codes.append((rank.astype(np.uint64) + np.uint64(1)) * multipliers[column])
        self._codes = None
        if (self._n_distinct <= share * n).any():
            ends = np.cumsum([0, *map(len, rows)])
            entries = np.concatenate(codes), np.concatenate(rows), ends
            self._codes = csr_array(entries, shape=(d, n))
            if self._codes.nnz > _SPARSE * n * d:
                self._codes = self._codes.toarray()

    def sums(self, subset: np.ndarray) -> np.ndarray | None:
        """Sum of each row's codes, the same for equal rows; None where every column of the table
        alone has more distinct values than the constructor's ``share`` allows.
        """
        return None if self._codes is None else self._codes[subset].sum(axis=0)

    def groups(self, subset: np.ndarray, share: float | None = None) -> np.ndarray | None:
        """A group number per row, the same for equal rows; None if too many rows are distinct.

        ``share`` is the largest share of distinct rows on ``subset``; None is the constructor's.
        """
        enough = self._n * (self._share if share is None else share)
        if self._codes is None or self._n_distinct[subset].max() > enough:
            return None
        distinct, group = np.unique(self.sums(subset), return_inverse=True)
        return group if len(distinct) <= enough else None


def distinct_rows(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The first of each group of rows equal on all columns, each row's group, and their sizes."""
    # Adding 0 makes equal bytes of equal numbers: there is a negative zero.
    rows = np.ascontiguousarray(table + table.dtype.type(0))
    whole_rows = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    found = np.unique(whole_rows, return_index=True, return_inverse=True, return_counts=True)
    return found[1:]


def _columns(X: np.ndarray) -> Iterator[np.ndarray]:
    """The columns of a table, contiguous."""
    for first in range(0, X.shape[1], _TOGETHER):
        yield from np.ascontiguousarray(X[:, first : first + _TOGETHER].T)
