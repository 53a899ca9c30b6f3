"""A person's own tables of all sizes through the study `own`: minutes, memory, what was sampled.

    python benchmarks/own.py [SIZE ...] [--target own_fast]

Generates a table of each size, writes it as CSV, runs the workflow on it in a folder of its own on
two cores, and adds lines to `benchmarks/results/own.md`: one for the report of the fast part, one
for the whole. Memory is the largest sum, over all processes of the run, of what each has for itself
and its share of what several have (PSS). Beside both stands what `fslib check` said before.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import psutil
import yaml

from fslib.run.artefacts import refusal
from fslib.run.layout import Layout
from fslib.select.changes import read_changes
from fslib.split.stage import split_notes

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results" / "own.md"
SIZES = {"100x20000": (100, 20_000), "100000x30": (100_000, 30), "1000000x20": (1_000_000, 20)}
HEAD = """# Own tables of all sizes

`python benchmarks/own.py SIZE --target TARGET`: a generated table as CSV through the workflow with
`--cores 2`, from nothing to the report. Memory is the largest sum over all processes of the run
(proportional set size). In brackets what `fslib check` expects beforehand. Targets: under 4 GB for
100,000 × 30 and 1,000,000 × 20, under five minutes for 100 × 20,000.

| rows × columns | CSV | report of | minutes | memory | rows per split | fits | shortened |
|---|---|---|---|---|---|---|---|
"""


def table(n: int, d: int) -> pl.DataFrame:
    """Half the columns noise, some in single file towards the class, some that say the same."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)).astype(np.float32)
    y = rng.random(n) < 1 / (1 + np.exp(-(X[:, :5] @ [1.5, -1.2, 1.0, 0.8, -0.6])))
    X[:, 5:8] = X[:, :3] + 0.3 * rng.normal(size=(n, 3))
    names = [f"f{i}" for i in range(d)]
    return pl.DataFrame(np.round(X, 4), schema=names).with_columns(
        label=pl.Series(np.where(y, "yes", "no"))
    )


def run(folder: Path, target: str) -> dict[str, tuple[float, float]]:
    """Seconds by the clock and megabytes at most until each report was there."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "Snakefile"]
    command += ["--directory", folder, "--cores", "2", target]
    start, peak, found = time.monotonic(), 0.0, {}
    first = Path(Layout(str(folder / "results")).page("own_fast"))
    with (folder / "said.txt").open("w") as said:
        process = psutil.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        while process.poll() is None:
            peak = max(peak, used(process))
            if first.exists() and not found:
                found["own_fast"] = time.monotonic() - start, peak
            time.sleep(0.5)
    if process.returncode:
        sys.exit((folder / "said.txt").read_text()[-3000:])
    return found | {target: (time.monotonic() - start, peak)}


def foreseen(folder: Path, target: str) -> tuple[float, float]:
    """Minutes and gigabytes that `fslib check` expects."""
    command = [sys.executable, "-c", "from fslib.cli import main; main()", "check", "mine"]
    command += ["--study", target]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    amount, unit, memory = re.search(r"take about ([\d.]+) (\w+) and ([\d.]+) GB", said).groups()
    return float(amount) * {"s": 1 / 60, "min": 1, "h": 60}[unit], float(memory)


def used(process: psutil.Process) -> float:
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            total += one.memory_full_info().pss
        except psutil.Error:
            continue
    return total / 2**20


def lines(size: str, target: str) -> list[str]:
    n, d = SIZES[size]
    folder = Path(tempfile.mkdtemp(prefix="fslib-own-"))
    try:
        table(n, d).write_csv(folder / "mine.csv")
        config = yaml.safe_load((PROJECT / "config.yaml").read_text())
        config["datasets"] = {"mine": {"path": "mine.csv", "target": "label"}}
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        megabytes = (folder / "mine.csv").stat().st_size / 1e6
        head = f"| {n:,} × {d:,} | {megabytes:.0f} MB"
        took = run(folder, target)
        return [
            f"{head} | `{study}` | {seconds / 60:.1f} ({minutes:.1f}) | {peak / 1000:.2f} "
            f"({memory:.1f}) GB | {told(Layout(str(folder / 'results')), study)} |"
            for study, (seconds, peak) in took.items()
            for minutes, memory in [foreseen(folder, study)]
        ]
    finally:
        shutil.rmtree(folder)


def told(at: Layout, study: str) -> str:
    """Rows per split, and what became of the fits."""
    splits = at.splits(study, "mine")
    counts = pl.read_parquet(splits).filter(pl.col("split") == 0)["part"].value_counts()
    rows = dict(counts.iter_rows())
    sampled = "sampled" if split_notes(splits) else "all"
    ledger = pl.read_parquet(at.ledger(study)).select(pl.col(pl.Int32).sum()).row(0, named=True)
    cells = ", ".join(f"{count} {status}" for status, count in ledger.items() if count)
    changes = read_changes(at.afforded(study, "mine"))
    cut = [
        f"{name} {'skipped' if c.skipped else c.reason.partition(':')[0]}"
        for name, c in changes.items()
    ]
    return (
        f"{rows['train']:,} + {rows['test']:,} ({sampled}) | {refusal(splits) or cells} | "
        f"{', '.join(cut) or 'nothing'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", default=list(SIZES), metavar="SIZE")
    parser.add_argument("--target", default="own", choices=["own", "own_fast"])
    options = parser.parse_args()
    old = RESULTS.read_text() if RESULTS.exists() else ""
    old, mark, further = old.partition("\n## ")
    kept = {tuple(row.split("|")[1:4:2]): row for row in old.splitlines() if row.startswith("| 1")}
    for size in options.sizes:
        for row in lines(size, options.target):
            print(row, flush=True)
            kept[tuple(row.split("|")[1:4:2])] = row
        machine = f"{platform.machine()}, 2 cores, Python {platform.python_version()}"
        own = "\n".join(sorted(kept.values()))
        RESULTS.write_text(f"{HEAD}{own}\n\nMachine: {machine}.\n{mark}{further}")


if __name__ == "__main__":
    main()
