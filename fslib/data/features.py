"""A column of any type as numbers: the numbers themselves, or codes of categories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from fslib.data.errors import DataError

#: A column of text is taken for damaged numbers where more than this share of it are numbers …
MIXED = 0.9
#: … and these have more than so many different values; otherwise the words are categories.
_MANY = 20


@dataclass(frozen=True)
class Feature:
    """One column as numbers; NaN where a value is missing."""

    name: str
    values: np.ndarray
    levels: list[str] | None = None
    """What the codes of a categorical column stand for, in their order."""
    stray: tuple[int, str] | None = None
    """Row (from 1) and content of the first cell that is no number, where nearly all others are."""


def feature_of(path: Path, column: pl.Series, categorical: bool) -> Feature:
    """A column as numbers, or as codes of categories if it is text, true/false, or said to be."""
    kind = column.dtype
    if kind == pl.Boolean:
        column = column.cast(pl.Int8).cast(pl.Float64)
        return Feature(column.name, _floats(column), ["false", "true"])
    if kind == pl.Null:
        return Feature(column.name, _floats(column.cast(pl.Float64)))
    if kind.is_temporal():
        column = column.to_physical()
    elif kind == pl.String:
        numbers = _numbers(column)
        if numbers is None:
            return _of_text(column, categorical)
        column = numbers
    elif not kind.is_numeric():
        raise DataError(f"{path}: column {column.name!r} holds {kind}, which is no feature.")
    if not categorical:
        return Feature(column.name, _floats(column.cast(pl.Float64)))
    numbers = column.cast(pl.Float64)
    levels = numbers.drop_nulls().unique().sort().to_list()
    return Feature(column.name, _codes(numbers, levels), [f"{level:g}" for level in levels])


def _of_text(column: pl.Series, categorical: bool) -> Feature:
    column = column.str.strip_chars()
    levels = column.drop_nulls().unique().sort().to_list()
    stray = None if categorical else _stray(column)
    return Feature(column.name, _codes(column, levels), levels, stray)


def _stray(column: pl.Series) -> tuple[int, str] | None:
    known = column.drop_nulls()
    numbers = known.cast(pl.Float64, strict=False).drop_nulls()
    if len(numbers) <= MIXED * len(known) or numbers.n_unique() <= _MANY:
        return None
    words = column.cast(pl.Float64, strict=False).is_null() & column.is_not_null()
    row = int(words.arg_true()[0])
    return row + 1, column[row]


def _numbers(column: pl.Series) -> pl.Series | None:
    """Text that is numbers throughout as numbers: also 1,5 and 12,345.6 and 12.345,6; else None."""
    text = column.str.strip_chars()
    known = text.drop_nulls()
    numbers = known.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return text.cast(pl.Float64)
    # Groups of three digits, and a point behind them if any, are the English way.
    if known.str.contains(r"^[+-]?\d{1,3}(,\d{3})*(\.\d+)?$").all():
        return text.str.replace_all(",", "", literal=True).cast(pl.Float64)
    # A decimal comma, and points between groups of three digits if any.
    if known.str.contains(r"^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][+-]?\d+)?$").all():
        plain = text.str.replace_all(".", "", literal=True)
        return plain.str.replace(",", ".", literal=True).cast(pl.Float64)
    return None


def _codes(column: pl.Series, levels: list) -> np.ndarray:
    codes = column.replace_strict(levels, range(len(levels)), return_dtype=pl.Float64, default=None)
    return _floats(codes)


def _floats(column: pl.Series) -> np.ndarray:
    return column.to_numpy().astype(np.float64, copy=False)
