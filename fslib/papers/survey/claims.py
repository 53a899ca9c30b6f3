"""What Yun, Shin, Jo, Yang & Kim (2007) conclude.

The paper probably selected features on all rows and cross-validated afterwards. Every claim is
judged on features selected within the folds and on features selected before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

import polars as pl

from fslib.papers.survey.outcomes import METHODS, MICROARRAYS, TIMES, UCI, outcomes
from fslib.papers.survey.paper import PAPER
from fslib.reproduce.comparisons import Value
from fslib.reproduce.paper import Verdict, judged
from fslib.reproduce.results import Results

Checks = tuple[dict[str, bool | None], str]
#: Means of the same accuracies, summed in another order, are equal.
_EQUAL = 1e-12


def _judged_both_ways(study: str | None):
    """Turn a function of outcomes (`outcomes.py`) into a predicate of results.

    The function sees the outcomes of one study, or of both where ``study`` is None: once those of
    features selected within the folds, once those of features selected before the folds.
    """

    def decorate(function: Callable[[pl.DataFrame], Checks]) -> Callable[[Results], Verdict]:
        @wraps(function)
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

        return predicate

    return decorate


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _named(pairs: Iterable[tuple[str, float]], text=_points) -> str:
    return ", ".join(f"{name} {text(value)}" for name, value in pairs)


def _sizes(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per study, data set and method: sizes are the same for all classifiers."""
    return rows.unique(["study", "dataset", "method"], maintain_order=True)


def _mean_change(rows: pl.DataFrame) -> dict[str, float]:
    """The mean change of accuracy by method, the highest first."""
    means = rows.group_by("method").agg(pl.col("change").mean())
    return dict(means.sort("change", "method", descending=[True, False]).iter_rows())


def _on_all_sets(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of the methods that ran on every data set there is."""
    n = rows["dataset"].n_unique()
    return rows.filter(pl.col("dataset").n_unique().over("method") == n)


def _every_method_reduces(rows: pl.DataFrame) -> Checks:
    """Whether no method kept everything on some data set, and where one did."""
    sizes = _sizes(rows)
    whole = sizes.filter(pl.col("kept") >= pl.col("features")).select("method", "dataset").rows()
    said = f"{len(sizes) - len(whole)} of {len(sizes)} (method, data set)"
    return {"": not whole}, said + "".join(f", not {m} on {d}" for m, d in whole)


@PAPER.claim("survey_all_reduce")
@_judged_both_ways("three-state")
def all_reduce(rows: pl.DataFrame) -> Checks:
    """Fewer features than there are, on average, for every method on every data set it ran on."""
    return _every_method_reduces(rows)


@PAPER.claim("survey_binary_all_reduce")
@_judged_both_ways("binary")
def all_reduce_binary_data(rows: pl.DataFrame) -> Checks:
    """As on the three-state sets: fewer features than there are, for every method and data set."""
    return _every_method_reduces(rows)


@PAPER.claim("survey_ga_interact_reduce_most")
@_judged_both_ways("three-state")
def search_and_interact_reduce_most(rows: pl.DataFrame) -> Checks:
    """The genetic algorithm and INTERACT keep fewest features, on average and on each data set.

    Their mean shares are the two lowest among the methods that ran on all five sets; on each data
    set both are among the three lowest. “Among three” is ours.
    """
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


@PAPER.claim("survey_microarray_reduction_large")
@_judged_both_ways("three-state")
def more_is_removed_from_microarrays(rows: pl.DataFrame) -> Checks:
    """For every method more features are removed from either microarray set than from any other."""
    sizes = _sizes(rows).with_columns(removed=pl.col("features") - pl.col("kept"))
    is_array = pl.col("dataset").is_in(MICROARRAYS)
    by_method = sizes.group_by("method").agg(
        least=pl.col("removed").filter(is_array).min(),
        most=pl.col("removed").filter(~is_array).max(),
    )
    known = by_method.drop_nulls().sort("method")
    if known.is_empty():
        return {}, ""
    least = known.sort("least", "method").row(0, named=True)
    detail = f"fewest removed from a microarray: {least['least']:.0f} by {least['method']}"
    return {"": bool((known["least"] > known["most"]).all())}, detail


@PAPER.claim("survey_reduced_better_than_full")
@_judged_both_ways("three-state")
def almost_all_improve(rows: pl.DataFrame) -> Checks:
    """“Almost all”: all but two at most, by the mean change over the data sets, per classifier."""
    checks, said = {}, []
    for (classifier,), here in rows.group_by("classifier", maintain_order=True):
        means = _mean_change(here)
        checks[classifier] = sum(value <= _EQUAL for value in means.values()) <= 2
        better = int((here["change"] > _EQUAL).sum())
        said.append(f"{classifier} {_named(means.items())} ({better} of {len(here)} cells up)")
    return checks, "; ".join(said)


@PAPER.claim("survey_mrmr_best")
@_judged_both_ways("three-state")
def mrmr_is_best_on_most(rows: pl.DataFrame) -> Checks:
    """“Most”: more than half of the data sets, per classifier; equal accuracies count for mRMR."""
    checks, said = {}, []
    for (classifier,), here in rows.group_by("classifier", maintain_order=True):
        # On one data set changes rank methods as accuracies do, as the reference is the same.
        best = pl.col("change").round(12).max().over("dataset")
        mrmr = here.with_columns(best=best).filter(method="mrmr")
        n = int((mrmr["change"].round(12) >= mrmr["best"]).sum())
        checks[classifier] = 2 * n > len(mrmr) if len(mrmr) else None
        said.append(f"{classifier} best on {n} of {len(mrmr)}")
    return checks, ", ".join(said)


@PAPER.claim("survey_interact_as_good_with_nb")
@_judged_both_ways("three-state")
def interact_is_as_good_with_nb(rows: pl.DataFrame) -> Checks:
    """Behind mRMR by at most two standard errors of the mean difference over the data sets."""
    nb = rows.filter(classifier="NB")
    pairs = nb.filter(method="interact").join(
        nb.filter(method="mrmr"), on="dataset", suffix="_mrmr"
    )
    if len(pairs) < 2:
        return {}, ""
    lead = Value.of((pairs["change"] - pairs["change_mrmr"]).to_numpy())
    detail = f"INTERACT less mRMR {_points(lead.mean)} ± {100 * lead.error:.1f}"
    return {"": lead.mean >= -2 * lead.error}, detail


@PAPER.claim("survey_irelief_poor_on_discrete")
@_judged_both_ways("three-state")
def irelief_is_poor_on_some_discrete_data(rows: pl.DataFrame) -> Checks:
    """“Poor”: below all features by more than two standard errors, and the lowest method there.

    “Some”: on one of the five discretised sets, with either classifier.
    """
    here = rows.filter(pl.col("dataset").is_in(UCI)).with_columns(
        lowest=pl.col("change").min().over("dataset", "classifier")
    )
    irelief = here.filter(method="irelief").sort("change", "dataset", "classifier")
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


@PAPER.claim("survey_ga_poor_on_microarrays")
@_judged_both_ways("three-state")
def search_is_poor_on_microarrays(rows: pl.DataFrame) -> Checks:
    """“Poor”: not above all features, and one of the two lowest methods; “two lowest” is ours."""
    checks, said = {}, []
    for place, change in _cells_on_microarrays(rows):
        own = change.get("genetic_search")
        if own is None:
            continue
        n_lower = sum(value < own - _EQUAL for value in change.values())
        checks[place] = own <= _EQUAL and n_lower < 2
        said.append(f"{place} {_points(own)}, {n_lower} of {len(change) - 1} lower")
    return checks, ", ".join(said)


@PAPER.claim("survey_irelief_not_poor_on_microarrays")
@_judged_both_ways("three-state")
def irelief_beats_search_on_microarrays(rows: pl.DataFrame) -> Checks:
    """A higher accuracy than the genetic algorithm's on both sets with both classifiers."""
    checks, said = {}, []
    for place, change in _cells_on_microarrays(rows):
        if {"irelief", "genetic_search"} <= set(change):
            lead = change["irelief"] - change["genetic_search"]
            checks[place] = lead > _EQUAL
            said.append(f"{place} {_points(lead)}")
    return checks, "I-RELIEF less GA: " + ", ".join(said) if said else ""


@PAPER.claim("survey_binary_not_all_improve")
@_judged_both_ways("binary")
def not_all_improve_on_binary_data(rows: pl.DataFrame) -> Checks:
    """The mean change of accuracy of at least one method is not positive."""
    means = _mean_change(rows)
    return {"": any(value <= _EQUAL for value in means.values())}, _named(means.items())


@PAPER.claim("survey_binary_cmim_mrmr_improve")
@_judged_both_ways("binary")
def only_cmim_and_mrmr_improve(rows: pl.DataFrame) -> Checks:
    """Mean changes over the sets and classifiers: two positive, the others not."""
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


@PAPER.claim("survey_binary_irelief_lowest")
@_judged_both_ways("binary")
def irelief_is_far_lowest_on_binary_data(rows: pl.DataFrame) -> Checks:
    """“By far”: more than two standard errors below the next method, over sets and classifiers."""
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


@PAPER.claim("survey_most_improve")
@_judged_both_ways(None)
def most_improve_in_both(rows: pl.DataFrame) -> Checks:
    """“Most”: more than half of the methods keep less than all and have a positive mean change."""
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


@PAPER.claim("survey_mrmr_most_powerful_and_stable")
@_judged_both_ways("three-state")
def mrmr_is_strongest_and_steadiest(rows: pl.DataFrame) -> Checks:
    """mRMR has the highest mean change, and the best worst case of all methods.

    “Stable”: a method's worst case is its lowest change over (data set, classifier); this is ours.
    """
    means = _mean_change(rows)
    worst = dict(rows.group_by("method").agg(pl.col("change").min()).sort("method").iter_rows())
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


@PAPER.claim("survey_irelief_unstable")
@_judged_both_ways("three-state")
def irelief_depends_on_the_data(rows: pl.DataFrame) -> Checks:
    """I-RELIEF's changes deviate most or second most over (data set, classifier).

    “Second” is ours.
    """
    spread = (
        _on_all_sets(rows)
        .group_by("method")
        .agg(deviation=pl.col("change").std())
        .sort("deviation", "method", descending=[True, False])
    )
    if "irelief" not in spread["method"] or spread["deviation"].null_count():
        return {}, ""
    detail = "deviation " + _named(spread.iter_rows(), lambda value: f"{100 * value:.1f}")
    return {"": "irelief" in spread["method"][:2]}, detail
