"""The files between stages: one contract per kind, checked on write and on read.

Every file is written under a temporary name and moved into place, so that a file that
exists is whole. A digest of the content travels in the file's metadata: a file edited by
hand or damaged on disk is refused, never used.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from fslib.run.errors import FslibError
from fslib.run.roles import ROLES
from fslib.run.script import tell

STATUSES = ("ok", "timeout", "out_of_memory", "error", "skipped")

#: Stands for the mean over all classifiers where a classifier's name is expected.
EVERY = "all"

#: Columns of each kind of file; `method` names a variant, `feature` is a column index.
CONTRACTS: dict[str, dict[str, pl.DataType]] = {
    "splits": {
        "split": pl.Int32,
        "repeat": pl.Int32,
        "ratio": pl.Float64,
        "part": pl.String,
        "row": pl.Int32,
    },
    "fitted": {
        "split": pl.Int32,
        "step": pl.String,
        "feature": pl.Int32,
        "low": pl.Float64,
        "high": pl.Float64,
    },
    "selections": {
        "dataset": pl.String,
        "method": pl.String,
        "split": pl.Int32,
        "rank": pl.Int32,
        "feature": pl.Int32,
        "name": pl.String,
        "score": pl.Float64,
        "selected": pl.Boolean,
    },
    "runs": {
        "dataset": pl.String,
        "method": pl.String,
        "role": pl.String,
        "split": pl.Int32,
        "status": pl.String,
        "reason": pl.String,
        "wall_seconds": pl.Float64,
        "cpu_seconds": pl.Float64,
        "peak_mb": pl.Float64,
        "n_fits": pl.Int64,
        "seed": pl.UInt64,
        "n_selected": pl.Int32,
        "ordered": pl.Boolean,
        "subset": pl.Boolean,
        "preparation": pl.String,
        "fitted": pl.String,
        "fingerprint": pl.String,
    },
    "accuracy": {
        "dataset": pl.String,
        "method": pl.String,
        "split": pl.Int32,
        "k": pl.Int32,
        "classifier": pl.String,
        "accuracy": pl.Float64,
        "balanced_accuracy": pl.Float64,
    },
    # What is missing from accuracy although there was a selection to measure.
    "unmeasured": {
        "dataset": pl.String,
        "method": pl.String,
        "split": pl.Int32,
        "classifier": pl.String,
        "status": pl.String,
        "reason": pl.String,
    },
    "stability": {
        "dataset": pl.String,
        "method": pl.String,
        "k": pl.Int32,
        "ratio": pl.Float64,
        "measure": pl.String,
        "value": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    },
    "recovery": {
        "dataset": pl.String,
        "method": pl.String,
        "split": pl.Int32,
        "k": pl.Int32,
        "precision": pl.Float64,
        "recall": pl.Float64,
        "f1": pl.Float64,
        "phi": pl.Int32,
    },
    "facts": {
        "dataset": pl.String,
        "method": pl.String,
        "split": pl.Int32,
        "fact": pl.String,
        "value": pl.Float64,
    },
    "ledger": {
        "dataset": pl.String,
        "method": pl.String,
        **{status: pl.Int32 for status in STATUSES},
        "unmeasured": pl.Int32,
        "reason": pl.String,
    },
}

# A batch has one row per run with what it ranked, so that it is there whole or not at all.
CONTRACTS["batch"] = CONTRACTS["runs"] | {
    "feature": pl.List(pl.Int32),
    "score": pl.List(pl.Float64),
    "selected": pl.List(pl.Boolean),
    "fact": pl.List(pl.String),
    "value": pl.List(pl.Float64),
}

# A stretch of a search that is too long for one job: the values of its probes in one row.
CONTRACTS["probes"] = {
    "dataset": pl.String,
    "method": pl.String,
    "split": pl.Int32,
    "first": pl.Int32,
    "end": pl.Int32,
    "status": pl.String,
    "reason": pl.String,
    "wall_seconds": pl.Float64,
    "cpu_seconds": pl.Float64,
    "peak_mb": pl.Float64,
    "seed": pl.UInt64,
    "fingerprint": pl.String,
    "value": pl.List(pl.Float64),
}

#: Kinds of files that may have further columns, of this type: a study may ask for more measures.
_FURTHER = {"accuracy": pl.Float64}

_DIGEST = "fslib.sha256"
_REFUSED = "fslib.refused"


class ArtefactError(FslibError):
    """A file between stages is missing, damaged or not what its contract says."""


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary path beside ``path``, for a file or a folder, that replaces it on success.

    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "a" / "b.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text(), [p.name for p in target.parent.iterdir()]
    ('whole', ['b.txt'])
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        _remove(leftover)  # of a process that was killed while it wrote
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        if temporary.is_dir():
            _remove(path)
        os.replace(temporary, path)
    finally:
        _remove(temporary)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def digest(frame: pl.DataFrame) -> str:
    """Hash of a table's names, types and values, the same in every version of polars.

    Tables may have 24,000 columns or a gigabyte of values: the schema, which polars makes
    anew at every access, is asked for once, and columns are hashed a block at a time.
    """
    by_type: dict[pl.DataType, list[str]] = {}
    for name, dtype in frame.schema.items():
        by_type.setdefault(dtype, []).append(name)
    total = hashlib.sha256(repr([(str(t), names) for t, names in by_type.items()]).encode())
    total.update(repr(frame.columns).encode())
    for dtype, names in by_type.items():
        if isinstance(dtype, pl.List):
            for name in names:
                total.update(digest(frame.select(pl.col(name).list.len())).encode())
                total.update(digest(frame.select(pl.col(name).explode())).encode())
        elif dtype.is_numeric() or dtype == pl.Boolean:
            for first in range(0, len(names), 500):
                _add_numbers(total, frame[names[first : first + 500]], dtype)
        elif dtype == pl.String:
            for name in names:
                values = frame[name].unique(maintain_order=True)
                numbers = pl.int_range(len(values), dtype=pl.UInt32, eager=True)
                total.update(repr(values.to_list()).encode())
                total.update(frame[name].replace_strict(values, numbers).to_numpy())
    return total.hexdigest()


def _add_numbers(total, block: pl.DataFrame, dtype: pl.DataType) -> None:
    """Add columns of one type to a hash, a null distinct from every value."""
    counts = block.null_count().row(0)
    total.update(repr(counts).encode())
    if any(counts) and not dtype.is_float():  # of a float's nulls to_numpy makes NaN
        total.update(block.select(pl.all().is_null()).to_numpy().tobytes())
        block = block.fill_null(False if dtype == pl.Boolean else 0)
    total.update(np.ascontiguousarray(block.to_numpy().T))


def stored(path: str | os.PathLike, key: str = _DIGEST) -> str | None:
    """What a file says of itself, by default its digest; content is not read."""
    return pl.read_parquet_metadata(path).get(key)


def write(
    frame: pl.DataFrame,
    path: str | os.PathLike,
    contract: str,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a table that meets its contract, atomically, with its digest inside."""
    frame = _conform(frame, _schema(contract, frame.columns), path)
    write_any(frame, path, metadata)


def write_any(
    frame: pl.DataFrame, path: str | os.PathLike, metadata: Mapping[str, str] | None = None
) -> None:
    """Write a table without a fixed contract (aggregates, prepared tables), with its digest."""
    metadata = dict(metadata or {})
    metadata[_DIGEST] = _seal(frame, metadata)
    with atomic_path(path) as temporary:
        try:
            # Statistics are for query planners; on tables of 24,000 columns they cost a second.
            frame.write_parquet(temporary, statistics=False, metadata=metadata)
        except pl.exceptions.PolarsError as problem:
            raise ArtefactError(f"{path} cannot be written: {_first_line(problem)}") from problem


class Refused(FslibError):
    """What was to be made cannot be made of this data set; the message says why.

    A refusal is a result: it is written in place of the artefact, raised again by whoever reads
    that, passed on by the stages, and shown as rows of the ledger. Faults that another attempt may
    not have (a broken download, a full disk) are no refusals.
    """


@contextmanager
def refusing(out: str | os.PathLike, over: type[FslibError]) -> Iterator[None]:
    """Context: a `Refused` or an ``over`` raised inside becomes a refusal file at ``out``."""
    try:
        yield
    except (Refused, over) as problem:
        write_any(pl.DataFrame(), out, {_REFUSED: str(problem)})
        tell(f"refused: {problem}")


def refusal(path: str | os.PathLike) -> str | None:
    """Why there is no artefact at this path, if a refusal stands there."""
    try:
        return pl.read_parquet_metadata(path).get(_REFUSED)
    except (OSError, pl.exceptions.PolarsError):
        return None  # whoever reads the file will say what is wrong with it


def _seal(frame: pl.DataFrame, metadata: Mapping[str, str]) -> str:
    """The digest a file carries: of its content and of the metadata that programs rely on."""
    own = sorted(item for item in metadata.items() if item[0].startswith("fslib."))
    facts = json.dumps([item for item in own if item[0] != _DIGEST])
    return hashlib.sha256(f"{digest(frame)}{facts}".encode()).hexdigest()


def read(path: str | os.PathLike, contract: str) -> pl.DataFrame:
    """Read a table and check its digest and its contract."""
    frame = read_any(path)
    expected = _schema(contract, frame.columns)
    if dict(frame.schema) != expected:
        raise ArtefactError(
            f"{path} is not a {contract} file: it has columns {_brief(frame.schema)}, "
            f"expected {_brief(expected)}. Delete it to have it made again."
        )
    return frame


def read_any(path: str | os.PathLike) -> pl.DataFrame:
    """Read a table and check its digest."""
    try:
        # What panics in polars is one of its own errors, but no Exception of Python's.
        frame = pl.read_parquet(path)
        metadata = pl.read_parquet_metadata(path)
    except FileNotFoundError:
        raise ArtefactError(f"{path} does not exist.") from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as problem:
        raise ArtefactError(
            f"{path} cannot be read as parquet ({_first_line(problem)}). "
            f"Delete it to have it made again."
        ) from problem
    if metadata.get(_DIGEST) != _seal(frame, metadata):
        raise ArtefactError(
            f"{path} was changed after it was written (its digest does not match its content). "
            f"Delete it to have it made again."
        )
    if _REFUSED in metadata:
        raise Refused(metadata[_REFUSED])
    return frame


def has_contract(path: str | os.PathLike, contract: str) -> bool:
    """Whether a file has the columns of a contract; content is not read."""
    found = dict(pl.read_parquet_schema(path))
    return found == _schema(contract, found)


def read_all(paths, contract: str) -> pl.DataFrame:
    """Several files of one kind, one below the other."""
    frames = [read(path, contract) for path in paths]
    return stacked(frames, contract)


def stacked(frames: list[pl.DataFrame], contract: str) -> pl.DataFrame:
    """Tables of one kind below each other; a column that some have not is null there."""
    return pl.concat([pl.DataFrame(schema=CONTRACTS[contract]), *frames], how="diagonal")


def frame_of(rows: list[dict], contract: str, columns=()) -> pl.DataFrame:
    """A table of one kind from a list of rows; ``columns`` may name further ones."""
    return pl.DataFrame(rows, schema=_schema(contract, columns), orient="row")


def _schema(contract: str, columns) -> dict[str, pl.DataType]:
    """The columns of a kind, and further ones where the kind may have them."""
    known = CONTRACTS[contract]
    if contract not in _FURTHER:
        return known
    return known | {name: _FURTHER[contract] for name in columns if name not in known}


def _conform(frame: pl.DataFrame, schema: dict, path) -> pl.DataFrame:
    if list(frame.columns) != list(schema):
        raise ArtefactError(
            f"refusing to write {path}: columns {_brief(frame.schema)}, expected {_brief(schema)}."
        )
    frame = frame.cast(schema)
    for column, known in (("status", STATUSES), ("role", ROLES)):
        unknown = set(frame[column].unique()) - set(known) if column in schema else ()
        if unknown:
            raise ArtefactError(f"refusing to write {path}: unknown {column} {sorted(unknown)}.")
    return frame


def _first_line(problem: BaseException) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]


def _brief(schema: Mapping) -> str:
    names = [f"{name} ({dtype})" for name, dtype in list(schema.items())[:15]]
    return ", ".join(names) + (", …" if len(schema) > 15 else "")
