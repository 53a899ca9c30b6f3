"""Getting one file out of what a server sends, never writing where an archive says.

Steps: ``zip:member``, ``tar:member`` (compressed or not; a pattern such as ``*.sgm`` joins
the matching members in the order of their names), ``gz``, ``Z``.
"""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from fslib.data.errors import DataError

_BLOCK = 1 << 20
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,  # a kind of compression that Python's zipfile does not know
)


class UnpackError(DataError):
    """An archive is damaged or does not hold the file."""


def unpack(packed: Path, steps: tuple[str, ...], result: Path, limit: int | None) -> None:
    """Apply ``steps`` to ``packed`` and write ``result``, at most ``limit`` bytes of it.

    Members are read as streams, so a name such as ``../../etc/passwd`` leads nowhere; the
    limit stops a small archive that would fill the disk.
    """
    try:
        with _opened(packed, steps) as stream, result.open("wb") as out:
            written = 0
            while block := stream.read(_BLOCK):
                written += len(block)
                if limit is not None and written > limit:
                    raise UnpackError(f"holds more than the expected {limit:,} bytes")
                out.write(block)
    except _DAMAGE as problem:
        raise UnpackError(f"is damaged or no such archive ({problem})") from problem


@contextmanager
def _opened(packed: Path, steps: tuple[str, ...]) -> Iterator[BinaryIO]:
    with packed.open("rb") as stream:
        layers: list[BinaryIO] = [stream]
        for step in steps:
            kind, _, member = step.partition(":")
            layers.append(_LAYERS[kind](layers[-1], member))
        try:
            yield layers[-1]
        finally:
            for layer in reversed(layers[1:]):
                layer.close()


def _zip(stream: BinaryIO, member: str) -> BinaryIO:
    archive = zipfile.ZipFile(stream)
    if member not in archive.namelist():
        raise UnpackError(f"has no member {member!r}; it has {_some(archive.namelist())}")
    return archive.open(member)


def _tar(stream: BinaryIO, pattern: str) -> BinaryIO:
    # Streams of other layers may be slow to seek, and tar files here are small.
    with tarfile.open(fileobj=io.BytesIO(stream.read())) as archive:
        files = {m.name.removeprefix("./"): m for m in archive.getmembers() if m.isfile()}
        wanted = sorted(name for name in files if fnmatch(name, pattern))
        if not wanted:
            raise UnpackError(f"has no member {pattern!r}; it has {_some(sorted(files))}")
        return io.BytesIO(b"".join(archive.extractfile(files[name]).read() for name in wanted))


def _gzip(stream: BinaryIO, _: str) -> BinaryIO:
    return gzip.GzipFile(fileobj=stream)


def _compress(stream: BinaryIO, _: str) -> BinaryIO:
    from unlzw3 import unlzw

    try:
        return io.BytesIO(unlzw(stream.read()))
    except ValueError as problem:
        raise UnpackError(f"is no .Z file ({problem})") from problem


def _some(names: list[str]) -> str:
    return ", ".join(repr(n) for n in names[:8]) + (", …" if len(names) > 8 else "") or "none"


_LAYERS = {"zip": _zip, "tar": _tar, "gz": _gzip, "Z": _compress}
