"""Yun, Shin, Jo, Yang & Kim (2007): figures 1 to 4, and what selecting on all rows is worth."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from fslib.figures.panels import Dots, dot_panels
from fslib.papers.survey.outcomes import BINARY, METHODS, MICROARRAYS, TIMES, UCI, outcomes
from fslib.papers.survey.paper import PAPER
from fslib.reproduce.results import Results

_SELECTED = {"within": "within the folds", "before": "before the folds"}


def _kept_figure(results: Results, study: str, datasets: tuple[str, ...], title: str):
    here = _sizes_by_time(outcomes(results).filter(study=study))
    panels, features = {}, {}
    for dataset in datasets:
        rows = here.filter(dataset=dataset)
        if len(rows):
            panels[dataset] = [
                Dots(_SELECTED[time], _by_method(rows.filter(time=time), "kept")) for time in TIMES
            ]
            features[dataset] = rows["features"][0]
    return dot_panels(title, panels, "features kept (line: all)", features) if panels else None


def _sizes_by_time(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.unique(["time", "study", "dataset", "method"], maintain_order=True)


def _by_method(rows: pl.DataFrame, column: str) -> dict[str, float]:
    values = dict(rows.select("method", column).iter_rows())
    return {method: values[method] for method in METHODS if method in values}


def _change_figure(results: Results, study: str, datasets: tuple[str, ...], title: str):
    here = outcomes(results).filter(study=study).with_columns(pl.col("change") * 100)
    panels = {}
    for dataset in datasets:
        rows = here.filter(dataset=dataset)
        if len(rows):
            panels[dataset] = [
                Dots(
                    f"{classifier}, {_SELECTED[time]}",
                    _by_method(rows.filter(classifier=classifier, time=time), "change"),
                )
                for classifier in ("NB", "SVM")
                for time in TIMES
            ]
    label = "change of accuracy, percentage points"
    return dot_panels(title, panels, label, dict.fromkeys(panels, 0.0)) if panels else None


@PAPER.figure(
    "figure_01", "Features kept of the five discretised sets, selected within or before the folds"
)
def figure_01(results: Results) -> Figure | None:
    return _kept_figure(results, "three-state", UCI, "Features kept, three states")


@PAPER.figure(
    "figure_02",
    "Change of accuracy against all features, all seven sets, selected within or before the folds",
)
def figure_02(results: Results) -> Figure | None:
    title = "Change of accuracy, three states"
    return _change_figure(results, "three-state", (*UCI, *MICROARRAYS), title)


@PAPER.figure(
    "figure_03", "Features kept of the three binary sets, selected within or before the folds"
)
def figure_03(results: Results) -> Figure | None:
    return _kept_figure(results, "binary", BINARY, "Features kept, binary")


@PAPER.figure(
    "figure_04",
    "Change of accuracy against all features, three binary sets, within or before the folds",
)
def figure_04(results: Results) -> Figure | None:
    return _change_figure(results, "binary", BINARY, "Change of accuracy, binary")


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
    panels = {}
    for name, where in (
        ("five sets, three states", (pl.col("study") == "three-state") & ~is_array),
        ("two microarrays", is_array),
        ("three sets, binary", pl.col("study") == "binary"),
    ):
        rows = gain.filter(where).group_by("method", "classifier").agg(pl.col("gain").mean())
        if len(rows):
            panels[name] = [
                Dots(classifier, _by_method(rows.filter(classifier=classifier), "gain"))
                for classifier in ("NB", "SVM")
            ]
    if not panels:
        return None
    title, label = "Gain of selecting before the folds", "percentage points of accuracy"
    return dot_panels(title, panels, label, dict.fromkeys(panels, 0.0))
