"""A process and everything it started: found, measured and ended, detached or not.

A process that detaches itself (a daemon) loses its parent, and the kernel gives it to its nearest
living ancestor that adopts orphans. Tasks adopt theirs, so whatever a task started stays below it
for as long as the task lives.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress

LIBC = ctypes.CDLL(None, use_errno=True)
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 1, 36, 37
#: A process that the kernel cannot end (it waits for a dead disk) is given up after this time.
_PATIENCE_SECONDS = 10.0


def adopt_orphans(wanted: bool = True) -> None:
    """Make this process, or no longer, the parent of descendants whose parent ends."""
    LIBC.prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(wanted), 0, 0, 0)


def adopts_orphans() -> bool:
    adopts = ctypes.c_int(0)
    LIBC.prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(adopts), 0, 0, 0)
    return bool(adopts.value)


def die_with_parent() -> None:
    LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """Process ids of a process's children, zombies too; the kernel's list, as scanning is slow."""
    found = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as listed:
                found += [int(child) for child in listed.read().split()]
    return found


def descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [deeper for child in found for deeper in descendants(child)]


def is_over(pid: int) -> bool:
    """Whether a process has ended; a zombie, for whose end its parent has not waited, has."""
    stat = _stat(pid)
    return not stat or stat[0] in "ZX"


def cpu_seconds(pids: Iterable[int]) -> float:
    """Processor time of some processes and of those they started and waited for."""
    return sum(sum(map(int, _stat(pid)[11:15])) for pid in pids) / _TICKS


def _stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat from the third on, the state; none if there is no process."""
    with suppress(OSError), open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()
    return []


def resident_mb(pid: int) -> float:
    """Memory of a process that is in RAM, shared or not: never less than what it has to itself."""
    with suppress(OSError), open(f"/proc/{pid}/statm") as counts:
        return int(counts.read().split()[1]) * _PAGE_MB
    return 0.0


def private_mb(pid: int) -> float:
    """Memory that a process has to itself; of a forked one, what it has changed since."""
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as lines:
        for line in lines:
            if line.startswith("Private_Dirty"):
                return int(line.split()[1]) / 1024
    return 0.0


def private_mb_of_device(pid: int, device: int) -> float:
    """The part of a process's private memory that is files of one device, mapped by it alone."""
    total, counts = 0, False
    wanted = f"{os.major(device):02x}:{os.minor(device):02x}"
    with suppress(OSError), open(f"/proc/{pid}/smaps") as lines:
        for line in lines:
            first = line.split(maxsplit=5)
            if not first[0].endswith(":"):  # the line that begins a mapping, its device the fourth
                counts = first[3] == wanted
            elif counts and first[0] == "Private_Dirty:":
                total += int(first[1])
    return total / 1024


def end_descendants(pid: int) -> None:
    """End all that a process has started; the process itself is stopped and stays."""
    _send(pid, signal.SIGSTOP)  # so that it neither starts more nor ends and lets go of the rest
    _end_all(lambda: descendants(pid))


def end_strays(innocent: Iterable[int]) -> None:
    """End children of this process that it never started: orphans that it had to adopt.

    An orphan belonged to a task, so it is in another session than this process; what is in this
    session or among the ``innocent`` is left alone.
    """
    session, innocent = os.getsid(0), set(innocent)

    def strays() -> list[int]:
        found = []
        for child in children(os.getpid()):
            with suppress(ProcessLookupError):
                if child not in innocent and os.getsid(child) != session:
                    found += [child, *descendants(child)]
        return found

    reap(_end_all(strays))


def _end_all(listed) -> list[int]:
    """Kill what a function lists until it lists no living process; what is left to wait for."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        found = listed()
        living = [pid for pid in found if not is_over(pid)]
        if not living or time.monotonic() > deadline:
            return found
        for pid in living:
            _send(pid, signal.SIGKILL)
        time.sleep(0.0005)


def reap(pids: Iterable[int]) -> None:
    """Wait for ended children, so that they are zombies no longer; other processes are left out."""
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
