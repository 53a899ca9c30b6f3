"""What a study will take on a table that has just been read, before anything is run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fslib.config.estimate import duration, expected_jobs, summary
from fslib.config.plan import Plan
from fslib.data.dataset import Dataset

#: Megabytes of Snakemake itself, and of a job beside its table; see benchmarks/results/own.md.
_SNAKEMAKE, _JOB = 250, 220
#: How often a job holds the whole table, and a split of it, at once.
_TABLES, _SPLITS = 3, 6
#: How often the job that reads the file holds the table.
_READING = 6


@dataclass(frozen=True)
class Size:
    """Of an own table what the registry knows of others: enough to tell what a fit will cost."""

    name: str
    n_rows: int
    n_features: int
    classes: dict[str, int]
    fold: dict | None = None
    groups: int | None = field(default=None)
    text: bool = False

    @classmethod
    def of(cls, data: Dataset) -> Size:
        counts = np.bincount(data.y, minlength=len(data.class_names)).tolist()
        # A category is a column of its own to most methods; more than 100 are pooled.
        extra = sum(min(len(levels), 100) - 1 for levels in data.categories.values())
        return cls(
            data.name,
            len(data.y),
            data.X.shape[1] + max(extra, 0),
            dict(zip(data.class_names, counts, strict=True)),
        )


def foresight(plan: Plan, target: str, size: Size, cores: int) -> str:
    """Minutes and memory of a study on one table, as a sentence."""
    plan.sizes[size.name] = size
    wall = summary(expected_jobs(plan, target), cores).wall
    memory = expected_memory(plan, target, size, cores)
    return (
        f"`snakemake --cores {cores} {target}` will take about {duration(wall)} and "
        f"{memory / 1000:.1f} GB of memory"
    )


def expected_memory(plan: Plan, target: str, size: Size, cores: int) -> float:
    """Megabytes of all processes of a run together."""
    most = plan.studies([target])[0].splits["most_rows"]
    whole = 8e-6 * size.n_rows * size.n_features
    split = 8e-6 * min(size.n_rows, most or size.n_rows) * size.n_features
    reading = _JOB + _READING * whole
    working = cores * (_JOB + _TABLES * whole + _SPLITS * split)
    return _SNAKEMAKE + max(reading, working)
