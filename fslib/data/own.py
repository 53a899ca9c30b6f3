"""A person's own table: which columns are features, which is the class, and what the others say."""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.errors import DataError
from fslib.data.features import MIXED, Feature, feature_of, said
from fslib.data.fetching import sha256_of
from fslib.data.files import read_frame
from fslib.data.gaps import Gaps
from fslib.run.numbers import count
from fslib.run.spelling import nearest


def read_own(
    path: str | os.PathLike,
    target: str,
    *,
    drop: Sequence[str] | str = (),
    id: str | None = None,
    group: str | None = None,
    time: str | None = None,
    categorical: Sequence[str] | str = (),
    missing: Sequence | str | Mapping = (),
    sheet: str | int | None = None,
    positive: str | float | bool | None = None,
    name: str | None = None,
) -> Dataset:
    """Read a table whose column ``target`` holds the class; all columns not named are features.

    CSV with any usual separator and encoding, parquet, feather, xlsx and arff, each also as .gz or
    .zip (`fslib.data.files`). Columns of numbers are numbers, dates like 2024-12-31 are days since
    1970; text and true/false are categories. Rows without a class are refused.

    Parameters
    ----------
    drop : columns that are no features; ``*`` in a name stands for any letters.
    id : the column of row names, no feature. One without a name in front of the others is known.
    group : rows with the same value belong together, and are split together.
    time : when a row was observed; rows are predicted from earlier ones.
    categorical : columns of numbers that stand for categories.
    missing : values that stand for missing, beside the usual spellings; or what a missing category
        is, ``level`` (a category of its own, the default) or ``median`` (the most frequent one);
        or both, as ``{values: […], as: level}``.
    sheet : name or number of a spreadsheet's sheet (default: the first).
    positive : the class of interest; all others together are the other class.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.csv"
    >>> _ = path.write_text("height,fur,kind\\n1.5,true,cat\\n,false,dog\\n2,true,cat\\n")
    >>> d = read_own(path, "kind")
    >>> d.name, d.X.tolist(), d.class_names, d.categories
    ('mine', [[1.5, 1.0], [nan, 0.0], [2.0, 1.0]], ['cat', 'dog'], {1: ['false', 'true']})
    """
    path = Path(path)
    frame, row_names = read_frame(path, sheet=sheet)
    beside = _beside(path, frame, target, id, group, time)
    dropped = _meant(path, "drop", drop, frame.columns)
    declared = _meant(path, "categorical", categorical, frame.columns)
    if frame.height == 0:
        raise DataError(f"{path}: has a header but no rows.")
    no_features = {*beside, *dropped, row_names}
    chosen = [column for column in frame.columns if column not in no_features]
    if not chosen:
        raise DataError(f"{path}: has no feature column beside the target {target!r}.")
    gaps = Gaps.of(missing)
    y, class_names = _classes(path, gaps.removed(frame[target]), positive)
    features = [feature_of(path, gaps.removed(frame[c]), c in declared) for c in chosen]
    _refuse_mixed(path, features)
    dates = [feature.name for feature in features if feature.is_date]
    X = np.column_stack([feature.values for feature in features])
    _refuse_infinite(path, X, chosen)
    return Dataset(
        name=name or path.name.split(".")[0],
        X=X,
        y=y,
        feature_names=chosen,
        class_names=class_names,
        group=_groups(path, frame[group]) if group else None,
        time=_times(path, frame[time]) if time else None,
        categories={i: f.levels for i, f in enumerate(features) if f.levels is not None},
        metadata={
            "title": path.name,
            "citation": "",
            "licence": "",
            "provenance": json.dumps([{"file": path.name, "sha256": sha256_of(path)}]),
            "notes": f"own data, target {target}",
            "differences": "",
            "missing_category": gaps.category,
            # What a new table of this kind is read with, and what its numbers were.
            **({"missing_values": json.dumps(sorted(gaps.words))} if gaps.words else {}),
            **({"dates": json.dumps(dates)} if dates else {}),
            **({"row_names": id or row_names or "unnamed"} if row_names is not None or id else {}),
        },
    )


def _beside(path: Path, frame: pl.DataFrame, target, id, group, time) -> list[str]:
    """Columns that have a meaning of their own."""
    beside = [column for column in (target, id, group, time) if column is not None]
    for column in beside:
        if column not in frame.columns:
            near = nearest(column, frame.columns[:1000])
            raise DataError(f"{path}: has no column {column!r}{near}{_nameless(frame.columns)}")
    if target in beside[1:] or (group is not None and group == time):
        raise DataError(f"{path}: target, group and time must be different columns.")
    return beside


def _nameless(columns: list[str]) -> str:
    """A hint, where most names of columns are numbers: the first line is most likely a row."""
    numbers = sum(
        re.fullmatch(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?", c) is not None for c in columns
    )
    return ". The first line has to name the columns" if 2 * numbers > len(columns) else ""


def _meant(path: Path, key: str, names: Sequence[str] | str, columns: list[str]) -> set[str]:
    """The columns that a list of names or patterns stands for."""
    found: set[str] = set()
    for name in [names] if isinstance(names, str) else names:
        own = {name} & set(columns) or set(fnmatch.filter(columns, name))
        if not own:
            near = nearest(name, columns[:1000])
            raise DataError(f"{path}: {key}: has no column {name!r}{near}")
        found |= own
    return found


def _classes(path: Path, column: pl.Series, positive) -> tuple[np.ndarray, list[str]]:
    _refuse_gaps(path, column, "target")
    if column.dtype == pl.String:
        # Blanks around a label mean nothing, unless labels differ by them: then a check tells.
        bare = column.str.strip_chars()
        column = bare if bare.n_unique() == column.n_unique() else column
    values = column.unique().sort().to_list()
    if len(values) < 2:
        raise DataError(
            f"{path}: target {column.name!r} has only the class {values[0]!r}; at least two are "
            f"needed."
        )
    if positive is not None:
        return _against_all_others(path, column, values, positive)
    if column.dtype.is_float() and any(v != int(v) for v in values if np.isfinite(v)):
        raise DataError(
            f"{path}: target {column.name!r} holds numbers such as {values[0]!r}; fslib selects "
            f"features for classes. Choose another target or turn it into classes."
        )
    if len(values) == len(column):
        raise DataError(
            f"{path}: target {column.name!r} is different in every row, like an identifier. "
            f"Choose the column that holds the class."
        )
    codes = column.replace_strict(values, range(len(values)), return_dtype=pl.Int64)
    return codes.to_numpy(), [said(v) for v in values]


def _against_all_others(path: Path, column, values: list, positive) -> tuple[np.ndarray, list[str]]:
    known, meant = {said(v): v for v in values}, said(positive)
    if meant not in known:
        alike = [name for name in known if name.casefold() == meant.casefold()]
        if len(alike) != 1:
            hint = (
                ". YAML reads yes and no without quotes as true and false: put it in quotes"
                if isinstance(positive, bool)
                else nearest(meant, known)
            )
            raise DataError(f"{path}: target {column.name!r} has no class {meant!r}{hint}")
        meant = alike[0]
    others = [name for name in known if name != meant]
    is_positive = (column == known[meant]).to_numpy().astype(np.int64)
    other = others[0] if len(others) == 1 else f"not {meant}"
    return is_positive, [other, meant]


def _groups(path: Path, column: pl.Series) -> list[str]:
    _refuse_gaps(path, column, "group")
    return column.cast(pl.String).to_list()


def _times(path: Path, column: pl.Series) -> np.ndarray:
    """Times as numbers, in microseconds since 1970 where they are dates."""
    _refuse_gaps(path, column, "time")
    if column.dtype == pl.String:
        column = _dates(path, column)
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("us"))
    if column.dtype == pl.Datetime:
        column = column.dt.cast_time_unit("us")
    return column.to_physical().cast(pl.Float64).to_numpy()


def _dates(path: Path, column: pl.Series) -> pl.Series:
    for kind in (pl.Datetime("us"), pl.Date):
        try:
            return column.str.strptime(kind)
        except pl.exceptions.PolarsError:
            continue
    raise DataError(
        f"{path}: time {column.name!r} holds {column[0]!r}, which is neither a number nor a date "
        f"like 2024-12-31 or 2024-12-31 23:59."
    )


def _refuse_gaps(path: Path, column: pl.Series, what: str) -> None:
    if column.null_count():
        row = column.is_null().arg_true()[0] + 1
        raise DataError(
            f"{path}: {what} {column.name!r} is empty in {count(column.null_count(), 'row')}, "
            f"first in data row {row}. Remove such rows or fill them in. (Empty are blanks, NA, "
            f"null, ? and the like; -, . and none too among numbers, or if there are two of them.)"
        )


def _refuse_mixed(path: Path, features: list[Feature]) -> None:
    """Refuse columns of numbers with a few words among them: most likely a mistake in the file."""
    mixed = [feature for feature in features if feature.stray is not None]
    if mixed:
        names = ", ".join(repr(f.name) for f in mixed[:5]) + (", …" if len(mixed) > 5 else "")
        row, word = mixed[0].stray
        raise DataError(
            f"{path}: {len(mixed)} feature column(s) hold numbers in over {MIXED:.0%} of their "
            f"rows and words in others: {names} (for example {word!r} in data row {row}). Mend "
            f"them, say `missing: [{word}]`, or list them as `categorical` or `drop`."
        )


def _refuse_infinite(path: Path, X: np.ndarray, names: list[str]) -> None:
    if np.isinf(X).any():
        row, column = (int(i[0]) for i in np.nonzero(np.isinf(X)))
        raise DataError(
            f"{path}: column {names[column]!r} is infinite in data row {row + 1}. "
            f"Replace it by a number or leave the cell empty."
        )
