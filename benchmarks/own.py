"""A person's own tables of all sizes through the study `own`: minutes, memory, what was sampled.

    python benchmarks/own.py [SIZE ...] [--target own_fast]

Generates a table of each size, writes it as CSV, runs the workflow on it in a folder of its own on
two cores, and adds a line to `benchmarks/results/own.md`. Memory is the largest sum, over all
processes of the run, of what each has for itself and its share of what several have (PSS).
"""

from __future__ import annotations

import argparse
import platform
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
from fslib.split.stage import split_notes

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results" / "own.md"
SIZES = {"100x20000": (100, 20_000), "100000x30": (100_000, 30), "1000000x20": (1_000_000, 20)}
HEAD = """# Own tables of all sizes

`python benchmarks/own.py SIZE --target TARGET`: a generated table as CSV through the workflow with
`--cores 2`, from nothing to the report. Memory is the largest sum over all processes of the run
(proportional set size). Targets: under 4 GB for 100,000 × 30 and 1,000,000 × 20, under five minutes
for 100 × 20,000.

| rows × columns | CSV | target | minutes | memory | rows per split (train + test) | cells |
|---|---|---|---|---|---|---|
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


def run(folder: Path, target: str) -> tuple[float, float]:
    """Seconds by the clock and megabytes at most."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "Snakefile"]
    command += ["--directory", folder, "--cores", "2", target]
    start, peak = time.monotonic(), 0.0
    with (folder / "said.txt").open("w") as said:
        process = psutil.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        while process.poll() is None:
            peak = max(peak, used(process))
            time.sleep(0.5)
    if process.returncode:
        sys.exit((folder / "said.txt").read_text()[-3000:])
    return time.monotonic() - start, peak


def used(process: psutil.Process) -> float:
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            total += one.memory_full_info().pss
        except psutil.Error:
            continue
    return total / 2**20


def line(size: str, target: str) -> str:
    n, d = SIZES[size]
    folder = Path(tempfile.mkdtemp(prefix="fslib-own-"))
    try:
        table(n, d).write_csv(folder / "mine.csv")
        config = yaml.safe_load((PROJECT / "config.yaml").read_text())
        config["datasets"] = {"mine": {"path": "mine.csv", "target": "label"}}
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        megabytes = (folder / "mine.csv").stat().st_size / 1e6
        seconds, peak = run(folder, target)
        at = Layout(str(folder / "results"))
        splits = at.splits(target, "mine")
        reason = refusal(splits)
        counts = pl.read_parquet(splits).filter(pl.col("split") == 0)["part"].value_counts()
        rows = dict(counts.iter_rows())
        sampled = "sampled" if split_notes(splits) else "all"
        ledger = (
            pl.read_parquet(at.ledger(target)).select(pl.col(pl.Int32).sum()).row(0, named=True)
        )
        cells = ", ".join(f"{count} {status}" for status, count in ledger.items() if count)
        return (
            f"| {n:,} × {d:,} | {megabytes:.0f} MB | `{target}` | {seconds / 60:.1f} | "
            f"{peak / 1000:.2f} GB | {rows['train']:,} + {rows['test']:,} ({sampled}) | "
            f"{reason or cells} |"
        )
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", default=list(SIZES), metavar="SIZE")
    parser.add_argument("--target", default="own", choices=["own", "own_fast"])
    options = parser.parse_args()
    old = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    kept = {tuple(row.split("|")[1:4:2]): row for row in old if row.startswith("| 1")}
    for size in options.sizes:
        row = line(size, options.target)
        print(row)
        kept[tuple(row.split("|")[1:4:2])] = row
        machine = f"{platform.machine()}, 2 cores, Python {platform.python_version()}"
        RESULTS.write_text(HEAD + "\n".join(sorted(kept.values())) + f"\n\nMachine: {machine}.\n")


if __name__ == "__main__":
    main()
