"""Many subsets evaluated by several processes, with the values of one process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from joblib import effective_n_jobs

from fslib.criteria.base import Criterion
from fslib.run.workers import in_order

#: Subsets per task: fixed, so that no value can depend on the number of workers.
CHUNK = 32
#: Tasks per process and call: enough of them to tell whether other processes are worth their start.
_TASKS = 32


def room(n_jobs: int | None) -> int:
    """How many subsets to evaluate in one call: those of one task, or of many for processes."""
    workers = effective_n_jobs(n_jobs)
    return CHUNK if workers == 1 else workers * _TASKS * CHUNK


def evaluate(criterion: Criterion, subsets: Sequence, n_jobs: int | None = None) -> np.ndarray:
    """J of each subset, computed in chunks of fixed size by ``n_jobs`` processes."""
    chunks = [subsets[first : first + CHUNK] for first in range(0, len(subsets), CHUNK)]
    before = criterion.n_fits
    values = list(in_order(_many, [(criterion, chunk) for chunk in chunks], n_jobs))
    criterion.n_fits = before + criterion.n_folds * len(subsets)  # other processes count their own
    return np.concatenate(values) if values else np.empty(0)


def _many(criterion: Criterion, chunk: Sequence) -> np.ndarray:
    return criterion.many(chunk)
