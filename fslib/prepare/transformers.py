"""Columns of a frame and a study's preparation as scikit-learn transformers."""

from __future__ import annotations

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator, TransformerMixin

from fslib.data.dataset import Dataset
from fslib.data.features import as_numbers, dates_as_text, said
from fslib.data.gaps import DOUBTFUL, MISSING, Gaps, as_text
from fslib.prepare.stage import learned_on_all, prepared_values
from fslib.run.spelling import nearest


class Columns(TransformerMixin, BaseEstimator):
    """Picks columns of a pandas or polars frame by name, as an array of numbers.

    Cells mean what they mean to `fslib.data.read_own`: categories become their codes, and one that
    is not known gets a code of its own. An array is taken to have just these columns in this order.

    Parameters
    ----------
    names : list of str
    categories : dict of str to list of str
        What the codes 0, 1, … of categorical columns stand for.
    missing : list
        Values that stand for missing, beside the usual words.
    """

    def __init__(self, names, categories=None, missing=()):
        self.names = names
        self.categories = categories
        self.missing = missing

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X) -> np.ndarray:
        if not hasattr(X, "columns"):
            X = np.asarray(X, dtype=float)
            if X.ndim != 2 or X.shape[1] != len(self.names):
                raise ValueError(
                    f"an array must have the {len(self.names)} columns {list(self.names)} and no "
                    f"other, got shape {X.shape}; a frame may have any columns besides."
                )
            return X
        there = [str(name) for name in X.columns]
        for name in self.names:
            if name not in there:
                raise ValueError(f"there is no column {name!r}{nearest(name, there)}")
        return np.column_stack([self._numbers(name, X[name]) for name in self.names])

    def _numbers(self, name: str, values) -> np.ndarray:
        column = Gaps.of(self.missing).removed(_series(name, values))
        levels = (self.categories or {}).get(name)
        if levels is None:
            if column.dtype == pl.String:
                gone = column.str.strip_chars().is_in([*MISSING, *DOUBTFUL]).fill_null(False)
                column = column.set(gone, None)
            numbers = as_numbers(column)
            if numbers is None:
                plain = column.cast(pl.Float64, strict=False)
                strange = column.filter(plain.is_null() & column.is_not_null())[0]
                raise ValueError(f"column {name!r} holds {strange!r}, which is no number")
            return numbers.to_numpy()
        codes = {level: float(code) for code, level in enumerate(levels)}
        codes |= {level.lower(): codes[level] for level in levels if level.lower() not in codes}

        def code(value) -> float:
            if value is None:
                return np.nan
            text = said(value).strip()
            if text in codes or text.lower() in codes:
                return codes.get(text, codes.get(text.lower()))
            return np.nan if text in MISSING or text in DOUBTFUL else float(len(levels))

        return np.array([code(value) for value in dates_as_text(column)])


def _series(name: str, values) -> pl.Series:
    """A column of any frame as one of polars, null where a value is missing."""
    if isinstance(values, pl.Series):
        return as_text(values)
    gone = values.isna()
    known = [None if is_gone else value for value, is_gone in zip(values, gone, strict=True)]
    return pl.Series(name, known, strict=False)


class Preparation(TransformerMixin, BaseEstimator):
    """A study's preparation, learned on the rows that it is fitted on.

    Parameters
    ----------
    steps : list of str
        Names of preparation steps, as in a study.
    categories : dict of int to list of str
        Columns that hold codes of categories.
    missing_category : str
        ``level`` where a missing category is one of its own, ``median`` where the most frequent.
    """

    def __init__(self, steps, categories=None, missing_category="level"):
        self.steps = steps
        self.categories = categories
        self.missing_category = missing_category

    def fit(self, X, y):
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        data = Dataset(
            "table",
            X,
            codes,
            [str(i) for i in range(X.shape[1])],
            list(classes),
            categories=self.categories or {},
            metadata={"missing_category": self.missing_category},
        )
        self.learned_ = learned_on_all(data, list(self.steps))
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X) -> np.ndarray:
        return prepared_values(np.asarray(X, dtype=float), *self.learned_)
