"""What tables 9 to 13 of the AMFES paper and ours have in common: orderings and effects."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import polars as pl

from fslib.papers.amfes.paper import PAPER
from fslib.papers.amfes.synthetic_sets import METHODS, SETS, SIGNS
from fslib.papers.amfes.tables import selection_tables
from fslib.reproduce.paper import Finding
from fslib.reproduce.results import Results
from fslib.run.paper_folders import OWN

_CELL = ("dataset", "method", "procedure")


@PAPER.finding("synthetic_orderings", "Orderings and effects in tables 9 to 13")
def synthetic_orderings(results: Results) -> Finding | None:
    """How often two printed cells and our two are in the same order, and how far apart they are.

    An effect is the difference of two cells of a table that differ in one thing: the method, the
    procedure, or the data set within its group.
    """
    printed, ours = _printed(), _ours(results)
    rows = []
    for table, quantity in printed.select("table", "quantity").unique().sort("table").iter_rows():
        here = [
            {cell[:3]: cell[3] for cell in frame.filter(table=table).select(*_CELL, "value").rows()}
            for frame in (printed, ours)
        ]
        for kind, pairs in _effects(set(here[0]) & set(here[1])).items():
            theirs, own = (np.array([of[a] - of[b] for a, b in pairs]) for of in here)
            ordered = theirs != 0
            rows.append(
                {
                    "table": table,
                    "quantity": quantity,
                    "cells that differ in": kind,
                    "pairs": int(ordered.sum()),
                    "same order": int((np.sign(theirs) == np.sign(own))[ordered].sum()),
                    "mean size of the effect, printed": round(float(np.abs(theirs).mean()), 2),
                    "ours": round(float(np.abs(own).mean()), 2),
                }
            )
    if not rows:
        return None
    table = pl.DataFrame(rows)
    pairs, same = (int(table[name].sum()) for name in ("pairs", "same order"))
    text = (
        "The paper's model of the synthetic data, W and μ, is not printed, so that its cells "
        "cannot be met: on another model all values differ. They are therefore shown and not "
        "judged. What can be compared are orderings: of two printed cells that differ in the "
        "method, in the procedure or in the number of rows, which is higher, and by how much. Half "
        "of the pairs would agree by chance."
    )
    numbers = {"pairs of printed cells": pairs, "of them in the same order here": same}
    return Finding(text, numbers, table)


def _printed() -> pl.DataFrame:
    cells = pl.read_csv(OWN / "amfes" / "cells.csv", schema_overrides={"table": pl.String})
    return _by_procedure(cells)


def _ours(results: Results) -> pl.DataFrame:
    names = ("table", "dataset", "method", "quantity", "condition", "value")
    cells = [[getattr(cell, name) for name in names] for cell in selection_tables(results)]
    schema = dict.fromkeys(names, pl.String) | {"value": pl.Float64}
    return _by_procedure(pl.DataFrame(cells, schema=schema, orient="row"))


def _by_procedure(cells: pl.DataFrame) -> pl.DataFrame:
    procedure = pl.col("condition").str.strip_prefix("procedure=")
    return cells.with_columns(procedure=procedure).filter(
        pl.col("dataset").is_in(list(SETS)), pl.col("method").is_in(METHODS)
    )


def _effects(cells: set[tuple]) -> dict[str, list[tuple[tuple, tuple]]]:
    """Pairs of cells by what they differ in."""
    return {
        kind: [(a, b) for a, b in pairs if {a, b} <= cells]
        for kind, pairs in (
            ("method", list(_pairs_of_methods())),
            ("procedure", [((d, m, "omega"), (d, m, "omega_pi")) for d in SETS for m in METHODS]),
            ("rows", list(_pairs_of_sizes())),
        )
        if any({a, b} <= cells for a, b in pairs)
    }


def _pairs_of_methods() -> Iterator[tuple[tuple, tuple]]:
    for dataset in SETS:
        for procedure in SIGNS:
            for one, two in combinations(METHODS, 2):
                yield (dataset, one, procedure), (dataset, two, procedure)


def _pairs_of_sizes() -> Iterator[tuple[tuple, tuple]]:
    for small, large in combinations(SETS, 2):
        if SETS[small].split("-")[0] == SETS[large].split("-")[0]:
            for method in METHODS:
                for procedure in SIGNS:
                    yield (large, method, procedure), (small, method, procedure)
