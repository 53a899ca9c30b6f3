"""Cells without a value: which words say so, and which a person says do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import polars as pl

#: Cells that say that there is no value; cells of blanks only too.
MISSING = [
    *("", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan"),
    *("null", "NULL", "Null", "?"),
    *("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"),  # a spreadsheet's errors
]
#: Words that say so among numbers. Among words they may be a value: + and -, none and mild.
DOUBTFUL = ["None", "none", "-", "--", "."]


def as_text(column: pl.Series) -> pl.Series:
    """Words that are held as codes, as text; any other column itself."""
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column


def without_words(column: pl.Series) -> pl.Series:
    """The column, where it is text with nulls in place of words for missing.

    A doubtful word is a value where most other cells do not begin with a number, unless the column
    has two of them: whoever writes one for a value has no reason to write another.

    >>> without_words(pl.Series(["+", "-", "NA"])).to_list()
    ['+', '-', None]
    >>> without_words(pl.Series(["1.5", "-", "2", "x"])).to_list()
    ['1.5', None, '2', 'x']
    """
    if column.dtype != pl.String:
        return column
    bare = column.str.strip_chars()
    gone = bare.is_in(MISSING).fill_null(False)
    doubtful = bare.is_in(DOUBTFUL).fill_null(False)
    if doubtful.any():
        others = bare.filter(~gone & ~doubtful).drop_nulls()
        among_numbers = 2 * others.str.contains(r"^\W*\d").sum() > len(others)
        if among_numbers or bare.filter(doubtful).n_unique() > 1:
            gone |= doubtful
    return column.set(gone, None) if gone.any() else column


@dataclass(frozen=True)
class Gaps:
    """Which values stand for missing beside the usual words, and what a missing category is."""

    words: frozenset[str]
    numbers: frozenset[float]
    category: str

    @classmethod
    def of(cls, given) -> Gaps:
        """From the key ``missing`` of a table."""
        if isinstance(given, str):
            given = {"as": given}
        if not isinstance(given, Mapping):
            given = {"values": given}
        words = [str(value) for value in given.get("values", ())]
        return cls(frozenset(words), frozenset(_numbers(words)), given.get("as", "level"))

    def removed(self, column: pl.Series) -> pl.Series:
        """The column with nulls in place of what stands for missing."""
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if column.dtype.is_numeric() and self.numbers:
            gone = column.cast(pl.Float64).is_in(sorted(self.numbers))
            return column.set(gone, None)
        if column.dtype == pl.String and self.words:
            gone = column.str.strip_chars().is_in(sorted(self.words))
            return column.set(gone, None) if gone.any() else column
        return column


def _numbers(words: Iterable[str]) -> Iterator[float]:
    """Those of the words that are numbers; a command line has words only."""
    for word in words:
        with suppress(ValueError):
            yield float(word)
