"""A data set in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from fslib.data.errors import DataError


@dataclass(frozen=True)
class Dataset:
    """A named table with a class per row.

    >>> d = Dataset("toy", [[1.0], [2.0]], [0, 1], ["a"], ["no", "yes"])
    >>> d.X.shape, d.y.tolist(), d.essential is None
    ((2, 1), [0, 1], True)
    """

    name: str
    X: np.ndarray
    """Rows × features, float64; NaN where a value is missing."""
    y: np.ndarray
    """Class of each row, as an index into ``class_names``."""
    feature_names: list[str]
    """One unique name per column."""
    class_names: list[str]
    fold: np.ndarray | None = None
    """The data set's own parts (``train``, ``test``), one word per row."""
    group: np.ndarray | None = None
    """Rows of one group (a subject, a molecule) belong on the same side of a split."""
    time: np.ndarray | None = None
    """When each row was observed, as numbers: later rows are never used to predict earlier ones."""
    essential: np.ndarray | None = None
    """Indices of the columns that truly matter, where that is known."""
    categories: dict[int, list[str]] = field(default_factory=dict)
    """Columns that hold codes of categories, and what the codes 0, 1, … of each stand for."""
    metadata: dict[str, str] = field(default_factory=dict)
    """Title, citation, licence, provenance (JSON), notes and differences to the papers."""

    def __post_init__(self):
        def put(attribute, value):
            object.__setattr__(self, attribute, value)

        put("X", np.ascontiguousarray(self.X, dtype=np.float64))
        put("y", np.asarray(self.y, dtype=np.int64))
        put("feature_names", [str(n) for n in self.feature_names])
        put("class_names", [str(n) for n in self.class_names])
        for words in ("fold", "group"):
            if getattr(self, words) is not None:
                put(words, np.asarray(getattr(self, words), dtype=str))
        if self.time is not None:
            put("time", np.asarray(self.time, dtype=np.float64))
        if self.essential is not None:
            put("essential", np.sort(np.asarray(self.essential, dtype=np.int64)))
        self._check()

    @property
    def seed_name(self) -> str:
        """The name that seeds derive from: the data set's, or of an own table its content's."""
        return self.metadata.get("seed_name", self.name)

    def content_sha256(self) -> str:
        """Hash of the values and classes."""
        total = hashlib.sha256(self.X)
        total.update(self.y)
        return total.hexdigest()

    def _check(self) -> None:
        if self.X.ndim != 2 or 0 in self.X.shape:
            raise DataError(f"{self.name}: needs rows and features, found shape {self.X.shape}.")
        n, d = self.X.shape
        for what in ("y", "fold", "group", "time"):
            values = getattr(self, what)
            if values is not None and values.shape != (n,):
                raise DataError(f"{self.name}: {what} has shape {values.shape} for {n} rows.")
        if len(self.feature_names) != d:
            raise DataError(f"{self.name}: {len(self.feature_names)} names for {d} features.")
        if len(set(self.feature_names)) < d:
            repeated = Counter(self.feature_names).most_common(1)[0][0]
            raise DataError(f"{self.name}: feature name {repeated!r} occurs more than once.")
        if np.isinf(self.X).any():
            column = self.feature_names[np.flatnonzero(np.isinf(self.X).any(axis=0))[0]]
            raise DataError(f"{self.name}: feature {column!r} has infinite values.")
        present = np.unique(self.y)
        if present[0] < 0 or present[-1] >= len(self.class_names):
            raise DataError(f"{self.name}: y has codes outside 0..{len(self.class_names) - 1}.")
        if present.size < 2:
            only = self.class_names[present[0]]
            raise DataError(f"{self.name}: needs at least two classes, found only {only!r}.")
        for column, levels in self.categories.items():
            codes = self.X[:, column]
            if not np.isin(codes[~np.isnan(codes)], np.arange(len(levels))).all():
                name = self.feature_names[column]
                raise DataError(f"{self.name}: {name!r} has codes outside 0..{len(levels) - 1}.")
        if self.essential is not None and not (
            np.unique(self.essential).size == self.essential.size
            and ((self.essential >= 0) & (self.essential < d)).all()
        ):
            raise DataError(f"{self.name}: essential must name distinct columns below {d}.")


def unique_names(names) -> list[str]:
    """The names, with ``.2``, ``.3``, … added to the repeats of one.

    >>> unique_names(["a", "b", "a", "a.2"])
    ['a', 'b', 'a.3', 'a.2']
    """
    names = [str(n) for n in names]
    taken, seen, result = set(names), {}, []
    for name in names:
        count = seen[name] = seen.get(name, 0) + 1
        if count > 1:
            while f"{name}.{count}" in taken:
                count += 1
            seen[name] = count
            name = f"{name}.{count}"
            taken.add(name)
        result.append(name)
    return result
