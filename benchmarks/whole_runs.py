"""Whole runs of the workflow, measured from outside: shared by `overhead` and `scale`."""

from __future__ import annotations

import csv
import datetime
import os
import platform
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import psutil

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results"


@dataclass(frozen=True)
class Cost:
    """What one call of Snakemake took, its jobs included."""

    wall: float
    cpu: float
    peak_mb: float
    """Of the largest single process."""
    said: str

    def __str__(self) -> str:
        return (
            f"{self.wall:.0f} s wall, {self.cpu:.0f} s CPU, largest process {self.peak_mb:.0f} MB"
        )


def snakemake(
    folder: Path, *arguments: str, interrupt_when: Callable[[], bool] | None = None
) -> Cost:
    """Call Snakemake in a working folder; once ``interrupt_when()`` is true, send ctrl-c."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(PROJECT / "Snakefile")]
    before, begin = _children_cpu(), time.monotonic()
    log = folder / "said.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [*command, "--directory", str(folder), *arguments],
            cwd=folder,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    peak, interrupted = 0.0, False
    while process.poll() is None:
        peak = max(peak, _largest_mb(process.pid))
        if interrupt_when is not None and not interrupted and interrupt_when():
            os.killpg(process.pid, signal.SIGINT)
            interrupted = True
        time.sleep(0.1)
    said = log.read_text(errors="replace")
    if process.returncode and not interrupted:
        raise SystemExit(f"Snakemake failed:\n{said[-4000:]}")
    wall = time.monotonic() - begin
    return Cost(wall, _children_cpu() - before, peak, said)


def job_costs(output: Path) -> dict[str, list[dict[str, float]]]:
    """What Snakemake's own `benchmark` files say, by rule: seconds and peak memory per job."""
    found: dict[str, list[dict[str, float]]] = {}
    for path in sorted((output / "benchmarks").rglob("*.tsv")):
        name = path.stem.partition("-")[0]
        rule = {"batch": "select"}.get(name, name)
        rule = "report" if path.parent.name == "report" else rule
        with path.open() as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                values = {k: float(v) for k, v in row.items() if k in ("s", "cpu_time", "max_rss")}
                found.setdefault(rule, []).append(values)
    return found


def about(command: str) -> list[str]:
    """Heading lines of a result file: when, where, with what."""
    versions = ", ".join(f"{n} {metadata.version(n)}" for n in ("snakemake", "polars", "numpy"))
    return [
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores shared with other "
        f"work (load {os.getloadavg()[0]:.1f}), Python {platform.python_version()}, {versions}.",
        "",
        f"Made by `{command}`. CPU seconds count; wall-clock seconds are longer than on a free "
        "machine.",
        "",
    ]


def _children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _largest_mb(pid: int) -> float:
    try:
        main = psutil.Process(pid)
        processes = [main, *main.children(recursive=True)]
    except psutil.Error:
        return 0.0
    largest = 0.0
    for process in processes:
        try:
            largest = max(largest, process.memory_info().rss / 2**20)
        except psutil.Error:
            continue
    return largest
