"""Work in forks of a process, which have all that it has imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def forked(function: Callable, items: Sequence, n_forks: int) -> Iterable:
    """``function`` of every item, in the order of the items, by ``n_forks`` forks of this process.

    This process must not have used polars, as a forked polars hangs; the forks may.

    >>> list(forked(abs, [-1, 2, -3], n_forks=2))
    [1, 2, 3]
    """
    if n_forks == 1:
        return map(function, items)
    with ProcessPoolExecutor(n_forks, mp_context=get_context("fork")) as pool:
        return list(pool.map(function, items))
