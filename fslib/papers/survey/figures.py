"""Yun, Shin, Jo, Yang & Kim (2007): figures 1 to 4, and what selecting on all rows is worth."""

from __future__ import annotations

from functools import partial

import polars as pl
from matplotlib.figure import Figure

from fslib.figures.panels import dot_panels
from fslib.papers.survey.outcomes import BINARY, METHODS, MICROARRAYS, UCI, outcomes
from fslib.papers.survey.paper import PAPER
from fslib.reproduce.results import Results

_SELECTED = {"within": "within the folds", "before": "before the folds"}


def _marks(rows: pl.DataFrame, panel: pl.Expr, label: pl.Expr, x: str) -> pl.DataFrame:
    """Points of `dot_panels`: a row per method, in the paper's order."""
    place = {method: i for i, method in enumerate(METHODS)}
    return rows.sort(
        pl.col("method").replace_strict(place, default=None),
        "classifier",
        pl.col("time") == "before",
    ).select(panel=panel, label=label, category="method", x=x)


def _panels(points: pl.DataFrame, datasets: tuple[str, ...]) -> pl.DataFrame:
    """The panels of some data sets in their order."""
    order = pl.DataFrame({"panel": datasets}, schema={"panel": pl.String})
    return order.join(points, on="panel", maintain_order="left_right")


_TIME = pl.col("time").replace_strict(_SELECTED)


def kept_figure(results: Results, study: str, datasets: tuple[str, ...]) -> Figure | None:
    """How many features every method keeps."""
    here = outcomes(results).filter(study=study)
    marks = _marks(here, pl.col("dataset"), _TIME, "kept").unique(maintain_order=True)
    return dot_panels(
        f"Features kept, {study}", _panels(marks, datasets), xlabel="features kept (line: all)",
        reference=dict(here.select("dataset", "features").rows()),
    )  # fmt: skip


def change_figure(results: Results, study: str, datasets: tuple[str, ...]) -> Figure | None:
    """How much accuracy every method gains or loses."""
    here = outcomes(results).filter(study=study).with_columns(pl.col("change") * 100)
    marks = _marks(here, pl.col("dataset"), pl.format("{}, {}", "classifier", _TIME), "change")
    label = "change of accuracy, percentage points"
    return dot_panels(f"Change of accuracy, {study}", _panels(marks, datasets), xlabel=label)


_KEPT, _CHANGE = "Features kept of the", "Change of accuracy against all features,"
for _number, _draw, _study, _datasets, _caption in (
    (1, kept_figure, "three-state", UCI, f"{_KEPT} five discretised sets"),
    (2, change_figure, "three-state", (*UCI, *MICROARRAYS), f"{_CHANGE} all seven sets"),
    (3, kept_figure, "binary", BINARY, f"{_KEPT} three binary sets"),
    (4, change_figure, "binary", BINARY, f"{_CHANGE} three binary sets"),
):
    PAPER.figure(f"figure_0{_number}", f"{_caption}, selected within or before the folds")(
        partial(_draw, study=_study, datasets=_datasets)
    )


@PAPER.figure(
    "selection_bias",
    "Not in the paper: accuracy with features selected on all rows less that with features "
    "selected on training rows, mean over the data sets",
)
def selection_bias(results: Results) -> Figure | None:
    found = outcomes(results)
    place = ["study", "dataset", "method", "classifier"]
    gain = found.filter(time="before").join(found.filter(time="within"), on=place)
    gain = gain.with_columns(gain=100 * (pl.col("accuracy") - pl.col("accuracy_right")))
    is_array = pl.col("dataset").is_in(MICROARRAYS)
    panel = (
        pl.when(is_array).then(pl.lit("two microarrays"))
        .when(pl.col("study") == "binary").then(pl.lit("three sets, binary"))
        .otherwise(pl.lit("five sets, three states"))
    )  # fmt: skip
    points = _marks(gain, panel, pl.col("classifier"), "gain")
    means = points.group_by("panel", "label", "category", maintain_order=True).agg(
        pl.col("x").mean()
    )
    title = "Gain of selecting before the folds"
    return dot_panels(title, means, xlabel="percentage points of accuracy")
