"""From a file as people have them to a frame: separators, encodings, archives, formats."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl

from fslib.data.errors import DataError
from fslib.data.gaps import as_text, without_words
from fslib.data.text import read_text, refuse_repeated
from fslib.run.numbers import count

#: Columns that a table may have at most. A wider table is most likely transposed by mistake, and
#: reading it would need tens of gigabytes, as every column costs kilobytes whatever its length.
MAX_COLUMNS = 200_000
#: Names that row names have where the writer gave none: R, pandas in CSV, pandas in parquet.
_ROW_NAMES = re.compile(r"|Unnamed: 0|__index_level_0__")


#: Ends of names of files that hold tables, though not as a table of text.
_NOT_READ = {".json", ".jsonl", ".xml", ".html", ".pdf", ".mat", ".h5", ".hdf5", ".rds", ".rda"} | {
    *(".rdata", ".pkl", ".pickle", ".npy", ".npz", ".sav", ".dta", ".sas7bdat", ".sqlite", ".db"),
}


def read_frame(path: Path, *, sheet: str | int | None = None) -> tuple[pl.DataFrame, str | None]:
    """All columns of a file, and the name of the one that holds row names, if any does.

    The name's end tells the format: parquet, feather (arrow, ipc), xlsx (xls, ods), arff; anything
    else is text. Each of them may be packed as ``.gz`` or be the one file in a ``.zip``.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file. Give the path of a table.")
    inner, source = _unpacked(path)
    suffix = inner.suffix.lower()
    if suffix in _NOT_READ:
        raise DataError(
            f"{path}: files that end in {suffix} are not read. Save the table as CSV, parquet, "
            f"feather or xlsx."
        )
    if sheet is not None and suffix not in _EXCEL:
        raise DataError(f"{path}: has no sheets; remove `sheet: {sheet}`.")
    try:
        if suffix in (".parquet", ".pq"):
            frame = _arrow(path, source, pl.read_parquet_schema, pl.read_parquet)
        elif suffix in (".feather", ".arrow", ".ipc"):
            frame = _arrow(path, source, pl.read_ipc_schema, pl.read_ipc)
        elif suffix in _EXCEL:
            frame = _excel(path, source, sheet)
        elif suffix == ".arff":
            frame = _arff(path, source)
        else:
            frame = read_text(path, source, refuse_wide)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        kind = suffix.removeprefix(".") or "text"
        raise DataError(
            f"{path}: cannot be read as {kind}, it may be cut off or of another kind "
            f"({first_line(problem)})."
        ) from problem
    refuse_wide(path, frame.width)
    frame = _without_empty_ends(path, frame)
    frame = frame.with_columns(without_words(as_text(column)) for column in frame)
    first = frame.columns[0] if frame.width else None
    return frame, first if first is not None and _ROW_NAMES.fullmatch(first) else None


def _unpacked(path: Path) -> tuple[Path, Path | bytes]:
    """The name of what is inside, and the file itself or its unpacked content."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".gz":
            return Path(path.stem), gzip.decompress(path.read_bytes())
        if suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [
                    n
                    for n in archive.namelist()
                    if not n.endswith("/") and not re.search(r"(^|/)(__MACOSX/|\.)", n)
                ]
                tables = [n for n in names if Path(n).suffix.lower() in _TABLES]
                names = tables if len(tables) == 1 else names  # beside a README, for example
                if len(names) != 1:
                    raise DataError(
                        f"{path}: holds {len(names)} files ({', '.join(names[:5])}); unpack it and "
                        f"name the one that is the table."
                    )
                return Path(names[0]), archive.read(names[0])
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as problem:
        raise DataError(f"{path}: cannot be unpacked ({first_line(problem)}).") from problem
    return path, path


def _arrow(path: Path, source: Path | bytes, schema: Callable, read: Callable) -> pl.DataFrame:
    def stream():
        return io.BytesIO(source) if isinstance(source, bytes) else source

    refuse_wide(path, len(schema(stream())))
    return read(stream())


_EXCEL = (".xlsx", ".xls", ".xlsb", ".xlsm", ".ods")
#: Ends of names that a table has and hardly anything else.
_TABLES = {
    *(".csv", ".tsv", ".tab", ".dat", ".data", ".arff"),
    *(".parquet", ".pq", ".feather", ".arrow", ".ipc", *_EXCEL),
}


def _excel(path: Path, source: Path | bytes, sheet: str | int | None) -> pl.DataFrame:
    try:
        import fastexcel
    except ImportError:
        raise DataError(
            f"{path}: reading a spreadsheet needs another package: pip install fastexcel, or save "
            f"the table as CSV."
        ) from None
    try:
        book = fastexcel.read_excel(source if isinstance(source, bytes) else str(source))
        names = book.sheet_names
        # A name goes before a number: sheets may be called 2023 and 2024.
        known = {str(i): name for i, name in enumerate(names, 1)} | {name: name for name in names}
        wanted = names[0] if sheet is None else known.get(str(sheet))
        if wanted is None:
            raise DataError(f"{path}: has no sheet {sheet!r}; it has {', '.join(names)}.")
        header = book.load_sheet(wanted, header_row=None, n_rows=1, dtypes="string").to_polars()
        if header.height:  # the reader gives names that repeat a number
            refuse_repeated(path, [str(n).strip() for n in header.row(0) if n is not None])
        return book.load_sheet(wanted).to_polars()
    except fastexcel.FastExcelError as problem:
        raise DataError(
            f"{path}: cannot be read as a spreadsheet ({first_line(problem)})."
        ) from problem


#: An attribute's name, in quotes or not, and its type.
_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.+)", re.IGNORECASE)


def _arff(path: Path, source: Path | bytes) -> pl.DataFrame:
    content = source if isinstance(source, bytes) else source.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    lines = [line.strip() for line in text.splitlines()]
    data = next((i for i, line in enumerate(lines) if line.lower() == "@data"), None)
    if data is None:
        raise DataError(f"{path}: cannot be read as ARFF (it has no line @data).")
    kinds = {}
    for line in lines[:data]:
        if line.lower().startswith("@attribute"):
            attribute = _ATTRIBUTE.fullmatch(line)
            if attribute is None:
                raise DataError(f"{path}: cannot be read as ARFF ({line[:60]!r} has no type).")
            name = attribute[1].strip("'\"")
            refuse_repeated(path, [*kinds, name])
            kinds[name] = attribute[2].lower()
    rows = [line for line in lines[data + 1 :] if line and not line.startswith("%")]
    if any(line.startswith("{") for line in rows[:1]):
        raise DataError(
            f"{path}: has sparse rows, {{column value, …}}, which are not read. Save it with a "
            f"value for each column (Weka's filter SparseToNonSparse does) or as CSV."
        )
    quote = "'" if any("'" in line for line in rows) else '"'
    cells = list(csv.reader(rows, quotechar=quote, escapechar="\\", skipinitialspace=True))
    for line, own in zip(rows, cells, strict=False):
        if len(own) != len(kinds):
            raise DataError(
                f"{path}: cannot be read as ARFF (the row {line[:60]!r} has "
                f"{count(len(own), 'cell')} for {count(len(kinds), 'attribute')})."
            )
    columns = zip(kinds.items(), zip(*cells, strict=True), strict=True) if cells else ()
    return pl.DataFrame([_attribute(path, name, kind, values) for (name, kind), values in columns])


def _attribute(path: Path, name: str, kind: str, cells: tuple[str, ...]) -> pl.Series:
    """A column of an ARFF file: numbers are numbers; dates are known by how they are written."""
    values = [None if cell.strip() == "?" else cell.strip() for cell in cells]
    column = pl.Series(name, values, dtype=pl.String)
    if kind.split()[0] not in ("numeric", "real", "integer"):
        return column
    numbers = column.cast(pl.Float64, strict=False)
    strange = column.filter(numbers.is_null() & column.is_not_null())
    if len(strange):
        raise DataError(
            f"{path}: cannot be read as ARFF (column {name!r} is {kind} and holds {strange[0]!r})."
        )
    return numbers


def _without_empty_ends(path: Path, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame without nameless empty columns, which separators at the ends of lines make."""
    for name in frame.columns[1:]:
        if re.fullmatch(r"\s*|_duplicated_\d+|__UNNAMED__\d+", name):
            if frame[name].null_count() < frame.height:
                position = frame.columns.index(name) + 1
                raise DataError(f"{path}: column {position} has no name. Name every column.")
            frame = frame.drop(name)
    if frame.width and frame.columns[0] == "__UNNAMED__0":
        frame = frame.rename({"__UNNAMED__0": ""})
    return frame


def refuse_wide(path: Path, width: int) -> None:
    if width > MAX_COLUMNS:
        raise DataError(
            f"{path}: has {width:,} columns, at most {MAX_COLUMNS:,} are read. "
            f"If rows and columns are swapped, transpose the table first."
        )


def first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]
