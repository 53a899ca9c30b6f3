"""How long a graph of jobs takes on some cores: list scheduling, the longest way first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Task:
    """A job: ``alone`` seconds that one core works for, ``shared`` ones that its threads divide."""

    alone: float
    shared: float = 0.0
    threads: int = 1
    after: tuple[str, ...] = ()
    """Names of the jobs whose files it reads."""

    def wall(self, cores: int | None = None) -> float:
        """Seconds on so many cores, or with all threads that it wants."""
        return self.alone + self.shared / min(self.threads, cores or self.threads)

    @property
    def cpu(self) -> float:
        return self.alone + self.shared


@dataclass(frozen=True)
class Schedule:
    """What became of a graph of jobs on some cores."""

    wall: float
    use: float
    """Share of the cores' time that went into jobs."""
    ends: dict[str, float] = field(repr=False, compare=False)
    """When each job ends."""


def ways_to_the_end(tasks: Mapping[str, Task]) -> dict[str, float]:
    """Seconds from the start of each job to the end of the longest chain that begins with it.

    >>> ways_to_the_end({"a": Task(1), "b": Task(5, after=("a",)), "c": Task(2, after=("a",))})
    {'a': 6.0, 'b': 5.0, 'c': 2.0}
    """
    ways = {}
    longest_after = dict.fromkeys(tasks, 0.0)
    for name in reversed(_in_order(tasks)):
        ways[name] = float(tasks[name].wall() + longest_after[name])
        for before in tasks[name].after:
            longest_after[before] = max(longest_after[before], ways[name])
    return {name: ways[name] for name in tasks}


def _in_order(tasks: Mapping[str, Task]) -> list[str]:
    """Every job after those that it waits for."""
    followers = _followers(tasks)
    waits = {name: len(task.after) for name, task in tasks.items()}
    order = [name for name, count in waits.items() if not count]
    for name in order:
        for follower in followers[name]:
            waits[follower] -= 1
            if not waits[follower]:
                order.append(follower)
    return order


def _followers(tasks: Mapping[str, Task]) -> dict[str, list[str]]:
    followers: dict[str, list[str]] = {name: [] for name in tasks}
    for name, task in tasks.items():
        for before in task.after:
            followers[before].append(name)
    return followers


def scheduled(tasks: Mapping[str, Task], cores: int) -> Schedule:
    """Start whatever is ready and fits, the longest way to the end first, as Snakemake does.

    >>> scheduled({name: Task(1) for name in "abcd"}, cores=2)
    Schedule(wall=2.0, use=1.0)
    """
    ways, followers = ways_to_the_end(tasks), _followers(tasks)
    waits = {name: len(task.after) for name, task in tasks.items()}
    ready: dict[int, list[tuple[float, str]]] = {}  # by threads, so that what fits is found at once
    running: list[tuple[float, str, int]] = []
    now, free, busy = 0.0, cores, 0.0
    ends: dict[str, float] = {}

    def make_ready(name: str) -> None:
        threads = min(tasks[name].threads, cores)
        heapq.heappush(ready.setdefault(threads, []), (-ways[name], name))

    for name, count in waits.items():
        if not count:
            make_ready(name)
    while running or any(ready.values()):
        while fitting := [(queue[0], n) for n, queue in ready.items() if queue and n <= free]:
            (_, name), threads = min(fitting)
            heapq.heappop(ready[threads])
            ends[name] = now + tasks[name].wall(threads)
            heapq.heappush(running, (ends[name], name, threads))
            free -= threads
            busy += tasks[name].cpu
        now, name, threads = heapq.heappop(running)
        free += threads
        for follower in followers[name]:
            waits[follower] -= 1
            if not waits[follower]:
                make_ready(follower)
    return Schedule(now, busy / (cores * now) if now else 1.0, ends)
