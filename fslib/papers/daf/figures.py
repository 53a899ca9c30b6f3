"""The figures of the DAF paper, drawn from our results."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from fslib.figures.panels import curves, line_panels
from fslib.papers.daf.measures import (
    DATASETS,
    MEASURES,
    accuracy,
    other_classifier,
    selecting_classifier,
    stability,
    sweeps,
)
from fslib.papers.daf.paper import PAPER
from fslib.reproduce.results import Results

_DRAWN = {"daf0": "DAF0", "daf1": "DAF1", "daf2": "DAF2", "bif": "BIF", "sffs": "SFFS"}
_TITLES = {
    "knn1": "accuracy, nearest neighbour (%)",
    "knn3": "accuracy, 3 nearest neighbours (%)",
    "svm_linear": "accuracy, linear SVM (%)",
    "svm_rbf": "accuracy, RBF SVM with C = 1, γ = 1/k (%)",
    "svm_rbf_tuned": "accuracy, RBF SVM tuned on all features (%)",
    "relative_weighted_consistency": "stability CW_rel",
    "average_tanimoto": "stability ATI",
    "average_normalised_hamming": "stability ANHI",
}


def accuracy_and_stability(results: Results, dataset: str) -> Figure | None:
    """Both accuracies with their deviation over the splits, and the three stabilities."""
    lines = [
        curves(_TITLES[c], accuracy(results, dataset, c), _DRAWN, "accuracy")
        for c in (selecting_classifier(dataset), other_classifier(dataset), "svm_rbf")
    ]
    for measure in MEASURES:
        rows = stability(results, dataset, measure).drop_nulls()
        lines.append(curves(_TITLES[measure], rows, _DRAWN, "value"))
    return line_panels(dataset, lines, band="sd")


def sweep_figure(results: Results, part: str, title: str, setting: str) -> Figure | None:
    """Accuracy for each value of a setting, a panel per variant of DAF."""
    lines = [
        curves(
            f"{_DRAWN[variant]}, {_TITLES['knn3']}", sweep.rows,
            {name: f"{setting} {value}" for value, name in sweep.methods.items()}, "accuracy",
        )
        for variant, sweep in sweeps(results, part).items()
    ]  # fmt: skip
    return line_panels(title, lines, band="sd")


for _number, _dataset in zip(("02", "03", "04", "05"), DATASETS, strict=True):
    PAPER.figure(
        f"figure_{_number}",
        f"{_dataset}: accuracy with the selecting and with another classifier, mean and deviation "
        "over the trials, and three measures of stability against the number of features.",
    )(partial(accuracy_and_stability, dataset=_dataset))


@PAPER.figure(
    "figure_06", "madelon: how the number of probes matters (τ = 150); minutes in the paper."
)
def figure_06(results: Results) -> Figure | None:
    return sweep_figure(results, "madelon_budget", "madelon: number of probes", "probes:")


@PAPER.figure(
    "figure_07", "madelon: how the largest size of a probe, τ, matters; equal numbers of probes."
)
def figure_07(results: Results) -> Figure | None:
    return sweep_figure(results, "madelon_tau", "madelon: largest probe", "τ =")
