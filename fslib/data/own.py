"""A person's own CSV or parquet file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.errors import DataError
from fslib.data.fetching import sha256_of
from fslib.run.spelling import nearest

#: Columns that a table may have at most. A wider table is most likely transposed by mistake, and
#: reading it would need tens of gigabytes, as every column costs kilobytes whatever its length.
MAX_COLUMNS = 200_000
_MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]


def read_own(
    path: str | os.PathLike,
    target: str,
    *,
    group: str | None = None,
    time: str | None = None,
    name: str | None = None,
) -> Dataset:
    """Read a CSV or parquet file whose column ``target`` holds the class.

    Rows with the same value of ``group`` belong together; ``time`` says when a row was observed.

    All other columns are features and must be numeric (whole numbers and true/false
    included). Empty cells, ``NA``, ``NaN``, ``null`` and ``?`` are missing values; rows
    without a class are refused.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.csv"
    >>> _ = path.write_text("height,fur,kind\\n1.5,true,cat\\n,false,dog\\n2,true,cat\\n")
    >>> d = read_own(path, "kind")
    >>> d.name, d.X.tolist(), d.class_names
    ('mine', [[1.5, 1.0], [nan, 0.0], [2.0, 1.0]], ['cat', 'dog'])
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"{path}: no such file. Give the path of a CSV or parquet file.")
    is_parquet = path.suffix.lower() in {".parquet", ".pq"}
    frame = _parquet(path) if is_parquet else _csv(path)
    beside = [column for column in (target, group, time) if column is not None]
    for column in beside:
        if column not in frame.columns:
            near = nearest(column, frame.columns[:1000])
            raise DataError(f"{path}: has no column {column!r}{near}")
    if len(set(beside)) < len(beside):
        raise DataError(f"{path}: target, group and time must be different columns.")
    if frame.height == 0:
        raise DataError(f"{path}: has a header but no rows.")
    if frame.width < 1 + len(beside):
        raise DataError(f"{path}: has no feature column beside the target {target!r}.")
    y, class_names = _classes(path, frame[target])
    feature_names = [n for n in frame.columns if n not in beside]
    return Dataset(
        name=name or path.stem,
        X=_numbers(path, frame[feature_names]),
        y=y,
        feature_names=feature_names,
        class_names=class_names,
        group=_groups(path, frame[group]) if group else None,
        time=_times(path, frame[time]) if time else None,
        metadata={
            "title": path.name,
            "citation": "",
            "licence": "",
            "provenance": json.dumps([{"file": path.name, "sha256": sha256_of(path)}]),
            "notes": f"own data, target {target}",
            "differences": "",
        },
    )


def _parquet(path: Path) -> pl.DataFrame:
    try:
        _refuse_wide(path, len(pl.read_parquet_schema(path)))
        return pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise DataError(
            f"{path}: cannot be read as parquet, it may be cut off or of another kind "
            f"({_first_line(problem)})."
        ) from problem


def _csv(path: Path) -> pl.DataFrame:
    with path.open("rb") as stream:
        header = stream.readline()
    if not header.strip():
        raise DataError(f"{path}: is empty.")
    if b"\0" in header:
        raise DataError(f"{path}: is not a text file. Give a CSV or a .parquet file.")
    separator = max(",;\t", key=lambda c: header.count(c.encode()))
    _refuse_wide(path, header.count(separator.encode()) + 1)
    _refuse_ragged(path, separator.encode())
    try:
        names = pl.read_csv(
            path, separator=separator, has_header=False, n_rows=1, infer_schema=False
        ).row(0)
        _refuse_repeated(path, names)
        return pl.read_csv(
            path, separator=separator, null_values=_MISSING, infer_schema_length=None
        )
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise DataError(
            f"{path}: cannot be read as a table separated by {separator!r} "
            f"({_first_line(problem)})."
        ) from problem


def _refuse_ragged(path: Path, separator: bytes) -> None:
    """Refuse a file with rows of unequal length, most likely one that is cut off.

    The CSV reader would fill short rows with missing values.
    """
    expected = None
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if b'"' in line or not line.strip():  # separators within quotes do not count
                continue
            cells = line.count(separator) + 1
            expected = expected or cells
            if cells != expected:
                raise DataError(
                    f"{path}: line {number} has {cells} cells, the lines before {expected}. "
                    f"The file may be cut off, or the separator is not {separator.decode()!r}."
                )


def _refuse_wide(path: Path, width: int) -> None:
    if width > MAX_COLUMNS:
        raise DataError(
            f"{path}: has {width:,} columns, at most {MAX_COLUMNS:,} are read. "
            f"If rows and columns are swapped, transpose the table first."
        )


def _refuse_repeated(path: Path, names) -> None:
    seen = set()
    for position, name in enumerate(names, 1):
        if name is None or name == "":
            raise DataError(f"{path}: column {position} has no name. Name every column.")
        if name in seen:
            raise DataError(f"{path}: column name {name!r} occurs more than once. Rename one.")
        seen.add(name)


def _classes(path: Path, column: pl.Series) -> tuple[np.ndarray, list[str]]:
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.null_count():
        row = column.is_null().arg_true()[0] + 1
        raise DataError(
            f"{path}: target {column.name!r} is empty in {column.null_count()} rows, first in "
            f"data row {row}. Remove those rows or fill in their class."
        )
    values = column.unique().sort().to_list()
    if len(values) < 2:
        raise DataError(
            f"{path}: target {column.name!r} has only the class {values[0]!r}; at least two are "
            f"needed."
        )
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
    code = {value: i for i, value in enumerate(values)}
    names = [str(int(v)) if isinstance(v, float) and np.isfinite(v) else str(v) for v in values]
    return np.array([code[v] for v in column.to_list()]), names


def _groups(path: Path, column: pl.Series) -> list[str]:
    _refuse_gaps(path, column, "group")
    return column.cast(pl.String).to_list()


def _times(path: Path, column: pl.Series) -> np.ndarray:
    """Times as numbers, in microseconds since 1970 where they are dates."""
    _refuse_gaps(path, column, "time")
    if column.dtype == pl.String:
        text, column = column, None
        for kind in (pl.Datetime("us"), pl.Date):
            try:
                column = text.str.strptime(kind)
                break
            except pl.exceptions.PolarsError:
                continue
        if column is None:
            raise DataError(
                f"{path}: time {text.name!r} holds {text[0]!r}, which is neither a number nor a "
                f"date like 2024-12-31 or 2024-12-31 23:59."
            )
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("us"))
    if column.dtype.is_temporal():
        column = column.dt.cast_time_unit("us") if column.dtype == pl.Datetime else column
        column = column.to_physical()
    return column.cast(pl.Float64).to_numpy()


def _refuse_gaps(path: Path, column: pl.Series, what: str) -> None:
    if column.null_count():
        row = column.is_null().arg_true()[0] + 1
        raise DataError(
            f"{path}: {what} {column.name!r} is empty in {column.null_count()} rows, first in data "
            f"row {row}. Remove those rows or fill them in."
        )


def _numbers(path: Path, frame: pl.DataFrame) -> np.ndarray:
    numeric = {n for n, t in frame.schema.items() if t.is_numeric() or t in (pl.Boolean, pl.Null)}
    text = [n for n in frame.columns if n not in numeric and frame[n].null_count() < frame.height]
    if text:
        shown = ", ".join(repr(n) for n in text[:5]) + (", …" if len(text) > 5 else "")
        raise DataError(
            f"{path}: {len(text)} feature column(s) are not numbers: {shown} (for example "
            f"{_first_text(frame[text[0]])!r}). Remove them or encode them as numbers."
        )
    X = frame.cast(pl.Float64).to_numpy(order="c")
    if np.isinf(X).any():
        row, column = (int(i[0]) for i in np.nonzero(np.isinf(X)))
        raise DataError(
            f"{path}: column {frame.columns[column]!r} is infinite in data row {row + 1}. "
            f"Replace it by a number or leave the cell empty."
        )
    return X


def _first_text(column: pl.Series):
    """The first value that is no number."""
    if column.dtype == pl.String:
        column = column.filter(column.cast(pl.Float64, strict=False).is_null())
    return column.drop_nulls()[0]


def _first_line(problem: Exception) -> str:
    return str(problem).strip().splitlines()[0]
