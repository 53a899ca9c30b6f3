"""A fit's own view of the file system: a /dev/shm of its own, and folders it cannot change.

A view is a mount namespace. Root may make one; everybody else gets it inside a user namespace,
where the kernel allows that. Making one takes tens of milliseconds and entering it none, so fits
that run one after the other use the same view, emptied in between.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fslib.run.processes import LIBC, die_with_parent

SHARED_MEMORY = "/dev/shm"
#: What it means for a run that the kernel refuses views.
UNPROTECTED = (
    "this system gives fits no view of the file system of their own: files in /dev/shm do not "
    "count, and a method could change results (CONTRIBUTING.md, What works on Linux only)"
)

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_READ_ONLY, _REMOUNT, _BIND, _RECURSIVE, _PRIVATE = 1, 1 << 5, 1 << 12, 1 << 14, 1 << 18
#: Options of a mount that whoever mounts it once more must keep: as mount and as statvfs say it.
_KEPT = {2: os.ST_NOSUID, 4: os.ST_NODEV, 8: os.ST_NOEXEC, 1 << 10: os.ST_NOATIME} | {
    1 << 11: os.ST_NODIRATIME,
    1 << 21: os.ST_RELATIME,
}


class View:
    """A view of the file system; making one raises an `OSError` where the kernel does not allow it.

    Parameters
    ----------
    read_only : folders that are read-only in it; those that do not exist are left out
    shared_mb : what fits into its /dev/shm; None is the operating system's default
    """

    def __init__(self, read_only: Iterable[str] = (), shared_mb: float | None = None):
        with _maker(read_only, shared_mb) as pid:
            # Open files keep the view alive when nobody is in it.
            self._namespaces = [
                os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY)
                for kind in ("user", "mnt")
                if not os.path.samefile(f"/proc/{pid}/ns/{kind}", f"/proc/self/ns/{kind}")
            ]
            own = f"/proc/{pid}/root{SHARED_MEMORY}"
            is_own = os.path.isdir(own) and not os.path.samefile(own, SHARED_MEMORY)
            self._shared = os.open(own, os.O_RDONLY) if is_own else None

    def enter(self) -> None:
        """Have this process and all that it starts see it."""
        folder = os.getcwd()
        for namespace in self._namespaces:
            if LIBC.setns(namespace, 0) != 0:
                raise OSError(ctypes.get_errno(), "setns")
        os.chdir(folder)

    def shared_mb(self) -> float:
        """Megabytes in its /dev/shm."""
        if self._shared is None:
            return 0.0
        space = os.fstatvfs(self._shared)
        return (space.f_blocks - space.f_bfree) * space.f_frsize / 2**20

    def device(self) -> int | None:
        """Number of the device that its /dev/shm is."""
        return None if self._shared is None else os.fstat(self._shared).st_dev

    def clear(self) -> None:
        """Remove what was left in its /dev/shm."""
        for name in [] if self._shared is None else os.listdir(self._shared):
            try:
                os.unlink(name, dir_fd=self._shared)
            except IsADirectoryError:
                shutil.rmtree(name, dir_fd=self._shared, ignore_errors=True)

    def close(self) -> None:
        for held in [*self._namespaces, *([] if self._shared is None else [self._shared])]:
            os.close(held)


@contextmanager
def _maker(read_only: Iterable[str], shared_mb: float | None) -> Iterator[int]:
    """A process in a view that it has made."""
    made, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            die_with_parent()
            _confine(read_only, shared_mb)
            os.write(tell, b"0")
            signal.pause()
        except OSError as problem:
            os.write(tell, str(problem.errno).encode())
        finally:
            os._exit(0)
    os.close(tell)
    try:
        number = int(os.read(made, 20) or errno.ECHILD)
        if number:
            raise OSError(number, os.strerror(number))
        yield pid
    finally:
        os.close(made)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _confine(read_only: Iterable[str], shared_mb: float | None) -> None:
    """Move this process to a new view."""
    _unshare()
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    for folder in filter(os.path.isdir, read_only):
        said = os.statvfs(folder).f_flag
        kept = sum(flag for flag, stated in _KEPT.items() if said & stated)
        _mount(folder, folder, None, _BIND | _RECURSIVE)
        _mount(None, folder, None, _BIND | _REMOUNT | _READ_ONLY | kept)
    if os.path.isdir(SHARED_MEMORY) and not _is_needed(SHARED_MEMORY):
        size = "" if shared_mb is None else f",size={round(shared_mb)}m"
        _mount("fslib", SHARED_MEMORY, "tmpfs", 0, f"mode=1777{size}")


def _unshare() -> None:
    user, group = os.getuid(), os.getgid()
    if LIBC.unshare(_NEW_MOUNTS) == 0:
        return
    if LIBC.unshare(_NEW_MOUNTS | _NEW_USER) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    # Everybody stays who they were; to set other groups is not allowed to those who map one.
    for file, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path("/proc/self", file).write_text(line)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str = ""
) -> None:
    arguments = [os.fsencode(text) if text else None for text in (source, target, kind)]
    if LIBC.mount(*arguments, ctypes.c_ulong(flags), os.fsencode(options) or None) != 0:
        raise OSError(ctypes.get_errno(), "mount", target)


def _is_needed(folder: str) -> bool:
    """Whether somebody works in a folder or has installed Python there."""
    return any(
        Path(used).absolute().is_relative_to(folder) for used in (".", sys.prefix, *sys.path)
    )
