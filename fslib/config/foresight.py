"""What a study will take on a table that has just been read, before anything is run."""

from __future__ import annotations

from fslib.config.afford import JOB, Size, job_memory, said
from fslib.config.estimate import expected_jobs, rough_duration, summary
from fslib.config.plan import Plan

#: Megabytes of Snakemake itself; see benchmarks/results/own.md.
_SNAKEMAKE = 250
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
        f"`snakemake --cores {cores} {target}` will take about {rough_duration(wall)} and "
        f"{memory / 1000:.1f} GB of memory",
        *said(changes),
    ]


def expected_memory(plan: Plan, target: str, size: Size, cores: int) -> float:
    """Megabytes of all processes of a run together."""
    most = plan.studies([target])[0].splits["most_rows"]
    reading = JOB + _READING * 8e-6 * size.n_rows * size.n_features
    working = cores * job_memory(size, min(size.n_rows, most or size.n_rows))
    return _SNAKEMAKE + max(reading, working)
