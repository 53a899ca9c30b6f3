"""Tables as text: which separator and encoding, which lines are no rows, which cells are empty."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl

from fslib.data.errors import DataError

#: Cells that say that there is no value; cells of blanks only too.
MISSING = [
    *("", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan"),
    *("null", "NULL", "Null", "None", "none", "?", "-", "--", "."),
    *("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"),  # a spreadsheet's errors
]
_SEPARATORS = ",;\t|"
#: Bytes and lines from which a file is judged.
_HEAD, _LINES = 1 << 20, 50
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_WORDS = re.compile(r'"(?:[^"]|"")*"|\S+')


def read_text(
    path: Path, source: Path | bytes, refuse_wide: Callable[[Path, int], None]
) -> pl.DataFrame:
    """A table from text; columns of numbers are numbers, all others text.

    Row names whose column has no name, as R and pandas write them, are the column ``""``.
    """
    source = _with_line_feeds(_as_utf8(path, source))
    lines = re.split(r"\r\n|\n|\r", _head(source).decode("utf-8"))
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
    names = [cell.strip() for cell in _cells(rows[0].lstrip("#%"), separator)]
    widths = [len(_cells(row, separator)) for row in rows[1:]]
    if widths and min(widths) == max(widths) == len(names) + 1:
        names = ["", *names]  # R names the columns, not the row names in front of them
    refuse_wide(path, len(names))
    _refuse_repeated(path, names)
    _refuse_ragged(path, source, separator, skipped + 1, len(names), comment)
    frame = pl.read_csv(
        source,
        separator=separator,
        has_header=False,
        skip_lines=skipped + lines.index(rows[0]) + 1,
        comment_prefix=comment,
        null_values=MISSING,
        infer_schema_length=None,
        new_columns=[f"column {i}" for i in range(len(names))],
        decimal_comma=_has_decimal_comma(rows[1:], separator),
        raise_if_empty=False,
        truncate_ragged_lines=False,
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
        elif line.startswith(("#", "%")) and not _is_header(line, lines[skipped + 1]):
            comment = line[0]
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


def _refuse_repeated(path: Path, names: list[str]) -> None:
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

    The CSV reader would fill short rows with missing values.
    """
    mark, start = separator.encode(), None if comment is None else comment.encode()
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if number <= header or b'"' in line or not line.strip():
                continue  # separators within quotes do not count
            if start is not None and line.startswith(start):
                continue
            cells = line.count(mark) + 1
            if cells != expected:
                raise DataError(
                    f"{path}: line {number} has {cells} cells, the lines before {expected}. "
                    f"The file may be cut off, lines may stand above the names of the columns, or "
                    f"the separator is not {separator!r}."
                )
