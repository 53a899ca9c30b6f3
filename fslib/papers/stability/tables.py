"""Gulgezen, Cataltepe & Yu (2009): our values for the cells of tables 3 to 8."""

from __future__ import annotations

from collections.abc import Iterator

from fslib.papers.stability.measures import QUANTITIES, SHRUNK, alpha_ranks
from fslib.papers.stability.paper import PAPER
from fslib.reproduce.paper import Cell
from fslib.reproduce.results import Results


@PAPER.table
def rank_tables(results: Results) -> Iterator[Cell]:
    """Tables 3 to 8: ranks of α, over all ratios on two data sets and on all at r = 0.25."""
    by_ratio = {"musk1": ("3", "4"), "mfeat": ("5", "6")}
    for quantity, column, table_of_all in zip(QUANTITIES, (0, 1), ("7", "8"), strict=True):
        for row in alpha_ranks(results, quantity).rows(named=True):
            tables = []
            if row["dataset"] in by_ratio and row["ratio"] in SHRUNK:
                tables.append(by_ratio[row["dataset"]][column])
            if row["ratio"] == 0.25:
                tables.append(table_of_all)
            for table in tables:
                yield Cell(
                    table,
                    row["dataset"],
                    row["method"],
                    f"{quantity}_rank",
                    f"r={row['ratio']:g}",
                    row["mean"],
                    row["deviation"],
                    row["replicates"],
                    # What the paper prints is the deviation over the numbers of features, which are
                    # no repeats: its one run of the protocol has the deviation that ours has.
                    published_deviation=row["deviation"],
                )
