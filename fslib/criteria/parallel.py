"""Many subsets evaluated by several processes, with the values of one process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fslib.criteria.base import Criterion

#: Subsets per task: fixed, so that no value can depend on the number of workers.
CHUNK = 32


def evaluate(criterion: Criterion, subsets: Sequence, n_jobs: int | None = None) -> np.ndarray:
    """J of each subset, computed in chunks of fixed size by ``n_jobs`` processes."""
    chunks = [subsets[first : first + CHUNK] for first in range(0, len(subsets), CHUNK)]
    if n_jobs in (None, 1) or len(chunks) < 2:
        values = [criterion.many(chunk) for chunk in chunks]
    else:
        from joblib import Parallel, delayed, parallel_config

        with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
            values = Parallel()(delayed(_many)(criterion, chunk) for chunk in chunks)
        criterion.n_fits += criterion.n_folds * len(subsets)
    return np.concatenate(values) if values else np.empty(0)


def _many(criterion: Criterion, chunk: Sequence) -> np.ndarray:
    return criterion.many(chunk)
