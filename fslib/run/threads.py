"""Threads of one task: a job with fewer tasks than threads gives each task its share of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

#: Threads that the present process may use; None outside of jobs.
allowed: int | None = None


def allow(count: int) -> None:
    """Let this process compute in ``count`` threads from now on."""
    global allowed
    allowed = count


def each(function: Callable, items: Iterable) -> Iterator:
    """``function`` of each item, in the order of the items, computed in all allowed threads.

    For functions that spend their time in numpy on arrays of their own: what they compute does not
    depend on the number of threads.
    """
    if (allowed or 1) == 1:
        return map(function, items)
    with ThreadPoolExecutor(allowed) as pool:
        return iter(list(pool.map(function, items)))
