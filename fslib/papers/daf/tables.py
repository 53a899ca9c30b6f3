"""Somol & Grim (2011): our values for the cells of table II."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from fslib.papers.daf.measures import DATASETS, on
from fslib.papers.daf.paper import PAPER
from fslib.reproduce.paper import Cell
from fslib.reproduce.results import Results


@PAPER.table
def table_2(results: Results) -> Iterator[Cell]:
    """How often the criterion was evaluated, with and without a feature; a mean over the trials."""
    for dataset in DATASETS:
        facts = on(dataset, results.facts).filter(pl.col("method") == "daf0")
        for quantity in ("n_evaluations", "n_probes_with_feature", "n_probes_without_feature"):
            values = facts.filter(pl.col("fact") == quantity)["value"]
            if len(values):
                yield Cell("II", dataset, "daf", quantity, "", values.mean(), repeats=len(values))
