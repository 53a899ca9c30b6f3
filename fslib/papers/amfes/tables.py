"""Chang & Chen (2009): our values for the cells of tables 4 to 7 and 9 to 13."""

from __future__ import annotations

from collections.abc import Iterator

from fslib.papers.amfes.paper import PAIRS, PAPER
from fslib.papers.amfes.synthetic_sets import REDRAWN, baselines, samples
from fslib.papers.amfes.v_curves import (
    baseline_samples,
    curves,
    gamma,
    gamma_is_known,
    ranking_costs,
)
from fslib.reproduce.paper import Cell
from fslib.reproduce.results import Results

_SYNTHETIC_TABLES = {
    "9": "test_accuracy",
    "10": "n_selected",
    "11": "n_essential",
    "12": "f1",
    "13": "n_essential_on_top",
}


@PAPER.table
def peaks_table(results: Results) -> Iterator[Cell]:
    """Table 5, AMFES and its non-adaptive version, and table 6, AMFES, RFE and CORR."""
    tables = {"5": ("amfes", "random_subsets"), "6": ("amfes", "svm_rfe", "correlation")}
    for table, methods in tables.items():
        for dataset in PAIRS:
            for method in methods:
                found = curves(results).get((dataset, method))
                if found is not None:
                    top = found.peak
                    yield Cell(table, dataset, method, "peak_location", "", top["location"])
                    yield Cell(
                        table, dataset, method, "peak_value", "", top["value"], top["deviation"],
                        len(found.splits),
                    )  # fmt: skip
            sample = baseline_samples(results).get(dataset)
            if sample is not None:
                deviation = sample.std(ddof=1) if len(sample) > 1 else None
                yield Cell(
                    table, dataset, "all_features", "baseline_accuracy", "", sample.mean(),
                    deviation, len(sample),
                    # The paper gives none, but averages over as many pairs as it does elsewhere.
                    published_deviation=deviation,
                )  # fmt: skip


@PAPER.table
def pairs_table(results: Results) -> Iterator[Cell]:
    """Table 4: Γ and Π."""
    for dataset in PAIRS:
        found = curves(results).get((dataset, "amfes"))
        if found is not None:
            yield Cell("4", dataset, "amfes", "pairs", "", len(found.splits))
            if gamma_is_known(found, dataset):
                yield Cell("4", dataset, "amfes", "gamma", "", gamma(found))


@PAPER.table
def seconds_table(results: Results) -> Iterator[Cell]:
    """Table 7: mean seconds of a ranking, on our machine."""
    for (dataset, method), cost in ranking_costs(results).items():
        if method in ("amfes", "svm_rfe", "correlation"):
            yield Cell("7", dataset, method, "ranking_seconds", "", cost["seconds"])


@PAPER.table
def selection_tables(results: Results) -> Iterator[Cell]:
    """Tables 9 to 13, in the form that they imply.

    Shown, not judged (see `paper.py`); what can be compared are orderings: see `findings.py`.
    """
    for dataset, accuracy in baselines(results).items():
        yield Cell("9", dataset, "all_features", "test_accuracy", "", accuracy)
    for (place, procedure, method), found in samples(results).items():
        for table, quantity in _SYNTHETIC_TABLES.items():
            if not place.endswith(REDRAWN):
                sample = found[quantity].to_numpy()
                yield Cell(
                    table, found["dataset"][0], method, quantity, f"procedure={procedure}",
                    float(sample.mean()), float(sample.std()), len(sample),
                )  # fmt: skip
