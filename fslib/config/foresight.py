"""What a study will take on a table that has just been read, before anything is run."""

from __future__ import annotations

from fslib.config.afford import Size
from fslib.config.estimate import duration, expected_jobs, summary
from fslib.config.plan import Plan

#: Megabytes of Snakemake itself, and of a job beside its table; see benchmarks/results/own.md.
_SNAKEMAKE, _JOB = 250, 220
#: How often a job holds the whole table, and a split of it, at once.
_TABLES, _SPLITS = 3, 6
#: How often the job that reads the file holds the table.
_READING = 6


def foresight(plan: Plan, target: str, size: Size, cores: int) -> list[str]:
    """Minutes and memory of a study on one table, and what the table is too large for."""
    plan.sizes[size.name] = size
    wall = summary(expected_jobs(plan, target), cores).wall
    memory = expected_memory(plan, target, size, cores)
    base = plan.config.continued.get(target)
    changes = {}
    for study in plan.studies([*([base] if base else []), target]):
        changes |= plan.changes(study.name, size.name)
    return [
        f"`snakemake --cores {cores} {target}` will take about {duration(wall)} and "
        f"{memory / 1000:.1f} GB of memory",
        *(f"{name}: {'skipped, ' * c.skipped}{c.reason}" for name, c in changes.items()),
    ]


def expected_memory(plan: Plan, target: str, size: Size, cores: int) -> float:
    """Megabytes of all processes of a run together."""
    most = plan.studies([target])[0].splits["most_rows"]
    whole = 8e-6 * size.n_rows * size.n_features
    split = 8e-6 * min(size.n_rows, most or size.n_rows) * size.n_features
    reading = _JOB + _READING * whole
    working = cores * (_JOB + _TABLES * whole + _SPLITS * split)
    return _SNAKEMAKE + max(reading, working)
