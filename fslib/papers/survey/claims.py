"""Yun, Shin, Jo, Yang & Kim (2007): eight methods, what they keep and what it does to accuracy.

The paper probably selected features on all rows and cross-validated afterwards. Every claim is
judged on features selected within the folds and on features selected before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl
from matplotlib.figure import Figure

from fslib.figures.panels import Dots, dot_panels
from fslib.papers._survey_outcomes import BINARY, METHODS, MICROARRAYS, TIMES, UCI, outcomes
from fslib.reproduce.comparisons import Value
from fslib.reproduce.paper import Paper, Verdict, judged
from fslib.reproduce.results import Results

PAPER = Paper(
    "survey",
    "Yun, Shin, Jo, Yang & Kim (2007), An experimental study on feature subset selection methods, "
    "CIT, 77-82.",
)

Checks = tuple[dict[str, bool | None], str]
#: Means of the same accuracies, summed in another order, are equal.
_EQUAL = 1e-12


def _claim(name: str, study: str | None):
    """Register a predicate of the outcomes of one way of selecting, judged on both ways."""

    def register(function: Callable[[pl.DataFrame], Checks]):
        def predicate(results: Results) -> Verdict:
            checks, details = {}, []
            for time in TIMES:
                rows = outcomes(results).filter(time=time)
                rows = rows if study is None else rows.filter(study=study)
                found, detail = function(rows) if len(rows) else ({}, "")
                label = "selected " + time
                checks |= {f"{place} ({time})" if place else label: v for place, v in found.items()}
                details += [f"{time}: {detail}"] * bool(detail)
            return judged(checks, "; ".join(details), "not run")

        PAPER.claim(name)(predicate)
        return function

    return register


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _named(pairs: Iterable[tuple[str, float]], text=_points) -> str:
    return ", ".join(f"{name} {text(value)}" for name, value in pairs)


def _sizes(rows: pl.DataFrame) -> pl.DataFrame:
    """Numbers of features do not depend on the classifier."""
    return rows.unique(["study", "dataset", "method"], maintain_order=True)


def _mean_change(rows: pl.DataFrame) -> dict[str, float]:
    """By method, the highest first."""
    means = rows.group_by("method").agg(pl.col("change").mean())
    return dict(means.sort("change", "method", descending=[True, False]).iter_rows())


def _on_all_sets(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of the methods that ran on every data set there is."""
    n = rows["dataset"].n_unique()
    return rows.filter(pl.col("dataset").n_unique().over("method") == n)


@_claim("survey_all_reduce", "three-state")
@_claim("survey_binary_all_reduce", "binary")
def all_reduce(rows: pl.DataFrame) -> Checks:
    sizes = _sizes(rows)
    whole = sizes.filter(pl.col("kept") >= pl.col("features")).select("method", "dataset").rows()
    said = f"{len(sizes) - len(whole)} of {len(sizes)} (method, data set)"
    return {"": not whole}, said + "".join(f", not {m} on {d}" for m, d in whole)


@_claim("survey_ga_interact_reduce_most", "three-state")
def search_and_interact_reduce_most(rows: pl.DataFrame) -> Checks:
    wanted = {"genetic_search", "interact"}
    sizes = _sizes(rows).filter(pl.col("dataset").is_in(UCI))
    if sizes.is_empty():
        return {}, ""
    shares = (
        _on_all_sets(sizes)
        .group_by("method")
        .agg(share=(pl.col("kept") / pl.col("features")).mean())
        .sort("share", "method")
    )
    checks: dict[str, bool | None] = {"the mean share": set(shares["method"][:2]) == wanted}
    for (dataset,), here in sizes.group_by("dataset", maintain_order=True):
        ranks = dict(here.select("method", pl.col("kept").rank("min")).iter_rows())
        if wanted <= set(ranks):
            checks[dataset] = all(ranks[method] <= 3 for method in wanted)
    return checks, "share kept: " + _named(shares.iter_rows(), "{:.2f}".format)


@_claim("survey_microarray_reduction_large", "three-state")
def more_is_removed_from_microarrays(rows: pl.DataFrame) -> Checks:
    sizes = _sizes(rows).with_columns(removed=pl.col("features") - pl.col("kept"))
    is_array = pl.col("dataset").is_in(MICROARRAYS)
    by_method = sizes.group_by("method").agg(
        least=pl.col("removed").filter(is_array).min(),
        most=pl.col("removed").filter(~is_array).max(),
    )
    known = by_method.drop_nulls().sort("method")
    if known.is_empty():
        return {}, ""
    least = known.sort("least").row(0, named=True)
    detail = f"fewest removed from a microarray: {least['least']:.0f} by {least['method']}"
    return {"": bool((known["least"] > known["most"]).all())}, detail


@_claim("survey_reduced_better_than_full", "three-state")
def almost_all_improve(rows: pl.DataFrame) -> Checks:
    checks, said = {}, []
    for (classifier,), here in rows.group_by("classifier", maintain_order=True):
        means = _mean_change(here)
        checks[classifier] = sum(value <= _EQUAL for value in means.values()) <= 2
        better = int((here["change"] > _EQUAL).sum())
        said.append(f"{classifier} {_named(means.items())} ({better} of {len(here)} cells up)")
    return checks, "; ".join(said)


@_claim("survey_mrmr_best", "three-state")
def mrmr_is_best_on_most(rows: pl.DataFrame) -> Checks:
    checks, said = {}, []
    for (classifier,), here in rows.group_by("classifier", maintain_order=True):
        # Equal accuracies count for it; all of a data set have the same reference.
        best = pl.col("change").round(12).max().over("dataset")
        mrmr = here.with_columns(best=best).filter(method="mrmr")
        n = int((mrmr["change"].round(12) >= mrmr["best"]).sum())
        checks[classifier] = 2 * n > len(mrmr) if len(mrmr) else None
        said.append(f"{classifier} best on {n} of {len(mrmr)}")
    return checks, ", ".join(said)


@_claim("survey_interact_as_good_with_nb", "three-state")
def interact_is_as_good_with_nb(rows: pl.DataFrame) -> Checks:
    nb = rows.filter(classifier="NB")
    pairs = nb.filter(method="interact").join(
        nb.filter(method="mrmr"), on="dataset", suffix="_mrmr"
    )
    if len(pairs) < 2:
        return {}, ""
    lead = Value.of((pairs["change"] - pairs["change_mrmr"]).to_numpy())
    detail = f"INTERACT less mRMR {_points(lead.mean)} ± {100 * lead.error:.1f}"
    return {"": lead.mean >= -2 * lead.error}, detail


@_claim("survey_irelief_poor_on_discrete", "three-state")
def irelief_is_poor_on_some_discrete_data(rows: pl.DataFrame) -> Checks:
    here = rows.filter(pl.col("dataset").is_in(UCI)).with_columns(
        lowest=pl.col("change").min().over("dataset", "classifier")
    )
    irelief = here.filter(method="irelief").sort("change")
    if irelief.is_empty():
        return {}, ""
    poor = irelief.filter(
        pl.col("change") < -2 * pl.col("error"), pl.col("change") <= pl.col("lowest") + _EQUAL
    )
    shown = [f"{r['dataset']} {r['classifier']} {_points(r['change'])} ± {100 * r['error']:.1f}"
             for r in (poor if len(poor) else irelief.head(1)).rows(named=True)]  # fmt: skip
    return {"": len(poor) > 0}, ("" if len(poor) else "lowest ") + ", ".join(shown)


def _cells_on_microarrays(rows: pl.DataFrame):
    """Changes by method for each microarray set and classifier."""
    here = rows.filter(pl.col("dataset").is_in(MICROARRAYS))
    for (dataset, classifier), cell in here.group_by("dataset", "classifier", maintain_order=True):
        yield f"{dataset} {classifier}", dict(cell.select("method", "change").iter_rows())


@_claim("survey_ga_poor_on_microarrays", "three-state")
def search_is_poor_on_microarrays(rows: pl.DataFrame) -> Checks:
    checks, said = {}, []
    for place, change in _cells_on_microarrays(rows):
        own = change.get("genetic_search")
        if own is None:
            continue
        n_lower = sum(value < own - _EQUAL for value in change.values())
        checks[place] = own <= _EQUAL and n_lower < 2
        said.append(f"{place} {_points(own)}, {n_lower} of {len(change) - 1} lower")
    return checks, ", ".join(said)


@_claim("survey_irelief_not_poor_on_microarrays", "three-state")
def irelief_beats_search_on_microarrays(rows: pl.DataFrame) -> Checks:
    checks, said = {}, []
    for place, change in _cells_on_microarrays(rows):
        if {"irelief", "genetic_search"} <= set(change):
            lead = change["irelief"] - change["genetic_search"]
            checks[place] = lead > _EQUAL
            said.append(f"{place} {_points(lead)}")
    return checks, "I-RELIEF less GA: " + ", ".join(said) if said else ""


@_claim("survey_binary_not_all_improve", "binary")
def not_all_improve_on_binary_data(rows: pl.DataFrame) -> Checks:
    means = _mean_change(rows)
    return {"": any(value <= _EQUAL for value in means.values())}, _named(means.items())


@_claim("survey_binary_cmim_mrmr_improve", "binary")
def only_cmim_and_mrmr_improve(rows: pl.DataFrame) -> Checks:
    means = _mean_change(rows)
    if not {"cmim", "mrmr"} <= set(means):
        return {}, ""
    checks = {
        "CMIM and mRMR improve": min(means["cmim"], means["mrmr"]) > _EQUAL,
        "the others do not": all(
            v <= _EQUAL for m, v in means.items() if m not in ("cmim", "mrmr")
        ),
    }
    return checks, _named(means.items())


@_claim("survey_binary_irelief_lowest", "binary")
def irelief_is_far_lowest_on_binary_data(rows: pl.DataFrame) -> Checks:
    means = _mean_change(rows)
    if "irelief" not in means or len(means) < 2:
        return {}, ""
    lowest = list(means)[-1]
    next_lowest = [method for method in means if method != "irelief"][-1]
    place = ["dataset", "classifier"]
    pairs = rows.filter(method=next_lowest).join(rows.filter(method="irelief"), on=place)
    gap = Value.of((pairs["change"] - pairs["change_right"]).to_numpy())
    detail = f"lowest is {lowest}; {next_lowest} less irelief {_points(gap.mean)}"
    return {"": gap.mean > 2 * gap.error}, f"{detail} ± {100 * gap.error:.1f}"


@_claim("survey_most_improve", None)
def most_improve_in_both(rows: pl.DataFrame) -> Checks:
    means = _mean_change(rows)
    shares = dict(
        _sizes(rows)
        .group_by("method")
        .agg((pl.col("kept") / pl.col("features")).mean())
        .iter_rows()
    )
    both = [m for m in METHODS if means.get(m, 0.0) > _EQUAL and shares[m] < 1]
    detail = f"{len(both)} of {len(means)}: {_named((m, means[m]) for m in means)}"
    return {"": 2 * len(both) > len(means)}, detail


@_claim("survey_mrmr_most_powerful_and_stable", "three-state")
def mrmr_is_strongest_and_steadiest(rows: pl.DataFrame) -> Checks:
    means = _mean_change(rows)
    worst = dict(rows.group_by("method").agg(pl.col("change").min()).iter_rows())
    if "mrmr" not in means:
        return {}, ""
    leader, steadiest = max(means, key=means.get), max(worst, key=worst.get)
    checks = {
        "highest mean": means["mrmr"] >= means[leader] - _EQUAL,
        "best worst cell": worst["mrmr"] >= worst[steadiest] - _EQUAL,
    }
    detail = (
        f"mean {_points(means['mrmr'])} ({leader} {_points(means[leader])}), "
        f"worst {_points(worst['mrmr'])} ({steadiest} {_points(worst[steadiest])})"
    )
    return checks, detail


@_claim("survey_irelief_unstable", "three-state")
def irelief_depends_on_the_data(rows: pl.DataFrame) -> Checks:
    spread = (
        _on_all_sets(rows)
        .group_by("method")
        .agg(deviation=pl.col("change").std())
        .sort("deviation", descending=True)
    )
    if "irelief" not in spread["method"] or spread["deviation"].null_count():
        return {}, ""
    detail = "deviation " + _named(spread.iter_rows(), lambda value: f"{100 * value:.1f}")
    return {"": "irelief" in spread["method"][:2]}, detail


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
