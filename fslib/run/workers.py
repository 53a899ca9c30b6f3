"""Work in several processes, with the results of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def in_order(function: Callable, tasks: Sequence[tuple], n_jobs: int | None = None) -> Iterable:
    """``function(*task)`` of every task, in the order of the tasks, by ``n_jobs`` processes.

    Tasks must not depend on ``n_jobs``; then no result does. Every process has one BLAS thread.

    >>> list(in_order(max, [(1, 2), (4, 3)]))
    [2, 4]
    """
    if n_jobs in (None, 1) or len(tasks) < 2:
        return (function(*task) for task in tasks)
    from joblib import Parallel, delayed, parallel_config

    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        return Parallel()(delayed(function)(*task) for task in tasks)
