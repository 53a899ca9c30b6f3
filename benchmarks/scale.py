"""A simulated study of very many cells: planned, run in part, interrupted, resumed, aggregated.

The method is trivial, so what is measured is the benchmark itself. A cell is one method on one
split of one data set: a row of `runs`.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import yaml
from whole_runs import RESULTS, about, job_costs, snakemake

FEATURES, VARIANTS = 20, 50
METHOD = """
import numpy as np
from sklearn.base import BaseEstimator


class Trivial(BaseEstimator):
    def __init__(self, salt=0):
        self.salt = salt

    def fit(self, X, y):
        self.scores_ = X[self.salt % len(X)]
        return self
"""


@dataclass(frozen=True)
class Size:
    """How many of everything; an entry has fifty variants that share a job."""

    datasets: int
    entries: int
    splits: int
    batch: int

    @property
    def cells(self) -> int:
        return self.datasets * self.entries * VARIANTS * self.splits

    @property
    def select_jobs(self) -> int:
        return self.datasets * self.entries * -(-self.splits // self.batch)


FULL, QUICK = Size(5, 1, 400, 100), Size(2, 1, 10, 5)


def write_study(folder: Path, size: Size) -> None:
    """A working folder with own tables, the method and the study."""
    rng = np.random.default_rng(0)
    names = [f"table_{i}" for i in range(size.datasets)]
    for name in names:
        values = {f"f{j:02d}": rng.normal(size=60) for j in range(FEATURES)}
        pl.DataFrame({**values, "label": np.arange(60) % 2}).write_csv(folder / f"{name}.csv")
    (folder / "trivial.py").write_text(METHOD)
    config = {
        "seed": 1,
        "output": "results",
        "studies": ["scale"],
        "limits": {"scale": {"seconds": 600, "memory_mb": 500}},
        "datasets": {name: {"path": f"{name}.csv", "target": "label"} for name in names},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    study = {
        "title": "Scale",
        "datasets": "own",
        "prepare": {"continuous": ["none"], "discrete": ["none"], "evaluation": ["none"]},
        "splits": {"scheme": "holdout", "test": 0.3, "repeats": size.splits},
        "batch": size.batch,
        "limits": "scale",
        "methods": {
            f"entry_{e}": {
                "use": "trivial.py:Trivial",
                "variants": {
                    f"m{v:02d}": {"salt": v} for v in range(e * VARIANTS, (e + 1) * VARIANTS)
                },
            }
            for e in range(size.entries)
        },
        "evaluate": {"classifiers": ["nb"], "sizes": [1, 5]},
    }
    (folder / "studies").mkdir(exist_ok=True)
    (folder / "studies" / "scale.yaml").write_text(yaml.safe_dump(study, sort_keys=False))


def batch_files(folder: Path) -> dict[Path, int]:
    return {p: p.stat().st_mtime_ns for p in folder.glob("results/scale/*/*/batch-*.parquet")}


def measure(size: Size, cores: int, folder: Path) -> list[str]:
    """Every step with its cost; any step that does not do its work ends the benchmark."""
    rows = []

    def note(step: str, cost, what: str = "") -> None:
        jobs = re.search(r"^total\s+(\d+)$", cost.said, re.MULTILINE)
        rows.append(
            f"| {step} | {jobs[1] if jobs else 0} | {cost.wall:.0f} | {cost.cpu:.0f} | "
            f"{cost.peak_mb:.0f} | {what} |"
        )
        print(rows[-1], flush=True)

    write_study(folder, replace(size, batch=1))
    note("plan, small batches", snakemake(folder, "--dry-run", "--cores", "1"))
    write_study(folder, size)
    note("plan", snakemake(folder, "--dry-run", "--cores", "1"))

    total, part = size.select_jobs, max(1, size.select_jobs // 3)
    cost = snakemake(
        folder, "--cores", str(cores), interrupt_when=lambda: len(batch_files(folder)) >= part
    )
    kept = batch_files(folder)
    note("run in part, interrupted", cost, f"{len(kept)} of {total} batches done")
    note("resume to the end", snakemake(folder, "--cores", str(cores)))
    there = batch_files(folder)
    again = sum(there[path] != written for path, written in kept.items())
    # Each core may have written a batch just when the interrupt came: Snakemake does not know that
    # it is done and runs it again.
    if again > cores:
        raise SystemExit(f"{again} finished batches were done again")
    ledger = pl.read_parquet(folder / "results" / "scale" / "ledger.parquet")
    if ledger["ok"].sum() != size.cells:
        raise SystemExit(f"{ledger['ok'].sum()} of {size.cells} cells are ok")
    note("no-op", snakemake(folder, "--cores", str(cores)))
    lines = [
        "| step | jobs | wall s | CPU s | largest process MB | |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
        "| rule | jobs | wall s per job | CPU s in all | peak MB |",
        "|---|---|---|---|---|",
    ]
    for rule, jobs in job_costs(folder / "results").items():
        lines.append(
            f"| {rule} | {len(jobs)} | {np.mean([j['s'] for j in jobs]):.1f} | "
            f"{sum(j['cpu_time'] for j in jobs):.0f} | {max(j['max_rss'] for j in jobs):.0f} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="1,000 cells instead of 100,000")
    parser.add_argument("--out", type=Path, default=RESULTS / "scale.md")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        lines = measure(size, options.cores, Path(folder))
    shape = (
        f"{size.cells:,} cells: {size.datasets} tables of 60 rows and {FEATURES} features, "
        f"{size.entries * VARIANTS} methods, {size.splits:,} splits, {size.batch} splits per job."
    )
    command = f"python benchmarks/scale.py{' --quick' if options.quick else ''}"
    text = "\n".join(["# Scale", "", *about(command), shape, "", *lines]) + "\n"
    options.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
