"""Small summaries of long runs, kept with the project: what was reproduced, and what it took."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from fslib.reproduce.compare import STANDINGS, score_line
from fslib.reproduce.paper import VERDICTS
from fslib.run.artefacts import atomic_path, read_any
from fslib.run.errors import FslibError
from fslib.run.stamp import commit

#: Beside `published/`: the same tables with our numbers in them.
FOLDER = Path(__file__).resolve().parents[2] / "reproduced"
#: Standings of cells that were looked at, but cannot be judged.
_UNJUDGED = "no deviation", "no value", "not printed"


_BEFORE_QUOTING = """\
What to know before quoting a number:

- *stability*: deviations of mean ranks run over the numbers of features k, so the number of k
  stands for the repeats. Neighbouring k are not independent: the test is stricter than it
  looks. Other readings were tried where tables 4 and 8 did not come out, and the value for
  constant columns was chosen between two; `studies/stability.yaml` has them.
- A claim of several comparisons holds on a data set where all of them do, and *holds in part*
  where some data sets bear it out and others do not.
- A published number without a deviation counts as *within* where ours equals it and is *not
  judged* where it does not, so such cells can only add to the score. Some equal ones say nothing:
  *amfes*'s numbers of pairs and *daf*'s number of probes are set by the study.
- *daf*: that variants are judged one by one, and that features are scaled to unit variance, was
  settled after first results on madelon had been seen, and helps the paper. The grid of the tuned
  SVM was not chosen on results, but another one had been seen to do worse.
- Verdicts are on what was run. A claim may *hold* on one data set of seven: read what was seen.

"""


def keep(output: str, study: str, parts: list[str], folder: Path = FOLDER) -> str:
    """Copy the cells and claims of a finished study with its circumstances; the score line."""
    run = [part for part in parts if Path(output, part, "ledger.parquet").exists()]
    left_out = ", ".join(part for part in parts if part not in run)
    without = f" --config without='[{left_out}]'" if left_out else ""
    made = Path(output, study, "reproduction")
    if not (made / "claims.parquet").exists():
        raise FslibError(f"{made} has no claims yet: run `snakemake --cores N {study}` first")
    cells, claims = read_any(made / "cells.parquet"), read_any(made / "claims.parquet")
    paper = claims["paper"][0]
    for name, table in (("cells", cells), ("claims", claims)):
        with atomic_path(folder / f"{paper}_{name}.csv") as temporary:
            table.write_csv(temporary, float_precision=4)
    circumstances = {
        "study": study,
        "command": f"snakemake --cores {os.cpu_count()} {study}{without}",
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {_memory()} GB",
        "hours": {part: round(_hours(output, part), 2) for part in run},
    }
    with atomic_path(folder / f"{paper}_run.json") as temporary:
        temporary.write_text(json.dumps(circumstances, indent=1) + "\n")
    return score_line(cells, claims)


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _hours(output: str, part: str) -> float:
    """What all jobs of a part took, from the benchmark files that Snakemake leaves.

    Their wall clock, as each job has a core of its own; Snakemake's CPU time misses short fits.
    """
    files = Path(output, "benchmarks", part).rglob("*.tsv")
    return sum(pl.read_csv(path, separator="\t")["s"].sum() for path in files) / 3600


def markdown(folder: Path = FOLDER) -> str:
    """`docs/reproduction.md`: per paper what was reproduced, what not, and what it took."""
    lines = [
        "# Do the papers hold?",
        "",
        "Made by `python -m fslib.pages` from `reproduced/`; a test fails when it is stale. Every",
        "cell that a paper printed and every conclusion that it states in words, against the",
        "fullest runs made. A cell is *within* when the means differ by at most two standard",
        "errors of their difference, from both deviations and numbers of repeats (or by less than",
        "the rounding of print). Cells without a published deviation are shown, not judged.",
        "",
        *_BEFORE_QUOTING.splitlines(),
        *score_lines(folder),
    ]
    for path in sorted(folder.glob("*_run.json")):
        lines += _paper_section(path.name.removesuffix("_run.json"), folder)
    return "\n".join(lines) + "\n"


def score_lines(folder: Path = FOLDER) -> list[str]:
    """One row per paper: counts of cells and claims; the README shows them too."""
    lines = [
        "| paper | cells within / judged | not judged | not run | claims hold | in part "
        "| do not hold | not tested | core-hours |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for path in sorted(folder.glob("*_run.json")):
        paper = path.name.removesuffix("_run.json")
        cells, claims = _tables(paper, folder)
        n = {s: cells.filter(pl.col("standing") == s).height for s in STANDINGS}
        verdicts = [str(claims.filter(pl.col("verdict") == v).height) for v in VERDICTS]
        judged = f"{n['within']} / {n['within'] + n['outside']}" if len(cells) else "none printed"
        unjudged = sum(n[s] for s in _UNJUDGED)
        hours = sum(json.loads(path.read_text())["hours"].values())
        row = [paper, judged, str(unjudged), str(n["not run"]), *verdicts, f"{hours:.2f}"]
        lines.append(f"| {' | '.join(row)} |")
    return lines


def _paper_section(paper: str, folder: Path) -> list[str]:
    run = json.loads((folder / f"{paper}_run.json").read_text())
    cells, claims = _tables(paper, folder)
    hours = ", ".join(f"{part} {h:g}" for part, h in run["hours"].items())
    lines = [
        "",
        f"## {paper}",
        "",
        f"`{run['command']}`, commit {run['commit']}, {run['date']}, {run['machine']}; core-hours: "
        f"{hours}.",
        "",
        "| claim | verdict | what was seen |",
        "|---|---|---|",
    ]
    for row in claims.rows(named=True):
        detail = " ".join(filter(None, (row["detail"], row["note"] and f"({row['note']})")))
        lines.append(f"| {_text(row['says'])} | {row['verdict']} | {_text(detail)} |")
    if len(cells):
        lines += ["", "| table | data set | quantity | within | outside | not judged | not run |"]
        lines += ["|---|---|---|---|---|---|---|"]
        groups = cells.group_by("table", "dataset", "quantity", maintain_order=True)
        for (table, dataset, quantity), group in groups:
            n = {s: group.filter(pl.col("standing") == s).height for s in STANDINGS}
            unjudged = sum(n[s] for s in _UNJUDGED)
            counts = n["within"], n["outside"], unjudged, n["not run"]
            lines.append(f"| {table} | {dataset} | {quantity} | {' | '.join(map(str, counts))} |")
        lines += [
            "",
            f"Cell by cell: [`reproduced/{paper}_cells.csv`](../reproduced/{paper}_cells.csv).",
        ]
    return lines


def _tables(paper: str, folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    return (
        pl.read_csv(folder / f"{paper}_cells.csv", schema_overrides={"table": pl.String}),
        pl.read_csv(folder / f"{paper}_claims.csv", infer_schema=False),
    )


def _text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
