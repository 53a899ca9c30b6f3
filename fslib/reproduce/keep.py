"""Small summaries of long runs, kept with their papers: what was reproduced, and what it took."""

from __future__ import annotations

import json
import os
import platform
import shutil
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from fslib.figures.files import read_pictures, write_pictures
from fslib.reproduce.compare import score_line
from fslib.run.artefacts import atomic_path, read_any
from fslib.run.errors import FslibError
from fslib.run.layout import Layout
from fslib.run.paper_folders import outcome_folder
from fslib.run.stamp import commit


def keep(at: Layout, study: str, parts: list[str], paper: Path, note: str = "") -> str:
    """Copy what became of a paper in a finished study, with its circumstances, into its folder.

    Parameters
    ----------
    at : where the results lie.
    study : name of the study file, and ``parts`` the studies that it stands for.
    paper : the paper's folder.
    note : what else a reader should know of the run.

    Returns
    -------
    The score line.
    """
    run = [part for part in parts if Path(at.ledger(part)).exists()]
    left_out = ", ".join(part for part in parts if part not in run)
    without = f" --config without='[{left_out}]'" if left_out else ""
    made = at.outcome(study, "claims.parquet")
    if not Path(made).exists():
        raise FslibError(f"{made} is not there yet: run `snakemake --cores N {study}` first")
    cells, claims = read_any(at.outcome(study, "cells.parquet")), read_any(made)
    folder = outcome_folder(paper)
    for name, table in (("cells", cells), ("claims", claims)):
        with atomic_path(folder / f"{name}.csv") as temporary:
            table.write_csv(temporary, float_precision=4)
    pictures = read_pictures(at.outcome(study, "figures.json"))
    if run == [study]:
        # A study without parts ranks all its methods once.
        for name in ("ranks", "friedman"):
            with atomic_path(folder / f"{name}.csv") as temporary:
                read_any(at.tables(study)[name]).write_csv(temporary, float_precision=4)
        pictures += [p for p in read_pictures(at.figures(study)) if not p.dataset]
    write_pictures(pictures, str(folder / "figures"), str(folder / "figures.json"))
    with atomic_path(folder / "findings.json") as temporary:
        shutil.copyfile(at.outcome(study, "findings.json"), temporary)
    circumstances = {
        "study": study,
        "command": f"snakemake --cores {os.cpu_count()} {study}{without}",
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {_memory()} GB",
        "hours": {part: round(_hours(at, part), 2) for part in run},
        **({"note": note} if note else {}),
    }
    with atomic_path(folder / "run.json") as temporary:
        temporary.write_text(json.dumps(circumstances, indent=1) + "\n")
    return score_line(cells, claims)


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _hours(at: Layout, part: str) -> float:
    """Core-hours of all jobs of a part, from the benchmark files that Snakemake writes.

    Sums of wall-clock time, as each job has one core; Snakemake's CPU time misses short fits.
    """
    return sum(pl.read_csv(path, separator="\t")["s"].sum() for path in at.times_of(part)) / 3600
