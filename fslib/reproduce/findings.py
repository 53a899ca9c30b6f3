"""What was found beside a paper's cells and claims, other readings of it among that."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from fslib.reproduce.compare import KEY, compared_cells
from fslib.reproduce.paper import Finding, Paper, Reading
from fslib.reproduce.results import Results

#: Keys of a finding as plain data.
FINDINGS = ("name", "title", "text", "numbers", "table")


def found_findings(paper: Paper, results: Results, folder: Path) -> list[dict]:
    """What the paper's findings come to, as plain data with the keys of `FINDINGS`.

    Every other reading that was run is a finding: its cells beside those of the main reading. A
    table is a dictionary of ``columns`` and ``rows``, or None.
    """
    main = paper.main_reading(results)
    findings = [(name, title, function(main)) for name, (title, function) in paper.findings.items()]
    findings += [
        ("reading_" + "_".join(reading.parts), f"Read otherwise: {reading.label}", finding)
        for reading, own in paper.other_readings(results)
        for finding in [_beside(paper, main, own, reading, folder)]
    ]
    found = []
    for name, title, finding in findings:
        if finding is not None:
            table = finding.table
            told = (
                finding.text,
                dict(finding.numbers),
                None if table is None else {"columns": table.columns, "rows": table.rows()},
            )
            found.append(dict(zip(FINDINGS, (name, title, *told), strict=True)))
    return found


def _beside(
    paper: Paper, main: Results, other: Results, reading: Reading, folder: Path
) -> Finding | None:
    """The cells of another reading beside those of the main one, where they differ."""
    ours, theirs = (compared_cells(paper, results, folder) for results in (main, other))
    both = ours.join(theirs.select(*KEY, "ours", "standing"), on=KEY, suffix="_other")
    changed = both.filter(pl.col("ours").ne_missing(pl.col("ours_other")))
    if changed.is_empty():
        return None
    judged = pl.col("standing_other").is_in(["within", "outside"])
    compared = changed.filter(judged)
    numbers = {
        "cells judged that differ between the readings": len(compared),
        "of them within, main reading": compared.filter(standing="within").height,
        "of them within, this reading": compared.filter(standing_other="within").height,
    }
    text = (
        f"{reading.label[0].upper()}{reading.label[1:]}. The parts "
        f"{', '.join(f'`{part}`' for part in reading.parts)} of the study stand beside "
        f"{', '.join(f'`{place}`' for place in reading.parts.values())}; cells and verdicts above "
        "are those of the main reading."
    )
    table = changed.select(
        *(pl.col(name) for name in KEY),
        "published",
        pl.col("ours").round(4).alias("main reading"),
        pl.col("ours_other").round(4).alias("this reading"),
        pl.col("standing_other").alias("standing"),
    )
    return Finding(text, numbers, table)
