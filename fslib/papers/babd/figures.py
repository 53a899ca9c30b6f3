"""Abe (2014): figure 1, the number of columns that are added at a time."""

from __future__ import annotations

from matplotlib.figure import Figure

from fslib.figures.panels import line_panels, points
from fslib.papers.babd.pairs import increment_sweep
from fslib.papers.babd.paper import PAPER
from fslib.reproduce.results import Results

_PANELS = {
    "cv_mae": "(a) MAE by cross-validation",
    "test_accuracy": "(b) recognition rate of the test rows, %",
    "seconds": "(c) CPU seconds",
    "n_selected": "(d) selected features",
}

_PASSES = ("one-pass", "multi-pass")


@PAPER.figure(
    "figure_01",
    "Selection for breast cancer (1) with the MAE criterion, by the number of columns that are "
    "added at a time; means over the pairs and their standard errors",
)
def figure_01(results: Results) -> Figure | None:
    lines = [
        points(
            title, _PASSES[mode.endswith("m")], [int(mode.removesuffix("m"))], [[v] for v in pairs]
        )
        for quantity, title in _PANELS.items()
        for mode, block in increment_sweep(results).items()
        for pairs in [block[quantity]]
    ]
    return line_panels(
        "hedenfalk_brca1: the increment", lines, xlabel="columns added at a time", band="se",
        log="x",
    )  # fmt: skip
