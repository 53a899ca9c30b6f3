"""Fits in child processes under limits of time and memory: failure becomes data.

Each task runs in a forked child that inherits the arrays, in a session of its own. The
parent polls: it collects results, ends the whole process tree of a task over its limits,
and classifies whatever happened. Nothing that a task started lives longer than the task, however
it ended. Children never use polars (a forked polars hangs).
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe, wait

from fslib.run import processes
from fslib.run.limits import Limits
from fslib.run.output import Output
from fslib.run.sandbox import UNPROTECTED, View
from fslib.run.threads import allow

#: Old tasks are looked at less often: after a twentieth of their age, within these bounds. A result
#: wakes the parent at once.
_POLL_SECONDS = (0.05, 0.5)
#: For private memory the kernel walks through all pages, for milliseconds; what is resident,
#: never less, it knows at once. Private memory is looked at again once so much more is resident,
#: and always above this share of the limit.
_GROWN_MB, _NEARLY_FULL = 16, 0.8
_DEATHS_BY_MEMORY = (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGBUS)
#: Tasks of all pools of this process: none is an orphan of another.
_TASKS: set[int] = set()


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
    output: Output | None
    view: View | None
    started: float
    next_look: float
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    resident_mb: float = 0.0
    """What was resident when private memory was last looked at."""


def run_limited(
    tasks: Iterable[tuple[object, Callable[[], object]]],
    *,
    workers: int,
    threads: int = 1,
    limits: Limits = Limits(),  # noqa: B008 (it is frozen)
    log_fd: int | None = None,
    read_only: Iterable[str] = (),
) -> Iterator[tuple[object, Outcome]]:
    """Run tasks in child processes, at most ``workers`` at once; yield outcomes as they end.

    Parameters
    ----------
    tasks : pairs of a key and a function without arguments; its value must be picklable
    workers : how many run at once
    threads : how many threads each of them may use (see `fslib.run.threads`)
    limits : of each task, its child processes included
    log_fd : where a task's output goes, up to a cap; nowhere by default
    read_only : folders that tasks cannot change, where the kernel allows to say so
    """
    waiting = iter(tasks)
    running: list[_Running] = []
    exhausted = False
    views = _Views(tuple(read_only), limits, log_fd)
    innocent = processes.children(os.getpid())
    adopted = processes.adopts_orphans()
    # A task that dies suddenly lets go of what it started: then this process gets it.
    processes.adopt_orphans()
    # A collection in a task would visit, and so copy, every object that the task inherits.
    gc.freeze()
    try:
        while running or not exhausted:
            while len(running) < workers and not exhausted:
                task = next(waiting, None)
                if task is None:
                    exhausted = True
                else:
                    running.append(_start(*task, threads, limits, log_fd, views.take()))
            ready = _wait(running)
            for task in list(running):
                if task.output:
                    task.output.drain()
                if task.results in ready or time.monotonic() >= task.next_look:
                    outcome = _poll(task, limits, innocent)
                    if outcome is not None:
                        running.remove(task)
                        views.give_back(task.view)
                        yield task.key, outcome
    finally:
        if running:
            # A second ctrl-c must not stop the clearing up.
            interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
            for task in running:
                _end(task, innocent)
            signal.signal(signal.SIGINT, interrupt)
        gc.unfreeze()
        processes.adopt_orphans(adopted)
        views.close()


class _Views:
    """Views of the file system for tasks, as many as run at once."""

    def __init__(self, read_only: tuple[str, ...], limits: Limits, log_fd: int | None):
        self._read_only, self._log_fd = read_only, log_fd
        # Twice the limit, so that the poll sees a task that has more than it may.
        self._shared_mb = None if limits.memory_mb is None else 2 * limits.memory_mb
        self._all: list[View] = []
        self._free: list[View] = []
        self._possible = True

    def take(self) -> View | None:
        """A view that no task uses; None where the kernel allows none."""
        if not self._free and self._possible:
            try:
                self._free = [View(self._read_only, self._shared_mb)]
                self._all += self._free
            except OSError as problem:
                self._possible = False
                self._note(f"{problem.strerror}: {UNPROTECTED}")
        return self._free.pop() if self._free else None

    def give_back(self, view: View | None) -> None:
        if view:
            view.clear()
            self._free.append(view)

    def close(self) -> None:
        for view in self._all:
            view.close()

    def _note(self, text: str) -> None:
        if self._log_fd is not None:
            os.write(self._log_fd, f"{text}\n".encode())


def _wait(running: list[_Running]) -> list:
    """Wait for a result, for output or for the time to look at a task."""
    pause = min((task.next_look for task in running), default=0.0) - time.monotonic()
    sources = [task.results for task in running] + [t.output for t in running if t.output]
    return wait(sources, timeout=max(pause, 0.0))


def _start(
    key, function, threads: int, limits: Limits, log_fd: int | None, view: View | None
) -> _Running:
    receiver, sender = Pipe(duplex=False)
    output = None if log_fd is None else Output(log_fd)
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            receiver.close()
            _isolate(parent, limits, output, view)
            allow(threads)
            _run(function, sender)
            while True:
                signal.pause()  # alive, it keeps what it started below it until the parent ends all
        finally:
            os._exit(1)
    _TASKS.add(pid)
    sender.close()
    if output:
        output.started()
    now = time.monotonic()
    return _Running(key, pid, receiver, output, view, now, now + _POLL_SECONDS[0])


def _isolate(parent: int, limits: Limits, output: Output | None, view: View | None) -> None:
    os.setsid()
    if view:
        view.enter()
    processes.adopt_orphans()
    processes.die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    for stream in (1, 2):
        os.dup2(output.writer if output else null, stream)
    sys.stdout = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="replace", closefd=False)
    if limits.memory_mb is not None:
        # A backstop for what grows faster than the poll; RLIMIT_AS would count address space.
        _restrict(resource.RLIMIT_DATA, (_status_mb("VmData") + 2 * limits.memory_mb) * 2**20)
    if limits.seconds is not None:
        # A backstop for a parent that is too busy to look; the kernel counts whole seconds.
        _restrict(resource.RLIMIT_CPU, limits.seconds + 2)
    _restrict(resource.RLIMIT_CORE, 0)


def _restrict(kind: int, most: float) -> None:
    """Lower a limit of the operating system, never raise it."""
    soft, hard = resource.getrlimit(kind)
    most = min([int(most), *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(kind, (most, hard))


def attempt(function: Callable[[], object]) -> Outcome:
    """Call a function; what it raises becomes a status and a reason."""
    try:
        return Outcome("ok", value=function())
    except MemoryError as problem:
        return Outcome("out_of_memory", f"MemoryError: {problem}".rstrip(": "))
    except BaseException as problem:  # a method may call sys.exit or raise anything at all
        return Outcome("error", _describe(problem))


def _run(function: Callable[[], object], sender: Connection) -> None:
    with suppress(OSError), open("/proc/self/clear_refs", "w") as reset_peak:
        reset_peak.write("5")
    before_mb = _status_mb("VmRSS")
    wall, cpu = time.perf_counter(), _cpu_seconds()
    outcome = attempt(function)
    cost = {
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": _cpu_seconds() - cpu,
        "peak_mb": max(0.0, _status_mb("VmHWM") - before_mb),
    }
    try:
        message = pickle.dumps(replace(outcome, **cost))
    except Exception as problem:
        message = pickle.dumps(Outcome("error", f"result cannot be sent: {problem!r}", **cost))
    sender.send_bytes(message)
    sender.close()


def _poll(task: _Running, limits: Limits, innocent: list[int]) -> Outcome | None:
    """The task's outcome if it is over, after making sure that nothing of it lives on."""
    elapsed = time.monotonic() - task.started
    # Dead without a word, while a descendant keeps its end of the pipe open?
    dead = processes.is_over(task.pid)
    if task.results.poll():
        outcome = _receive(task)
        # A full /dev/shm is an error like any other; what a quick fit left there is still there.
        left_behind = task.view is not None and task.view.shared_mb() >= 1
        if outcome and (outcome.status == "error" or left_behind):
            _look(task, limits)
            if _is_too_large(task, limits):
                outcome = _failure(task, elapsed, "out_of_memory", _too_large(limits))
        status = _end(task, innocent)
        if outcome is None:
            return _classify(task, status, elapsed, limits)
        return replace(outcome, peak_mb=max(outcome.peak_mb, task.peak_mb))
    _look(task, limits)
    exceeded = None if dead else _exceeded(task, elapsed, limits)
    if exceeded:
        _end(task, innocent)
        return _failure(task, elapsed, *exceeded)
    return _classify(task, _end(task, innocent), elapsed, limits) if dead else None


def _exceeded(task: _Running, elapsed: float, limits: Limits) -> tuple[str, str] | None:
    """Status and reason of a task that is over one of its limits."""
    if _is_too_large(task, limits):
        return "out_of_memory", _too_large(limits)
    if limits.seconds is not None and task.cpu_seconds > limits.seconds:
        return "timeout", f"more than {limits.seconds:g} s of CPU time"
    if limits.clock_seconds is not None and elapsed > limits.clock_seconds:
        return "timeout", f"more than {limits.clock_seconds:g} s"
    return None


def _is_too_large(task: _Running, limits: Limits) -> bool:
    return limits.memory_mb is not None and task.peak_mb > limits.memory_mb


def _too_large(limits: Limits) -> str:
    return f"more than {limits.memory_mb:g} MB"


def _receive(task: _Running) -> Outcome | None:
    try:
        return pickle.loads(task.results.recv_bytes())
    except (EOFError, OSError):
        return None


def _classify(task: _Running, status: int, elapsed: float, limits: Limits) -> Outcome:
    if not os.WIFSIGNALED(status):
        code = os.waitstatus_to_exitcode(status)
        return _failure(task, elapsed, "error", f"process ended with code {code} and no result")
    number = os.WTERMSIG(status)
    # Real-time signals have no name.
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    nearly_full = limits.memory_mb is not None and task.peak_mb > _NEARLY_FULL * limits.memory_mb
    if nearly_full and number in _DEATHS_BY_MEMORY:
        return _failure(task, elapsed, "out_of_memory", f"{name} at {task.peak_mb:.0f} MB")
    if number == signal.SIGXCPU:
        return _failure(task, elapsed, "timeout", f"more than {limits.seconds:g} s of CPU time")
    return _failure(task, elapsed, "error", f"killed by {name}")


def _failure(task: _Running, elapsed: float, status: str, reason: str) -> Outcome:
    cost = {"cpu_seconds": task.cpu_seconds, "peak_mb": task.peak_mb}
    return Outcome(status, reason, wall_seconds=elapsed, **cost)


def _look(task: _Running, limits: Limits) -> None:
    """Note what the processes of a task have used together."""
    tree = [task.pid, *processes.descendants(task.pid)]
    # Time of a process that nobody waited for is lost with it: the most that was seen counts.
    task.cpu_seconds = max(task.cpu_seconds, processes.cpu_seconds(tree))
    if limits.memory_mb is not None:
        resident = sum(map(processes.resident_mb, tree))
        enough = min(task.resident_mb + _GROWN_MB, _NEARLY_FULL * limits.memory_mb)
        if resident > enough or (task.view and task.view.shared_mb() >= 1):
            task.peak_mb = max(task.peak_mb, _memory_mb(tree, task.view))
            task.resident_mb = resident
    shortest, longest = _POLL_SECONDS
    now = time.monotonic()
    task.next_look = now + min(max((now - task.started) / 20, shortest), longest)


def _memory_mb(tree: list[int], view: View | None) -> float:
    """Private memory of some processes and their files in /dev/shm, whether mapped or not."""
    if not view or view.shared_mb() < 1:
        return sum(map(processes.private_mb, tree))

    def mapped() -> float:
        """What only one process has mapped: it is in that process's private memory already."""
        return sum(processes.private_mb_of_device(pid, view.device()) for pid in tree)

    # Looked at before and after: a file may be mapped, or let go, while the sums are taken.
    before = mapped()
    private, shared = sum(map(processes.private_mb, tree)), view.shared_mb()
    return private + max(0.0, shared - max(before, mapped()))


def _end(task: _Running, innocent: list[int]) -> int:
    """End a task and all that it started, detached or not; the task's exit status."""
    processes.end_descendants(task.pid)
    died_suddenly = processes.is_over(task.pid)
    below = processes.descendants(task.pid)
    os.kill(task.pid, signal.SIGKILL)
    status = os.waitpid(task.pid, 0)[1]
    _TASKS.discard(task.pid)
    processes.reap(below)
    if died_suddenly:
        processes.end_strays([*innocent, *_TASKS])
    task.results.close()
    if task.output:
        task.output.close()
    return status


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
