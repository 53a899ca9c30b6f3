"""Work in several processes, with the results of one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

#: Seconds of work from which other processes are used: to start them and to send them their data
#: takes one or two.
WORTHWHILE = 2.0


def in_order(function: Callable, tasks: Sequence[tuple], n_jobs: int | None = None) -> Iterable:
    """``function(*task)`` of every task, in the order of the tasks, by ``n_jobs`` processes.

    The first task tells how long the others will take: where that is not worth other processes,
    there are none. Tasks must not depend on ``n_jobs``; then no result does. Every other process
    has one BLAS thread.

    >>> list(in_order(max, [(1, 2), (4, 3)]))
    [2, 4]
    """
    if n_jobs in (None, 1) or len(tasks) < 2:
        return (function(*task) for task in tasks)
    begin = time.monotonic()
    first, others = function(*tasks[0]), tasks[1:]
    if (time.monotonic() - begin) * len(others) < WORTHWHILE:
        return chain([first], (function(*task) for task in others))
    from joblib import Parallel, delayed, parallel_config

    # Large arrays reach the others as files; what is written to them there ("c") stays there.
    with parallel_config("loky", n_jobs=n_jobs, mmap_mode="c", inner_max_num_threads=1):
        return [first, *Parallel()(delayed(function)(*task) for task in others)]
