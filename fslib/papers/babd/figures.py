"""Abe (2014): figure 1, the number of columns that are added at a time."""

from __future__ import annotations

from matplotlib.figure import Figure

from fslib.figures.panels import Line, line_panels
from fslib.papers.babd.pairs import increment_sweep
from fslib.papers.babd.paper import PAPER
from fslib.reproduce.results import Results

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
