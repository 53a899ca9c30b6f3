"""Abe (2014): our values for the cells of tables 1 and 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fslib.papers.babd.pairs import (
    MODES,
    SMALL_MODES,
    cv_figure,
    microarray_blocks,
    places,
    small_blocks,
)
from fslib.papers.babd.paper import PAPER
from fslib.reproduce.paper import Cell
from fslib.reproduce.results import Results

#: Nine data sets with two criteria each: what the summary row of table 2 counts.
_SUMMARISED = 18


@PAPER.table
def table_1(results: Results) -> Iterator[Cell]:
    yield from _cells("1", SMALL_MODES, small_blocks(results))


@PAPER.table
def table_2(results: Results) -> Iterator[Cell]:
    yield from _cells("2", MODES, microarray_blocks(results))


def _cells(table: str, modes: Iterable[str], blocks) -> Iterator[Cell]:
    for (dataset, criterion), block in blocks.items():
        for mode in ("all_features", *modes):
            if mode not in block:
                continue
            rates = ("test_accuracy", cv_figure(criterion))
            for quantity in rates if mode == "all_features" else (*rates, "n_selected", "seconds"):
                values = block[mode][quantity]
                yield Cell(
                    table,
                    dataset,
                    mode,
                    quantity,
                    f"criterion={criterion}",
                    values.mean(),
                    # The paper's deviations are those of the population: with any other divisor 68
                    # of its test rates would not be whole numbers of rows. Our seconds are from
                    # another machine: without a deviation they are shown and not judged.
                    None if quantity == "seconds" else values.std(ddof=0),
                    len(values),
                )


@PAPER.table
def summary_of_table_2(results: Results) -> Iterator[Cell]:
    """Numbers of first, second and third places by mode, scaled from the cases run to eighteen."""
    for quantity in ("test_accuracy", "n_selected", "seconds"):
        counts = places(microarray_blocks(results), quantity)
        cases = sum(sum(of_mode) for of_mode in counts.values()) // len(counts)
        for mode, of_mode in counts.items() if cases else ():
            for place, count in enumerate(of_mode, start=1):
                share = _SUMMARISED * count / cases
                yield Cell(
                    "2", "all", mode, f"{quantity}_places", f"place={place}", share, None, cases
                )
