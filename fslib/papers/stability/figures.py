"""Gulgezen, Cataltepe & Yu (2009): figures 1 to 5."""

from __future__ import annotations

from matplotlib.figure import Figure

from fslib.figures.panels import curves, line_panels, points
from fslib.papers.stability.measures import QUANTITIES, SHRUNK, bootstrapped_path, mean_curves
from fslib.papers.stability.paper import PAPER
from fslib.reproduce.results import Results


def _path_figure(results: Results, scheme: str, criterion: str) -> Figure | None:
    if "musk1" not in results.datasets:
        return None
    path = bootstrapped_path(results, "musk1", scheme)
    lines = [
        points(name, scheme, path.steps[-values.shape[1] :], values)
        for name, values in (
            ("V, relevance", path.relevance),
            ("W, redundancy with the features before", path.redundancy[:, 1:]),
            (f"{criterion}, the criterion", path.criterion[:, 1:]),
        )
    ]
    return line_panels(f"musk1: along the path of {scheme}", lines, band="sd")


@PAPER.figure(
    "figure_01", "V, W and V/W along the path of MIQ on musk1: mean ± deviation of 50 bootstraps"
)
def figure_01(results: Results) -> Figure | None:
    return _path_figure(results, "MIQ", "V/W")


@PAPER.figure(
    "figure_02", "V, W and V − W along the path of MID on musk1: mean ± deviation of 50 bootstraps"
)
def figure_02(results: Results) -> Figure | None:
    return _path_figure(results, "MID", "V − W")


#: MID and α = 0.5 are the same by definition: one line.
_LABELS = {
    "mid": "MID, α = 0.5",
    "miq": "MIQ",
    "alpha_0": "α = 0",
    "alpha_025": "α = 0.25",
    "alpha_075": "α = 0.75",
    "alpha_1": "α = 1",
}


def _curves_figure(results: Results, title: str, dataset: str, panels, methods) -> Figure | None:
    """Panels of (quantity, ratio) with a curve per method."""
    here = mean_curves(results).filter(dataset=dataset)
    names = {method: _LABELS[method] for method in methods}
    lines = [curves(f"{y}, r = {r}", here.filter(ratio=r), names, y) for y, r in panels]
    return line_panels(title, lines)


@PAPER.figure("figure_03", "Stability of MID and MIQ on musk1, for four ratios")
def figure_03(results: Results) -> Figure | None:
    panels = [("stability", r) for r in SHRUNK]
    return _curves_figure(results, "musk1: stability", "musk1", panels, ("mid", "miq"))


_BOTH = [(quantity, r) for quantity in QUANTITIES for r in (0.25, 0.75)]


@PAPER.figure("figure_04", "Stability and 3-NN accuracy of all variants on musk1")
def figure_04(results: Results) -> Figure | None:
    return _curves_figure(results, "musk1: all variants", "musk1", _BOTH, _LABELS)


@PAPER.figure("figure_05", "Stability and 3-NN accuracy of all variants on mfeat")
def figure_05(results: Results) -> Figure | None:
    return _curves_figure(results, "mfeat: all variants", "mfeat", _BOTH, _LABELS)
