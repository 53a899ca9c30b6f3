"""Raw files: from the cache, the mirror or the network, never used before their hash is right."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from fslib.data.archives import UnpackError, unpack
from fslib.data.catalogue import Card, File
from fslib.data.downloads import DownloadError, download
from fslib.data.errors import DataError

log = logging.getLogger("fslib.data")


class FetchError(DataError):
    """A raw file could not be had from any of its sources."""


@dataclass(frozen=True)
class Places:
    """Where raw files are kept and may come from."""

    cache: Path
    mirror: str | None
    """A folder, or an address that begins with http:// or https://."""
    offline: bool

    @classmethod
    def given(cls, mirror=None, offline=None, cache=None) -> Places:
        """From arguments, else FSLIB_MIRROR, FSLIB_OFFLINE and FSLIB_DATA."""
        if offline is None:
            offline = os.environ.get("FSLIB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}
        cache = cache or os.environ.get("FSLIB_DATA") or Path("data", "raw")
        mirror = str(mirror or os.environ.get("FSLIB_MIRROR") or "") or None
        if mirror and not mirror.startswith(("http://", "https://")):
            mirror = os.path.expanduser(mirror)
        return cls(Path(cache).expanduser(), mirror, bool(offline))

    @property
    def mirror_is_folder(self) -> bool:
        return self.mirror is not None and not self.mirror.startswith(("http://", "https://"))

    def cached(self, file: File) -> Path:
        return self.cache / file.folder / file.name


@dataclass(frozen=True)
class Fetched:
    """A verified raw file and where it came from."""

    path: Path
    sha256: str
    address: str


def obtain(e: Card, places: Places, progress: bool = False) -> dict[str, Fetched]:
    """Every raw file of a data set, verified; what is not in the cache is fetched first."""
    if found := _all_cached(e, places):
        return found
    folder = places.cache / e.files[0].folder
    try:
        with _alone(folder), _scratch(folder / ".fetching") as scratch:
            # `_one` looks into the cache again, as another process may have fetched the file while
            # this process waited for the lock.
            return {f.name: _one(e, f, places, scratch, progress) for f in e.files}
    except OSError as problem:
        names = ", ".join(f.name for f in e.files)
        raise FetchError(
            f"{e.name}: cannot write {names} below {places.cache} ({problem.strerror}). "
            f"Free some space or point FSLIB_DATA to another folder."
        ) from problem


def _all_cached(e: Card, places: Places) -> dict[str, Fetched] | None:
    found = {file.name: _cached(file, places)[0] for file in e.files}
    return found if all(found.values()) else None


def _cached(file: File, places: Places) -> tuple[Fetched | None, str]:
    """The file in the cache if it is as registered, else what is wrong with it."""
    path = places.cached(file)
    if not path.exists():
        return None, ""
    digest = sha256_of(path)
    complaint = _complaint(file, path, digest)
    return (None, complaint) if complaint else (Fetched(path, digest, _address_noted(path)), "")


def _one(e: Card, file: File, places: Places, scratch: Path, progress: bool) -> Fetched:
    path = places.cached(file)
    found, complaint = _cached(file, places)
    if found:
        return found
    problems = [f"{path}: {complaint}"] if complaint else []
    if complaint:
        log.warning("%s: %s; getting it again", path, complaint)
    for address, steps in _addresses(file, places):
        candidate = scratch / "candidate"
        log.info("getting %s from %s", file.name, address)
        try:
            _get(file, address, steps, candidate, scratch, progress)
            digest = sha256_of(candidate)
            complaint = _complaint(file, candidate, digest)
        except (DownloadError, UnpackError) as problem:
            complaint = str(problem)
        if not complaint:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.replace(candidate, path)
            _source_note(path).write_text(address + "\n", encoding="utf-8")
            return Fetched(path, digest, address)
        candidate.unlink(missing_ok=True)
        problems.append(f"{address}: {complaint}")
        log.info("%s: %s", address, complaint)
    raise FetchError(_explanation(e, file, places, problems))


def _addresses(file: File, places: Places) -> Iterator[tuple[str, tuple[str, ...]]]:
    if places.mirror_is_folder:
        yield str(Path(places.mirror, file.mirror)), file.mirror_unpack
    if places.offline:
        return
    if places.mirror and not places.mirror_is_folder:
        yield f"{places.mirror.rstrip('/')}/{quote(file.mirror)}", file.mirror_unpack
    for source in file.sources:
        yield source.url, source.unpack


def _get(file: File, address: str, steps, candidate: Path, scratch: Path, progress: bool) -> None:
    if address.startswith(("http://", "https://")):
        # Named by the address: an archive that holds several files is downloaded once.
        whole = scratch / hashlib.sha256(address.encode()).hexdigest()
        if not whole.exists():
            part = whole.with_suffix(".part")
            label = f"{file.folder}/{file.name}"
            size = None if steps else file.bytes
            download(address, part, size=size, label=label, progress=progress)
            part.rename(whole)
    else:
        whole = Path(address)
        try:
            whole.open("rb").close()
        except OSError as problem:
            raise DownloadError(f"cannot be read ({problem.strerror})") from problem
    if steps:
        try:
            unpack(whole, steps, candidate, file.bytes)
        except UnpackError as problem:
            raise UnpackError(f"{problem}{_looks_like_html(whole)}") from problem
    else:
        shutil.copyfile(whole, candidate)


def sha256_of(path: Path) -> str:
    """Hash of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _complaint(file: File, path: Path, digest: str) -> str:
    """What is wrong with a file's bytes; nothing where they are as registered."""
    if digest == file.sha256 or digest in file.also_sha256:
        return ""
    size = path.stat().st_size
    if file.sha256 is None:
        return _looks_like_html(path).removeprefix("; ") if size else "it is empty"
    expected = f"{file.bytes:,} bytes with " if file.bytes else ""
    return (
        f"{file.name} should have {expected}sha256 {file.sha256}, found {size:,} bytes with "
        f"sha256 {digest}{_looks_like_html(path)}"
    )


def _looks_like_html(path: Path) -> str:
    with path.open("rb") as stream:
        start = stream.read(512).lstrip().lower()
    return "; it is an HTML page" if start.startswith((b"<!doctype html", b"<html")) else ""


def _explanation(e: Card, file: File, places: Places, problems: list[str]) -> str:
    size = f"{file.bytes:,} bytes, " if file.bytes else ""
    lines = [f"{e.name}: could not get {file.name} ({size}sha256 {file.sha256 or 'not known'})."]
    lines += [f"  {problem}" for problem in problems]
    if places.offline:
        where = file.sources[0].url if file.sources else "its authors"
        lines.append(f"  Offline, so no connection was opened. It can be had from {where}")
    lines.append(
        f"  Put it at {places.cached(file)}, or set FSLIB_MIRROR to a folder that has "
        f"{file.mirror}."
    )
    return "\n".join(lines)


def _source_note(path: Path) -> Path:
    return path.with_name(f"{path.name}.source")


def _address_noted(path: Path) -> str:
    note = _source_note(path)
    return note.read_text(encoding="utf-8").strip() if note.exists() else "put there by hand"


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """An empty folder, removed at the end; what a killed process left in it is removed first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that one process at a time fetches into it.

    The lock of a process that dies is free again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as problem:  # some network file systems know no locks
            log.warning(
                "no lock on %s (%s): fetch with one process at a time", folder, problem.strerror
            )
        yield
