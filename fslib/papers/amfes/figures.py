"""Chang & Chen (2009): figures 1 to 14, the v-curves of the benchmark sets."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from fslib.figures.panels import line_panels, points
from fslib.papers.amfes.paper import PAIRS, PAPER
from fslib.papers.amfes.v_curves import baselines, curves
from fslib.reproduce.results import Results

#: Methods of figures 1 to 7 and of figures 8 to 14, with the paper's names.
_DRAWN = (
    {"amfes": "AMFES", "random_subsets": "its non-adaptive version"},
    {"amfes": "AMFES", "svm_rfe": "RFE", "correlation": "CORR"},
)


def v_curves(results: Results, dataset: str, methods: dict[str, str]) -> Figure | None:
    """Mean validation accuracy of the best k features on one data set, a line per method."""
    panel = "validation accuracy, percent"
    lines = [
        points(panel, method, found.sizes, found.values.mean(axis=0))
        for method in methods
        if (found := curves(results).get((dataset, method))) is not None
    ]
    if lines and dataset in baselines(results):
        ends = [lines[0]["x"].min(), lines[0]["x"].max()]
        lines.append(points(panel, "all_features", ends, [baselines(results)[dataset]] * 2))
    return line_panels(f"{dataset}: v-curves", lines)


for _number, (_methods, _dataset) in enumerate(((m, d) for m in _DRAWN for d in PAIRS), start=1):
    _names = ", ".join([*_methods.values(), "all features"])
    PAPER.figure(
        f"figure_{_number:02d}", f"Mean validation accuracy of the best k features: {_names}."
    )(partial(v_curves, dataset=_dataset, methods=_methods))
