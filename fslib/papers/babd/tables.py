"""Abe (2014): incremental block addition and block deletion with least-squares SVMs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from matplotlib.figure import Figure

from fslib.figures.panels import Line, line_panels
from fslib.papers import _babd_microarrays, _babd_small
from fslib.papers._babd_pairs import (
    MODES,
    SMALL_MODES,
    cv_figure,
    increment_sweep,
    microarray_blocks,
    places,
    small_blocks,
)
from fslib.reproduce.paper import Cell, Paper
from fslib.reproduce.results import Results

PAPER = Paper(
    name="babd",
    citation=(
        "Abe (2014), Incremental feature selection by block addition and block deletion using "
        "least squares SVRs, ANNPR."
    ),
    published_repeats=lambda row: {"1": 20, "2": 100}[row["table"]],
    claims={**_babd_small.PREDICATES, **_babd_microarrays.PREDICATES},
)


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
                    # The paper's deviations are those of the population: 68 of its test rates are
                    # whole numbers of rows for no other. Seconds of another machine stand beside
                    # the paper's, but without a deviation nothing is judged by them.
                    None if quantity == "seconds" else values.std(ddof=0),
                    len(values),
                )


#: Nine data sets with two criteria each: what the summary row of table 2 counts.
_SUMMARISED = 18


@PAPER.table
def summary_of_table_2(results: Results) -> Iterator[Cell]:
    """Places in as many cases as were run, as shares of the paper's eighteen."""
    for quantity in ("test_accuracy", "n_selected", "seconds"):
        counts = places(microarray_blocks(results), quantity)
        cases = sum(sum(of_mode) for of_mode in counts.values()) // len(counts)
        for mode, of_mode in counts.items() if cases else ():
            for place, count in enumerate(of_mode, start=1):
                share = _SUMMARISED * count / cases
                yield Cell(
                    "2", "all", mode, f"{quantity}_places", f"place={place}", share, None, cases
                )


_PANELS = {
    "cv_mae": "(a) MAE by cross-validation",
    "test_accuracy": "(b) recognition rate of the test rows, %",
    "seconds": "(c) CPU seconds",
    "n_selected": "(d) selected features",
}


@PAPER.figure(
    "figure_01",
    "Selection for breast cancer (1) with the MAE criterion, by the number of columns that are "
    "added at a time; means over the pairs and their standard errors",
)
def figure_01(results: Results) -> Figure | None:
    sweep = increment_sweep(results)
    increments = sorted({int(mode.removesuffix("m")) for mode in sweep})
    panels = {
        title: [
            _line("one-pass", [(i, sweep.get(f"{i}")) for i in increments], quantity),
            _line("multi-pass", [(i, sweep.get(f"{i}m")) for i in increments], quantity),
        ]
        for quantity, title in _PANELS.items()
    }
    if not sweep:
        return None
    return line_panels(
        "hedenfalk_brca1: the increment", panels, "columns added at a time", increments
    )


def _line(label: str, runs, quantity: str) -> Line:
    known = [(increment, pairs[quantity]) for increment, pairs in runs if pairs is not None]
    return Line(
        label,
        [increment for increment, _ in known],
        [values.mean() for _, values in known],
        [values.std(ddof=0) / len(values) ** 0.5 for _, values in known],
    )
