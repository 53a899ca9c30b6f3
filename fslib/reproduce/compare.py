"""Published numbers beside ours, and what becomes of the paper's claims."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import polars as pl
import yaml

from fslib.reproduce.paper import (
    UNTESTED,
    VERDICTS,
    Cell,
    Paper,
    PaperError,
    Verdict,
)
from fslib.reproduce.results import Results

#: Outcomes of comparing a published cell with ours, in the order of the score line.
STANDINGS = ("within", "outside", "no deviation", "no value", "not run", "not printed")

CELLS = {
    "paper": pl.String,
    "table": pl.String,
    "dataset": pl.String,
    "method": pl.String,
    "quantity": pl.String,
    "condition": pl.String,
    "published": pl.Float64,
    "published_deviation": pl.Float64,
    "ours": pl.Float64,
    "our_deviation": pl.Float64,
    "our_repeats": pl.Int64,
    "difference": pl.Float64,
    "tolerance": pl.Float64,
    "standing": pl.String,
    "note": pl.String,
}
CLAIMS = {
    name: pl.String
    for name in ("paper", "claim", "says", "quotation", "where", "verdict", "detail", "note")
} | {"places": pl.Int64}
#: What names a cell.
KEY = ("table", "dataset", "method", "quantity", "condition")


def compared_cells(paper: Paper, results: Results, folder: Path) -> pl.DataFrame:
    """Every cell of `cells.csv` in the paper's folder with our value; no rows without that file.

    A cell is *within* when the means differ by at most two standard errors of their difference,
    :math:`2\\sqrt{s_1^2/n_1 + s_2^2/n_2}`, from both deviations and numbers of repeats, plus the
    rounding of the published value. One rule serves all papers: a deviation is that of the quantity
    over repeats of what the paper repeated. Where it is unknown, the cell is shown and not judged.
    """
    published = folder / "cells.csv"
    if not published.exists():
        return pl.DataFrame(schema=CELLS)
    ours = {}
    for function in paper.tables:
        for cell in function(results):
            key = tuple(str(getattr(cell, name)) for name in KEY)
            if key in ours:
                raise PaperError(f"{paper.name}: two values for the cell {key}")
            ours[key] = cell
    text = pl.read_csv(published, infer_schema=False).with_columns(
        pl.col("condition", "note").fill_null("")
    )
    roundings = _roundings(text)
    rows = []
    for row in text.rows(named=True):
        cell = ours.pop(tuple(row[name] for name in KEY), None)
        rows.append(_compared(paper, row, cell, roundings[row["table"], row["quantity"]]))
    if ours:
        raise PaperError(f"{paper.name}: the paper has no cell {next(iter(ours))}")
    return pl.DataFrame(rows, schema=CELLS)


def _compared(paper: Paper, row: dict, cell: Cell | None, rounding: float) -> dict:
    published = None if row["value"] is None else float(row["value"])
    deviation = None if row["deviation"] is None else float(row["deviation"])
    if cell is not None and cell.published_deviation is not None:
        deviation = cell.published_deviation
    tolerance = _tolerance(deviation, paper.published_repeats(row), cell)
    ours = cell and cell.value
    difference = None if None in (ours, published) else ours - published
    if published is None:
        standing = "not printed"
    elif cell is None:
        standing = "not run"
    elif ours is None:
        standing = "no value"
    elif tolerance is None:  # even if equal: what could not be outside is not within
        standing = "no deviation"
    else:
        standing = "within" if abs(difference) <= tolerance + rounding else "outside"
    return {
        "paper": paper.name,
        **{name: row[name] for name in KEY},
        "published": published,
        "published_deviation": deviation,
        "ours": ours,
        "our_deviation": cell and cell.deviation,
        "our_repeats": cell and cell.repeats,
        "difference": difference,
        "tolerance": tolerance,
        "standing": standing,
        "note": row["note"],
    }


def _tolerance(deviation: float | None, repeats: int | None, cell: Cell | None) -> float | None:
    if cell is None or None in (deviation, repeats, cell.deviation, cell.repeats):
        return None
    if cell.repeats == 1:  # a single draw of ours says nothing of how much draws differ
        return None
    return 2.0 * math.sqrt(deviation**2 / repeats + cell.deviation**2 / cell.repeats)


def _roundings(published: pl.DataFrame) -> dict[tuple[str, str], float]:
    """Half a unit of the last printed digit, by table and quantity.

    A table has its quantity to so many digits: among 2.7 and 1.4 a printed 4 is 4.0.

    >>> ranks = pl.DataFrame({"table": "3", "quantity": "rank", "value": ["2.7", "4", None]})
    >>> _roundings(ranks)
    {('3', 'rank'): 0.05}
    """
    digits = pl.col("value").str.extract(r"\.(\d+)$").str.len_chars().fill_null(0).max()
    found = published.group_by("table", "quantity", maintain_order=True).agg(digits)
    return {(table, quantity): 0.5 * 10.0**-n for table, quantity, n in found.iter_rows()}


def judged_claims(paper: Paper, results: Results, folder: Path) -> pl.DataFrame:
    """Every claim of `claims.yaml` in the paper's folder with its verdict on our results.

    A claim has a predicate, or a reason ``why_not``. The verdict is that of the main reading; where
    another reading comes to another one, on any data set or condition, the detail says so.
    """
    said = yaml.safe_load((folder / "claims.yaml").read_text("utf-8"))
    unknown = set(paper.claims) - {c["id"] for c in said}
    if unknown:
        raise PaperError(f"{paper.name}: predicates without a claim: {sorted(unknown)}")
    unclear = [c["id"] for c in said if (c["id"] in paper.claims) == ("why_not" in c)]
    if unclear:
        raise PaperError(f"{paper.name}: claims need a predicate or `why_not`: {unclear}")
    main, others = paper.main_reading(results), list(paper.other_readings(results))
    rows = []
    for claim in said:
        if claim["id"] in paper.claims:
            decide = paper.claims[claim["id"]]
            verdict = _with_others(
                decide(main), [(reading.label, decide(own)) for reading, own in others]
            )
            caveat = paper.caveat(main, claim.get("datasets", ()))
            if caveat and verdict.outcome != UNTESTED:
                verdict = replace(verdict, detail=f"{verdict.detail}. {caveat}")
        else:
            verdict = Verdict(UNTESTED, claim["why_not"])
        rows.append(
            {
                "paper": paper.name,
                "claim": claim["id"],
                "says": claim["claim"],
                "quotation": claim["quotation"],
                "where": claim["where"],
                "verdict": verdict.outcome,
                "detail": verdict.detail,
                "note": claim.get("note", ""),
                "places": verdict.places,
            }
        )
    return pl.DataFrame(rows, schema=CLAIMS)


def _with_others(verdict: Verdict, others: list[tuple[str, Verdict]]) -> Verdict:
    """A verdict with those of other readings that differ from it."""
    differing = [
        f"Read otherwise ({label}): {other.outcome}; {other.detail}"
        for label, other in others
        if (other.outcome, other.checks) != (verdict.outcome, verdict.checks)
    ]
    return replace(verdict, detail=". ".join([verdict.detail, *differing]))


def score_line(cells: pl.DataFrame, claims: pl.DataFrame) -> str:
    """The paper in one line: how many cells and claims were reproduced.

    >>> cells = pl.DataFrame({"standing": ["within", "outside", "not run"]})
    >>> score_line(cells, pl.DataFrame({"verdict": ["holds", "not tested"]}))
    '1 of 2 cells within two standard errors (not run 1); claims: holds 1, not tested 1'
    """
    counts = {s: cells.filter(pl.col("standing") == s).height for s in STANDINGS}
    verdicts = {v: claims.filter(pl.col("verdict") == v).height for v in VERDICTS}
    said = ", ".join(f"{verdict} {n}" for verdict, n in verdicts.items() if n)
    if not len(cells):
        return f"no published cells; claims: {said}"
    judged = counts["within"] + counts["outside"]
    others = [f"{s} {counts[s]}" for s in STANDINGS[2:] if counts[s]]
    aside = f" ({', '.join(others)})" if others else ""
    share = f"{counts['within']} of {judged} cells within two standard errors"
    return f"{share if judged else 'no cell can be judged'}{aside}; claims: {said}"
