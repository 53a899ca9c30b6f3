"""Fits in child processes under a wall-clock and a memory limit: failure becomes data.

Each task runs in a forked child that inherits the arrays, in a session of its own. The
parent polls: it collects results, kills the whole process tree of a task over its limits,
and classifies whatever happened. Children never use polars (a forked polars hangs).
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, Pipe, wait

import psutil

#: Looking at a task's memory makes the kernel walk its pages, so old tasks are looked at less
#: often: after a twentieth of their age, within these bounds. A result wakes the parent at once.
_POLL_SECONDS = (0.05, 0.5)
_DEATHS_BY_MEMORY = (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL)
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Outcome:
    """What became of one task."""

    status: str
    reason: str = ""
    value: object = None
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0


@dataclass
class _Running:
    key: object
    pid: int
    results: Connection
    started: float
    peak_mb: float = 0.0
    tree: dict[int, psutil.Process] = field(default_factory=dict)


def run_limited(
    tasks: Iterable[tuple[object, Callable[[], object]]],
    *,
    workers: int,
    seconds: float | None = None,
    memory_mb: float | None = None,
    log_fd: int | None = None,
) -> Iterator[tuple[object, Outcome]]:
    """Run tasks in child processes, at most ``workers`` at once; yield outcomes as they end."""
    waiting = iter(tasks)
    running: list[_Running] = []
    exhausted = False
    try:
        while running or not exhausted:
            while len(running) < workers and not exhausted:
                task = next(waiting, None)
                if task is None:
                    exhausted = True
                else:
                    running.append(_start(*task, memory_mb, log_fd))
            wait([r.results for r in running], timeout=_pause(running))
            for task in list(running):
                outcome = _poll(task, seconds, memory_mb)
                if outcome is not None:
                    running.remove(task)
                    yield task.key, outcome
    finally:
        if running:
            # A second ctrl-c must not stop the clearing up.
            interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
            for task in running:
                _kill(task)
            signal.signal(signal.SIGINT, interrupt)


def _pause(running: list[_Running]) -> float:
    shortest, longest = _POLL_SECONDS
    youngest = time.monotonic() - max((r.started for r in running), default=0.0)
    return min(max(youngest / 20, shortest), longest)


def _start(key, function, memory_mb, log_fd) -> _Running:
    receiver, sender = Pipe(duplex=False)
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            receiver.close()
            _isolate(parent, memory_mb, log_fd)
            _run(function, sender)
        finally:
            os._exit(0)
    sender.close()
    return _Running(key, pid, receiver, time.monotonic())


def _isolate(parent: int, memory_mb: float | None, log_fd: int | None) -> None:
    os.setsid()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    for stream in (1, 2):
        os.dup2(null if log_fd is None else log_fd, stream)
    sys.stdout = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="replace", closefd=False)
    if memory_mb is not None:
        # A backstop for what grows faster than the poll; RLIMIT_AS would count address space.
        ceiling = int((_status_mb("VmData") + 2 * memory_mb) * 2**20)
        resource.setrlimit(resource.RLIMIT_DATA, (ceiling, ceiling))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run(function: Callable[[], object], sender: Connection) -> None:
    with suppress(OSError), open("/proc/self/clear_refs", "w") as reset_peak:
        reset_peak.write("5")
    before_mb = _status_mb("VmRSS")
    wall, cpu = time.perf_counter(), _cpu_seconds()
    value, status, reason = None, "ok", ""
    try:
        value = function()
    except MemoryError as problem:
        status, reason = "out_of_memory", f"MemoryError: {problem}".rstrip(": ")
    except BaseException as problem:  # a method may call sys.exit or raise anything at all
        status, reason = "error", _describe(problem)
    cost = {
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": _cpu_seconds() - cpu,
        "peak_mb": max(0.0, _status_mb("VmHWM") - before_mb),
    }
    try:
        message = pickle.dumps(Outcome(status, reason, value, **cost))
    except Exception as problem:
        message = pickle.dumps(Outcome("error", f"result cannot be sent: {problem!r}", **cost))
    sender.send_bytes(message)
    sender.close()


def _poll(task: _Running, seconds: float | None, memory_mb: float | None) -> Outcome | None:
    """The task's outcome if it is over, after making sure that nothing of it lives on."""
    _look(task, memory_mb is not None)
    elapsed = time.monotonic() - task.started
    if task.results.poll():
        outcome = _receive(task)
        status = _kill(task)
        if outcome is None:
            return _classify(task, status, elapsed, memory_mb)
        return replace(outcome, peak_mb=max(outcome.peak_mb, task.peak_mb))
    if memory_mb is not None and task.peak_mb > memory_mb:
        _kill(task)
        return _failure(task, elapsed, "out_of_memory", f"more than {memory_mb:g} MB")
    if seconds is not None and elapsed > seconds:
        _kill(task)
        return _failure(task, elapsed, "timeout", f"more than {seconds:g} s")
    # Dead without a word, while a descendant keeps its end of the pipe open?
    if _is_zombie(task.pid) and not task.results.poll():
        return _classify(task, _kill(task), elapsed, memory_mb)
    return None


def _receive(task: _Running) -> Outcome | None:
    try:
        return pickle.loads(task.results.recv_bytes())
    except (EOFError, OSError):
        return None


def _classify(task: _Running, status: int, elapsed: float, memory_mb: float | None) -> Outcome:
    if not os.WIFSIGNALED(status):
        code = os.waitstatus_to_exitcode(status)
        return _failure(task, elapsed, "error", f"process ended with code {code} and no result")
    number = os.WTERMSIG(status)
    name = signal.Signals(number).name
    if memory_mb is not None and number in _DEATHS_BY_MEMORY and task.peak_mb > 0.8 * memory_mb:
        return _failure(task, elapsed, "out_of_memory", f"{name} at {task.peak_mb:.0f} MB")
    return _failure(task, elapsed, "error", f"killed by {name}")


def _failure(task: _Running, elapsed: float, status: str, reason: str) -> Outcome:
    return Outcome(status, reason, wall_seconds=elapsed, peak_mb=task.peak_mb)


def _look(task: _Running, memory: bool) -> None:
    """Note the processes of a task and, if asked, the private memory they use together."""
    for pid in [task.pid, *_descendants(task.pid)]:
        if pid not in task.tree:
            with suppress(psutil.Error):
                task.tree[pid] = psutil.Process(pid)
    if memory:
        task.peak_mb = max(task.peak_mb, sum(map(_private_mb, task.tree)))


def _descendants(pid: int) -> list[int]:
    """Children and their children; the kernel's own list, as scanning /proc is slow."""
    found = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as children:
                found += [int(child) for child in children.read().split()]
    return found + [deeper for child in found for deeper in _descendants(child)]


def _is_zombie(pid: int) -> bool:
    with suppress(OSError), open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "Z"
    return True


def _kill(task: _Running) -> int:
    """End a task's whole tree (its session, every descendant ever seen); the exit status."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(task.pid, signal.SIGKILL)
    for process in task.tree.values():
        # psutil compares start times, so a recycled process number is left alone.
        with suppress(psutil.Error):
            process.kill()
    task.results.close()
    return os.waitpid(task.pid, 0)[1]


def _private_mb(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/smaps_rollup") as lines:
            for line in lines:
                if line.startswith("Private_Dirty"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def _status_mb(field_name: str) -> float:
    try:
        with open("/proc/self/status") as lines:
            for line in lines:
                if line.startswith(field_name + ":"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _describe(problem: BaseException) -> str:
    text = " ".join(str(problem).split())
    return f"{type(problem).__name__}: {text}"[:500]
