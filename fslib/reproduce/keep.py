"""Small summaries of long runs, kept with their papers: what was reproduced, and what it took."""

from __future__ import annotations

import json
import os
import platform
import shutil
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from fslib.reproduce.compare import STANDINGS, score_line
from fslib.reproduce.paper import VERDICTS
from fslib.run.artefacts import atomic_path, read_any
from fslib.run.errors import FslibError
from fslib.run.layout import Layout
from fslib.run.paper_folders import OWN, outcome_folder
from fslib.run.stamp import commit

#: Standings of cells that were looked at, but cannot be judged.
_UNJUDGED = "no deviation", "no value", "not printed"


#: The section of a paper's README that its readers see on the page, too.
_BEFORE_QUOTING = "## Before quoting a number\n"


def keep(at: Layout, study: str, parts: list[str], paper: Path) -> str:
    """Copy what became of a paper in a finished study, with its circumstances, into its folder.

    Parameters
    ----------
    at : where the results lie.
    study : name of the study file, and ``parts`` the studies that it stands for.
    paper : the paper's folder.

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
    with atomic_path(folder / "findings.json") as temporary:
        shutil.copyfile(at.outcome(study, "findings.json"), temporary)
    circumstances = {
        "study": study,
        "command": f"snakemake --cores {os.cpu_count()} {study}{without}",
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {_memory()} GB",
        "hours": {part: round(_hours(at, part), 2) for part in run},
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


def markdown(papers: Path = OWN) -> str:
    """`docs/reproduction.md`: per paper what was reproduced, what not, and what it took.

    ``papers`` is the folder that holds the papers' folders.
    """
    lines = [
        "# Do the papers hold?",
        "",
        "Made by `python -m fslib.pages` from the outcomes kept in `fslib/papers/`; a test fails",
        "when it is stale. Every cell that a paper printed and every conclusion that it states in",
        "words, against the fullest runs made. A cell is *within* when the means differ by at most",
        "two standard errors of their difference, from both deviations and numbers of repeats (or",
        "by less than the rounding of print). A deviation is that of the quantity over repeats of",
        "what the paper repeated, in all papers; where it is unknown, a cell is shown, not judged.",
        "",
        "What to know before quoting a number, besides what is said of each paper:",
        "",
        "- A claim of several comparisons holds on a data set where all of them do, and *holds in",
        "  part* where some data sets bear it out and others do not.",
        "- A published number without a deviation counts as *within* where ours equals it and is",
        "  *not judged* where it does not, so such cells can only add to the score.",
        "- Verdicts are on what was run. A claim may *hold* on one data set of seven: read what",
        "  was seen.",
        "",
        *score_lines(papers),
    ]
    for paper in _kept(papers):
        lines += _paper_section(paper)
    return "\n".join(lines) + "\n"


def _kept(papers: Path) -> list[Path]:
    """Folders of the papers whose outcome is kept."""
    folders = sorted(path.parent for path in papers.glob("*/paper.py"))
    return [folder for folder in folders if outcome_folder(folder).exists()]


def score_lines(papers: Path = OWN) -> list[str]:
    """One row per paper: counts of cells and claims; the README shows them too."""
    lines = [
        "| paper | cells within / judged | not judged | not run | claims hold | in part "
        "| do not hold | not tested | core-hours |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for paper in _kept(papers):
        cells, claims, run = _outcome(paper)
        n = {s: cells.filter(pl.col("standing") == s).height for s in STANDINGS}
        verdicts = [str(claims.filter(pl.col("verdict") == v).height) for v in VERDICTS]
        judged = f"{n['within']} / {n['within'] + n['outside']}" if len(cells) else "none printed"
        unjudged = sum(n[s] for s in _UNJUDGED)
        hours = sum(run["hours"].values())
        row = [paper.name, judged, str(unjudged), str(n["not run"]), *verdicts, f"{hours:.2f}"]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def _paper_section(paper: Path) -> list[str]:
    cells, claims, run = _outcome(paper)
    hours = ", ".join(f"{part} {h:g}" for part, h in run["hours"].items())
    lines = [
        "",
        f"## {paper.name}",
        "",
        f"`{run['command']}`, commit {run['commit']}, {run['date']}, {run['machine']}; core-hours: "
        f"{hours}.",
        "",
        *_before_quoting(paper),
        "| claim | verdict | what was seen |",
        "|---|---|---|",
    ]
    for row in claims.rows(named=True):
        detail = " ".join(filter(None, (row["detail"], row["note"] and f"({row['note']})")))
        lines.append(f"| {_text(row['says'])} | {row['verdict']} | {_text(detail)} |")
    lines += _findings(paper)
    if len(cells):
        lines += ["", "| table | data set | quantity | within | outside | not judged | not run |"]
        lines += ["|---|---|---|---|---|---|---|"]
        groups = cells.group_by("table", "dataset", "quantity", maintain_order=True)
        for (table, dataset, quantity), group in groups:
            n = {s: group.filter(pl.col("standing") == s).height for s in STANDINGS}
            unjudged = sum(n[s] for s in _UNJUDGED)
            counts = n["within"], n["outside"], unjudged, n["not run"]
            lines.append(f"| {table} | {dataset} | {quantity} | {' | '.join(map(str, counts))} |")
        file = f"fslib/papers/{paper.name}/outcome/cells.csv"
        lines += ["", f"Cell by cell: [`{file}`](../{file})."]
    return lines


def _findings(paper: Path) -> list[str]:
    """What was found beside cells and claims; nothing where no finding was kept."""
    kept = outcome_folder(paper) / "findings.json"
    lines = []
    for finding in json.loads(kept.read_text("utf-8")) if kept.exists() else []:
        lines += ["", f"### Finding: {finding['title']}", "", finding["text"], ""]
        lines += [f"- {what}: {_number(value)}" for what, value in finding["numbers"].items()]
        if finding["table"]:
            columns, rows = finding["table"]["columns"], finding["table"]["rows"]
            lines += ["", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
            lines += [f"| {' | '.join(_number(value) for value in row)} |" for row in rows]
    return lines


def _number(value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else _text(str(value))


def _before_quoting(paper: Path) -> list[str]:
    """The section `Before quoting a number` of the paper's README; nothing without the section."""
    readme = paper / "README.md"
    text = readme.read_text("utf-8") if readme.exists() else ""
    said = text.partition(_BEFORE_QUOTING)[2].partition("\n## ")[0].strip()
    return [said, ""] if said else []


def _outcome(paper: Path) -> tuple[pl.DataFrame, pl.DataFrame, dict]:
    """Cells, claims and circumstances of the run that is kept."""
    folder = outcome_folder(paper)
    return (
        pl.read_csv(folder / "cells.csv", schema_overrides={"table": pl.String}),
        pl.read_csv(folder / "claims.csv", infer_schema=False),
        json.loads((folder / "run.json").read_text()),
    )


def _text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
