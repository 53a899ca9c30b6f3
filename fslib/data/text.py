"""Tables as text: which separator and encoding, which lines are no rows, which cells are empty."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path

import polars as pl

from fslib.data.errors import DataError
from fslib.data.gaps import DOUBTFUL, MISSING
from fslib.run.numbers import count

_SEPARATORS = ",;\t|"
#: Bytes and lines from which a file is judged.
_HEAD, _LINES = 1 << 20, 50
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
#: A quote that begins a cell, and does not end on what is left of a line without its quoted cells.
_OPEN = re.compile(r'(^|[,;\t|])"[^"]*$')
#: How people begin a line that is no row.
_COMMENTS = ("#", "%", "//")
_WORDS = re.compile(r'"(?:[^"]|"")*"|\S+')


def read_text(
    path: Path, source: Path | bytes, refuse_wide: Callable[[Path, int], None]
) -> pl.DataFrame:
    """A table from text; columns of numbers are numbers, all others text.

    Row names whose column has no name, as R and pandas write them, are the column ``""``.
    """
    source = _with_line_feeds(_as_utf8(path, source))
    lines = _records(re.split(r"\r\n|\n|\r", _head(source).decode("utf-8")))
    if not any(line.strip() for line in lines):
        raise DataError(f"{path}: is empty.")
    skipped, separator, comment = _preamble(lines)
    lines = lines[skipped:]
    rows = [line for line in lines[:_LINES] if line.strip() and not _is_comment(line, comment)]
    if not rows:
        raise DataError(f"{path}: has no rows.")
    separator = separator or _separator(rows)
    if separator == " ":
        source = _single_spaced(source, skipped)
        return read_text(path, source, refuse_wide)
    first = lines.index(rows[0]) + 1
    header = "\n".join([*lines[:first], ""]).count("\n")
    while first < len(lines) and (not lines[first].strip() or _is_comment(lines[first], comment)):
        first += 1  # the reader takes the number of columns from the first row
    names = [" ".join(cell.split("\n")).strip() for cell in _cells(rows[0].lstrip("#%"), separator)]
    widths = [len(_cells(row, separator)) for row in rows[1:]]
    if widths and min(widths) == max(widths) == len(names) + 1:
        names = ["", *names]  # R names the columns, not the row names in front of them
    refuse_wide(path, len(names))
    refuse_repeated(path, names)
    _refuse_ragged(path, source, separator, skipped + header, len(names), comment)
    read = partial(
        pl.read_csv,
        source,
        separator=separator,
        has_header=False,
        skip_lines=skipped + "\n".join([*lines[:first], ""]).count("\n"),
        comment_prefix=comment,
        infer_schema_length=None,
        decimal_comma=_has_decimal_comma(rows[1:], separator),
        raise_if_empty=False,
        truncate_ragged_lines=False,
    )
    frame = read(null_values=[*MISSING, *DOUBTFUL])
    # A word for missing among numbers may be a value among words, which are read as written.
    words = [i for i, c in enumerate(frame) if c.dtype == pl.String and c.null_count()]
    if words:
        as_written = read(null_values=MISSING, columns=words, infer_schema=False)
        frame = frame.with_columns(
            column.alias(frame.columns[i]) for i, column in zip(words, as_written, strict=True)
        )
    if not frame.width:
        frame = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    frame.columns = _distinct(names)
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))  # empty lines


def _as_utf8(path: Path, source: Path | bytes) -> Path | bytes:
    """The source itself where it is UTF-8, else its text in UTF-8; without byte order mark."""
    head = _head(source)[:_HEAD]

    def content() -> bytes:
        return source if isinstance(source, bytes) else source.read_bytes()

    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _decoded(path, content(), "utf-16")
    if head.startswith(b"\xef\xbb\xbf"):
        return content()[3:]
    if b"\0" in head:
        # UTF-16 without a mark has a zero byte beside every letter of the usual kind.
        for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
            if zeros.count(0) > 0.9 * len(zeros):
                return _decoded(path, content(), name)
        raise DataError(
            f"{path}: is not a text file, and its name does not tell what it is (.csv, .tsv, "
            f".parquet, .feather, .xlsx, .arff; any of them as .gz or .zip)."
        )
    whole = content()
    try:
        whole.decode("utf-8")
    except UnicodeDecodeError:
        # Every byte is a letter of Latin-1; Windows' code page names a few more of them.
        return _decoded(path, whole, "cp1252", "latin-1")
    return source


def _with_line_feeds(source: Path | bytes) -> Path | bytes:
    """The source itself, or its text with line feeds where lines end as on old Macs."""
    head = _head(source)
    if b"\n" in head or b"\r" not in head:
        return source
    return (source if isinstance(source, bytes) else source.read_bytes()).replace(b"\r", b"\n")


def _decoded(path: Path, content: bytes, *encodings: str) -> bytes:
    for encoding in encodings:
        try:
            return content.decode(encoding).lstrip("\ufeff").encode("utf-8")
        except UnicodeDecodeError as problem:
            failed = problem
    raise DataError(f"{path}: cannot be read as {encodings[-1]} text ({failed}).")


def _head(source: Path | bytes) -> bytes:
    """The beginning of a file, in whole lines: a megabyte, and more where lines are long."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
        return stream.read(_HEAD) + stream.readline() + stream.readline()


def _records(lines: list[str]) -> list[str]:
    """The lines, those joined over which a quoted cell goes on; one that never ends is a slip."""
    joined, at = [], 0

    def is_open(record: str) -> bool:
        return not record.startswith(_COMMENTS) and bool(_OPEN.search(_QUOTED.sub("", record)))

    while at < len(lines):
        end, record = at + 1, lines[at]
        while is_open(record) and end < min(at + _LINES, len(lines)):
            record += "\n" + lines[end]
            end += 1
        if is_open(record):
            end, record = at + 1, lines[at]
        joined.append(record)
        at = end
    return joined


def _is_comment(line: str, comment: str | None) -> bool:
    return comment is not None and line.startswith(comment)


def _preamble(lines: list[str]) -> tuple[int, str | None, str | None]:
    """Lines before the header, the separator where one of them says it, and how comments begin."""
    skipped, separator, comment = 0, None, None
    while skipped < len(lines) - 1:
        line = lines[skipped]
        said = re.fullmatch(r'"?sep=(.|\\t)"?\s*', line, re.IGNORECASE)
        if said:
            separator = "\t" if said[1] == "\\t" else said[1]
        elif line.startswith(_COMMENTS) and not _is_header(line, lines[skipped + 1]):
            comment = "//" if line.startswith("//") else line[0]
        elif line.strip():
            break
        skipped += 1
    return skipped, separator, comment


def _is_header(line: str, following: str) -> bool:
    """Whether a line that begins like a comment names the columns of the line below it."""
    if following.startswith(line[0]):
        return False
    separator = _separator([line[1:], following])
    return separator in line and len(_cells(line, separator)) == len(_cells(following, separator))


def _cells(line: str, separator: str) -> list[str]:
    """Cells of a line, without their quotes."""
    marked = _QUOTED.sub(lambda m: m[0].replace(separator, "\0"), line)
    return [
        cell.strip().strip('"').replace('""', '"').replace("\0", separator)
        for cell in marked.split(separator)
    ]


def _separator(rows: list[str]) -> str:
    """What separates the cells: in the first lines equally often, and as often as possible."""
    plain = [_QUOTED.sub("", row) for row in rows]

    def merit(separator: str) -> tuple[int, int]:
        counts = [row.count(separator) for row in plain]
        # R leaves out the name of the row names.
        even = len(set(counts[1:] or counts)) == 1 and counts[0] in (counts[-1], counts[-1] - 1)
        return even and counts[-1] > 0, counts[0]

    best = max(_SEPARATORS, key=merit)
    if merit(best)[0] or best in plain[0]:
        return best
    words = [len(_WORDS.findall(row)) for row in rows]
    spaced = words[0] > 1 and set(words[1:]) <= {words[0], words[0] + 1}
    return " " if spaced else ","


def _single_spaced(source: Path | bytes, skipped: int) -> bytes:
    """Text whose cells are separated by any number of blanks, separated by tabulators."""
    text = (source if isinstance(source, bytes) else source.read_bytes()).decode("utf-8")
    lines = re.split(r"\r\n|\n|\r", text)[skipped:]
    parts = (_WORDS.findall(line) for line in lines)
    return "\n".join("\t".join(cells) for cells in parts).encode("utf-8")


def _has_decimal_comma(rows: list[str], separator: str) -> bool:
    """Whether numbers are written 1,5: some cells say so, and none is written 1.5."""
    if separator == ",":
        return False
    cells = [cell for row in rows for cell in _cells(row, separator)]
    number = r"[+-]?\d+{}\d+(e[+-]?\d+)?"
    commas = any(re.fullmatch(number.format(","), c, re.IGNORECASE) for c in cells)
    points = any(re.fullmatch(number.format(r"\."), c, re.IGNORECASE) for c in cells)
    return commas and not points


def refuse_repeated(path: Path, names: list[str]) -> None:
    seen = set()
    for name in names:
        if name in seen and name:
            raise DataError(f"{path}: column name {name!r} occurs more than once. Rename one.")
        seen.add(name)


def _distinct(names: list[str]) -> list[str]:
    """Names of columns; nameless ones after the first get names that say so."""
    return [name or (f"_duplicated_{i}" if i else "") for i, name in enumerate(names)]


def _refuse_ragged(
    path: Path,
    source: Path | bytes,
    separator: str,
    header: int,
    expected: int,
    comment: str | None,
) -> None:
    """Refuse a file with rows of unequal length, most likely one that is cut off.

    The CSV reader would fill short rows with missing values. It would also drop whatever begins
    like the comments above the header: of these lines only those are no rows that are not as long.
    """
    mark, start = separator.encode(), None if comment is None else comment.encode()
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
        lines = enumerate(stream, 1)
        for number, line in lines:
            if number <= header or not line.strip():
                continue
            is_comment = start is not None and line.startswith(start)
            if b'"' in line and not is_comment:  # separators and ends of lines may be in quotes
                record = (text.decode() for _, text in chain([(number, line)], lines))
                try:
                    cells = len(next(csv.reader(record, delimiter=separator)))
                except csv.Error:  # of a cell without end there is too much
                    raise DataError(
                        f"{path}: a quote in line {number} begins a cell that does not end. Close "
                        f"or remove it."
                    ) from None
            else:
                cells = line.count(mark) + 1
            if is_comment and cells == expected:
                raise DataError(
                    f"{path}: line {number} begins with {comment!r} like the comment above the "
                    f"names of the columns, and has as many cells as a row. Remove the comment "
                    f"above if this is a row, else this line."
                )
            if cells != expected and not is_comment:
                said = f"{path}: line {number} has {count(cells, 'cell')}, the lines before "
                said += f"{expected}. "
                if line.decode().startswith(_COMMENTS):
                    raise DataError(f"{said}It looks like a comment: remove it.")
                raise DataError(
                    f"{said}The file may be cut off, lines may stand above the names of the "
                    f"columns, or the separator is not {separator!r}."
                )
