"""Categories as numbers, learned on training rows: as codes, or as one column for each category.

A category with fewer than 1 % of the training rows (and at least three rows) is rare, and all rare
ones are one category together. A category that no training row has is taken for a rare one where
there are such, else for the most frequent one. A missing category is one of its own, or the most
frequent one, as the data set says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fslib.data.dataset import Dataset

_RARE_SHARE, _RARE_ROWS = 0.01, 3
#: Codes that stand for no category of the data set's own.
_MISSING, _UNKNOWN = -1, -2


@dataclass(frozen=True)
class Levels:
    """For each category of each categorical column the code that it has in one split."""

    feature: np.ndarray
    level: np.ndarray
    code: np.ndarray

    @classmethod
    def fit(cls, data: Dataset, rows: np.ndarray) -> Levels:
        fill = data.metadata.get("missing_category", "level") == "median"
        learned = [
            (column, level, code)
            for column, levels in sorted(data.categories.items())
            for level, code in _codes(data.X[rows, column], len(levels), fill).items()
        ]
        return cls(*(np.array(values, dtype=np.int64) for values in zip(*learned, strict=True)))

    def coded(self, X: np.ndarray) -> np.ndarray:
        """The table with the codes of this split in its categorical columns."""
        X = X.copy()
        for column, of in self._by_feature().items():
            found = np.where(np.isnan(X[:, column]), _MISSING, X[:, column]).astype(np.int64)
            codes = np.full(max(*of, found.max(initial=0)) + 3, of[_UNKNOWN])
            codes[list(of)] = list(of.values())  # negative ones stand at the end
            X[:, column] = codes[found]
        return X

    def one_hot(self, X: np.ndarray) -> np.ndarray:
        """The table with one column for each code; one in all where there are two codes at most."""
        X, blocks, done = self.coded(X), [], 0
        for column, of in self._by_feature().items():
            blocks.append(X[:, done:column])
            n = _n_columns(of)
            own = X[:, [column]]
            blocks.append((own == np.arange(n)).astype(np.float64) if n > 1 else own)
            done = column + 1
        return np.hstack([*blocks, X[:, done:]])

    def features(self, d: int) -> np.ndarray:
        """The feature that each column of `one_hot` belongs to."""
        counts = np.ones(d, dtype=np.int64)
        for column, of in self._by_feature().items():
            counts[column] = _n_columns(of)
        return np.repeat(np.arange(d), counts)

    @property
    def columns(self) -> np.ndarray:
        """The categorical columns."""
        return np.unique(self.feature)

    def _by_feature(self) -> dict[int, dict[int, int]]:
        return {
            int(column): dict(zip(self.level[own].tolist(), self.code[own].tolist(), strict=True))
            for column in self.columns
            for own in [self.feature == column]
        }


def _n_columns(codes: Mapping[int, int]) -> int:
    n = max(codes.values()) + 1
    return n if n > 2 else 1


def _codes(values: np.ndarray, n_levels: int, fill: bool) -> dict[int, int]:
    """The code of each category that the training rows have, of a missing and of an unknown one."""
    known = values[~np.isnan(values)].astype(np.int64)
    counts = dict(enumerate(np.bincount(known, minlength=n_levels).tolist()))
    if not fill:
        counts[_MISSING] = len(values) - len(known)
    least = max(_RARE_ROWS, _RARE_SHARE * len(values))
    kept = [level for level, n in counts.items() if n >= least]
    rare = [level for level, n in counts.items() if 0 < n < least]
    codes = {level: code for code, level in enumerate(kept)}
    codes |= dict.fromkeys(rare, len(kept))
    frequent = max(codes, key=lambda level: counts[level], default=_UNKNOWN)
    most = codes.get(frequent, 0)
    codes[_UNKNOWN] = len(kept) if rare else most
    codes.setdefault(_MISSING, most if fill else codes[_UNKNOWN])
    return codes
