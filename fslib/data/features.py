"""A column of any type as numbers: the numbers themselves, or codes of categories."""

from __future__ import annotations

import math
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
    is_date: bool = False
    """Whether the numbers are days."""


def feature_of(path: Path, column: pl.Series, categorical: bool) -> Feature:
    """A column as numbers, or as codes of categories if it is text, true/false, or said to be."""
    if column.dtype == pl.Boolean:
        return Feature(column.name, _floats(column.cast(pl.Float64)), ["false", "true"])
    days = _days(column)
    if categorical and days is not None:
        return _of_text(dates_as_text(column), categorical)
    numbers = as_numbers(column)
    if numbers is None and column.dtype == pl.String:
        return _of_text(column, categorical)
    if numbers is None:
        raise DataError(
            f"{path}: column {column.name!r} holds {column.dtype}, which is no feature."
        )
    if not categorical:
        return Feature(column.name, _floats(numbers), is_date=days is not None)
    levels = numbers.drop_nulls().unique().sort().to_list()
    return Feature(column.name, _codes(numbers, levels), [said(level) for level in levels])


def as_numbers(column: pl.Series) -> pl.Series | None:
    """Numbers, true/false, dates and text that is numbers or dates throughout; else None."""
    days = _days(column)
    if days is not None:
        return days
    if column.dtype == pl.String:
        return _numbers(column)
    if column.dtype.is_temporal():
        column = column.to_physical()
    known = column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)
    return column.cast(pl.Float64) if known else None


def dates_as_text(column: pl.Series) -> pl.Series:
    """Dates as people write them, midnight left out; any other column itself."""
    if column.dtype not in (pl.Date, pl.Datetime):
        return column
    plain = column.cast(pl.Date) if (column.dt.truncate("1d") == column).all() else column
    return plain.dt.to_string("%Y-%m-%d" if plain.dtype == pl.Date else "%Y-%m-%d %H:%M:%S")


def said(value) -> str:
    """A value as people write it, each number in a way of its own: 1.0 is 1."""
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value == int(value) else repr(value)
    return str(value)


def _days(column: pl.Series) -> pl.Series | None:
    """Dates as days since 1970, in text like 2024-12-31 too; None for what is no date."""
    if column.dtype == pl.String:
        bare = column.str.strip_chars()
        known = bare.drop_nulls()
        if known.is_empty() or not known.str.contains(r"^\d{4}-\d\d?-\d\d?([T ].*)?$").all():
            return None
        try:
            column = bare.str.to_datetime(time_unit="us")
        except pl.exceptions.PolarsError:
            return None
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("us"))
    if column.dtype != pl.Datetime:
        return None
    return column.dt.cast_time_unit("us").to_physical().cast(pl.Float64) / 86_400e6


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
