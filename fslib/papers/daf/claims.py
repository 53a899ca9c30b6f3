"""Somol & Grim (2011): dependency-aware feature ranking against individual ranking and SFFS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from scipy.sparse import random_array

from fslib.papers._daf_figures import accuracy_and_stability, sweep_figure
from fslib.papers._daf_measures import (
    DATASETS,
    MEASURES,
    PROBES,
    VARIANTS,
    Sweep,
    accuracy,
    ahead,
    lead,
    mean_over_sizes,
    not_behind,
    other_classifier,
    part_of,
    selecting_classifier,
    stability,
    sweeps,
)
from fslib.reproduce.comparisons import Comparison, Value, verdict_of
from fslib.reproduce.paper import UNTESTED, Cell, Paper, Verdict, judged
from fslib.reproduce.results import Results

PAPER = Paper(
    "daf",
    "P. Somol, J. Grim (2011): Fast dependency-aware feature selection in very-high-dimensional "
    "pattern recognition problems. Research report 2295, UTIA AV CR, Prague.",
    published_repeats=lambda row: 20,
)


@PAPER.table
def table_2(results: Results) -> Iterator[Cell]:
    """How often the criterion was evaluated, with and without a feature; a mean over the trials."""
    for dataset in DATASETS:
        facts = results.facts.filter(
            pl.col("part") == part_of(dataset),
            pl.col("dataset") == dataset,
            pl.col("method") == "daf0",
        )
        for quantity in ("n_evaluations", "n_probes_with_feature", "n_probes_without_feature"):
            values = facts.filter(pl.col("fact") == quantity)["value"]
            if len(values):
                yield Cell("II", dataset, "daf", quantity, "", values.mean(), repeats=len(values))


def _against_bif(results: Results, dataset: str, classifiers: list[str]) -> Iterator[Comparison]:
    """Each variant on a data set is a place of its own; a data set that was not run is one."""
    for classifier in classifiers:
        rows = accuracy(results, dataset, classifier)
        if rows.is_empty():
            yield Comparison(dataset, None, classifier)
            continue
        for variant in VARIANTS:
            place = f"{dataset} {variant}"
            yield ahead(place, f"{place} {classifier}", lead(rows, variant, "bif"))


def _with_a_fixed_svm(results: Results) -> str:
    """The same with an SVM that is not tuned: not the paper's, for its readers to know."""
    fixed = [
        comparison.text
        for dataset in DATASETS
        for comparison in _against_bif(results, dataset, ["svm_rbf"])
        if comparison.holds is not None
    ]
    return f"by an SVM with C = 1, γ = 1/k: {', '.join(fixed)}" if fixed else ""


@PAPER.claim("daf_beats_bif")
def daf_beats_bif(results: Results) -> Verdict:
    compared, shares = [], []
    for dataset in DATASETS:
        both = [selecting_classifier(dataset), other_classifier(dataset)]
        compared += _against_bif(results, dataset, both)
        for classifier in both:
            means = (
                accuracy(results, dataset, classifier)
                .group_by("method", "k")
                .agg(pl.col("accuracy").mean())
            )
            bif = means.filter(pl.col("method") == "bif")
            ours = means.filter(pl.col("method").is_in(VARIANTS)).join(bif, on="k", suffix="_bif")
            shares += (ours["accuracy"] > ours["accuracy_bif"]).to_list()
    share = f"ahead at {np.mean(shares):.0%} of the sizes" if shares else ""
    return verdict_of(compared, share)


@PAPER.claim("daf_generalises")
def daf_generalises(results: Results) -> Verdict:
    compared = (
        comparison
        for dataset in DATASETS
        for comparison in _against_bif(results, dataset, [other_classifier(dataset)])
    )
    return verdict_of(compared, _with_a_fixed_svm(results))


@PAPER.claim("daf_feasible_high_dimension")
def daf_feasible_high_dimension(results: Results) -> Verdict:
    compared = []
    for dataset in ("reuters21578", "gisette"):
        both = [selecting_classifier(dataset), other_classifier(dataset)]
        compared += _against_bif(results, dataset, both)
    return verdict_of(compared, "only fits that ended within their probes and time have accuracies")


@PAPER.claim("daf_bif_fails_on_madelon")
def daf_bif_fails_on_madelon(results: Results) -> Verdict:
    rows = accuracy(results, "madelon", "knn3")
    at_20 = rows.filter(pl.col("k") == 20)
    compared = []
    for variant in VARIANTS:
        by = lead(at_20, variant, "bif")
        holds = None if by is None else by.mean > 10
        text = "" if by is None else f"{by.mean:+.1f} points with 20 features"
        compared.append(Comparison(variant, holds, f"{variant} {text}"))
    bif = rows.filter(pl.col("method") == "bif")
    everything = rows.filter(pl.col("method") == "all_features")
    if bif.is_empty() or everything.is_empty():
        return verdict_of([*compared, Comparison("bif", None, "bif at its best")])
    means = bif.group_by("k").agg(pl.col("accuracy").mean()).sort("k")
    best = means["k"][int(means["accuracy"].arg_max())]
    peak = bif.filter(pl.col("k") == best).join(everything, on="split", suffix="_all")
    gain = Value.of(peak["accuracy"] - peak["accuracy_all"])
    holds = None if np.isnan(gain.error) else gain.mean <= 2 * gain.error
    text = f"bif at its best, {best} features, {gain.mean:+.1f} ± {2 * gain.error:.1f} on all"
    compared.append(Comparison("bif", holds, text))
    return verdict_of(compared)


@PAPER.claim("daf_finds_madelon_features")
def daf_finds_madelon_features(results: Results) -> Verdict:
    compared = []
    rows = accuracy(results, "madelon", "knn3")
    tops = results.selections.filter(pl.col("part") == "madelon", pl.col("rank") <= 20)
    recovered = results.recovery.filter(pl.col("part") == "generated", pl.col("k") == 20)
    for variant in VARIANTS:
        here = pl.col("method") == variant
        means = rows.filter(here).group_by("k").agg(pl.col("accuracy").mean()).sort("k")
        top = tops.filter(here)
        if len(means) and len(top):
            peak = means["k"][int(means["accuracy"].arg_max())]
            text = f"madelon {variant} peaks at {peak}"
            place = f"madelon {variant}"
            compared.append(Comparison(place, 15 <= peak <= 25, text))
            often = top["feature"].value_counts().sort("count", descending=True)["count"]
            least = often.head(20).min() / top["split"].n_unique()
            text = f"madelon {variant}: a feature of the 20 is on top in {least:.0%} of the splits"
            compared.append(Comparison(place, least >= 0.8, text))
        found = recovered.filter(here)["recall"] * 20
        if len(found):
            text = f"madelon_generated {variant} finds {found.mean():.1f} of 20"
            compared.append(Comparison(f"madelon_generated {variant}", found.mean() >= 18, text))
    return verdict_of(compared)


def _seconds_at_table_2(results: Results, dataset: str, method: str) -> float | None:
    """Mean processor time of a fit; of DAF, as it would be with the paper's number of probes."""
    here = (pl.col("part") == part_of(dataset)) & (pl.col("method") == method)
    seconds = results.runs.filter(here)["cpu_seconds"].mean()
    if seconds is None or method == "bif":
        return seconds
    probes = results.facts.filter(here, pl.col("fact") == "n_evaluations")["value"].mean()
    return seconds * PROBES[dataset] / probes


@PAPER.claim("daf_bif_time_negligible")
def daf_bif_time_negligible(results: Results) -> Verdict:
    checks, shares = {}, []
    for dataset in DATASETS:
        bif, daf = (_seconds_at_table_2(results, dataset, m) for m in ("bif", "daf0"))
        checks[dataset] = None
        if bif is not None and daf is not None:
            checks[dataset] = bif < 0.05 * daf
            shares.append(f"{dataset} {bif / daf:.2%}")
    return judged(checks, f"share of DAF's time: {', '.join(shares)}", "not run")


@PAPER.claim("daf_rank_cost_negligible")
def daf_rank_cost_negligible(results: Results) -> Verdict:
    """The ranks of as many probes of the same sizes are computed here and now."""
    from fslib.methods.daf import daf_scores

    checks = {}
    for dataset in DATASETS:
        here = (pl.col("part") == part_of(dataset)) & (pl.col("method") == "daf0")
        seconds = results.runs.filter(here)["cpu_seconds"].mean()
        facts = results.facts.filter(here).group_by("fact").agg(pl.col("value").mean())
        means = dict(facts.iter_rows())
        checks[dataset] = None
        if seconds is not None and means:
            n = round(means["n_evaluations"])
            d = results.selections.filter(here)["feature"].max() + 1
            density = means["n_probes_with_feature"] / n
            probes = random_array((n, d), density=density, format="csr", rng=0)
            values = np.random.default_rng(0).random(n)
            before = time.process_time()
            for variant in (0, 1, 2):
                daf_scores(probes, values, variant)
            checks[dataset] = time.process_time() - before < 0.01 * seconds
    return judged(checks, "ranks of as many random probes computed anew, all variants", "not run")


@PAPER.claim("daf_sffs_slow")
def daf_sffs_slow(results: Results) -> Verdict:
    whole = results.runs.filter(pl.col("part") == "spambase", pl.col("method") == "sffs_57")
    if whole.is_empty():
        return Verdict(UNTESTED, "a search over all sizes of spambase was not run")
    evaluations = whole["n_fits"].mean() / 3
    # Every one of d steps tries up to d features: at least quadratic growth.
    madelon = evaluations * (500 / 57) ** 2
    times = madelon / PROBES["madelon"]
    return judged(
        {"madelon": times > 10},
        f"{evaluations:.0f} evaluations on spambase, at quadratic growth {madelon:.0f} on madelon, "
        f"{times:.1f} times DAF's",
    )


def _against_sffs(results: Results, classifier: str, sign: int) -> list[Comparison]:
    rows = accuracy(results, "spambase", classifier)
    leads = {variant: lead(rows, variant, "sffs") for variant in VARIANTS}
    signed = {v: by and Value(sign * by.mean, by.error) for v, by in leads.items()}
    return [ahead("spambase", variant, by) for variant, by in signed.items()]


@PAPER.claim("daf_sffs_better_same_classifier")
def daf_sffs_better_same_classifier(results: Results) -> Verdict:
    return _over_variants(_against_sffs(results, "knn3", -1), "SFFS ahead with 3-NN")


@PAPER.claim("daf_generalises_better_than_sffs")
def daf_generalises_better_than_sffs(results: Results) -> Verdict:
    compared = _against_sffs(results, other_classifier("spambase"), 1)
    return _over_variants(compared, "ahead of SFFS with the RBF SVM")


def _over_variants(compared: list[Comparison], detail: str) -> Verdict:
    """Each variant of DAF is a place of its own."""
    checks = dict(zip(VARIANTS, (c.holds for c in compared), strict=True))
    return judged(checks, f"{detail}: {', '.join(c.text for c in compared)}", "not run")


def _stability(
    results: Results, dataset: str, methods, other: str, holds, most: int | None = None
) -> Iterator[Comparison]:
    """Mean stability over the sizes against another method's, by ``holds(ours, the other's)``."""
    for measure in MEASURES:
        rows = stability(results, dataset, measure)
        if rows.is_empty():
            yield Comparison(dataset, None, measure)
            continue
        if most is not None:
            rows = rows.filter(pl.col("k") <= most)
        for method in methods:
            place = f"{dataset} {method}"
            means = mean_over_sizes(rows, method, other)
            if means is None:
                yield Comparison(place, None, measure)
            else:
                text = f"{place} {measure} {means[0]:.2f}, {other} {means[1]:.2f}"
                yield Comparison(place, holds(*means), text)


@PAPER.claim("daf_stability_like_bif")
def daf_stability_like_bif(results: Results) -> Verdict:
    return verdict_of(
        comparison
        for dataset in ("reuters21578", "gisette", "spambase")
        for comparison in _stability(
            results, dataset, VARIANTS, "bif", lambda daf, bif: abs(daf - bif) <= 0.1
        )
    )


@PAPER.claim("daf_more_stable_on_madelon")
def daf_more_stable_on_madelon(results: Results) -> Verdict:
    return verdict_of(
        _stability(results, "madelon", VARIANTS, "bif", lambda daf, bif: daf > bif, most=50)
    )


@PAPER.claim("daf_sffs_unstable")
def daf_sffs_unstable(results: Results) -> Verdict:
    methods = [*VARIANTS, "bif"]
    return verdict_of(
        _stability(results, "spambase", methods, "sffs", lambda ours, sffs: ours - sffs > 0.05)
    )


@PAPER.claim("daf_sffs_overfits")
def daf_sffs_overfits(results: Results) -> Verdict:
    return Verdict(UNTESTED, "the criterion on the training half is kept for SFFS's sets only")


@PAPER.claim("daf_longer_search_reuters", "daf_tau_reuters")
def more_of_reuters(results: Results) -> Verdict:
    return Verdict(UNTESTED, "needs two and three times the longest search of the study, Reuters")


@PAPER.claim("daf_two_hours_suffice")
def daf_two_hours_suffice(results: Results) -> Verdict:
    return verdict_of(
        not_behind(variant, f"{variant}: 16700 probes against {max(sweep.values)}", by)
        for variant, sweep in sweeps(results, "madelon_budget").items()
        if (by := sweep.lead(16_700, max(sweep.values))) is not None
    )


@PAPER.claim("daf_enough_contexts_needed")
def daf_enough_contexts_needed(results: Results) -> Verdict:
    compared = []
    for variant, sweep in sweeps(results, "madelon_budget").items():
        low, high = min(sweep.values), max(sweep.values)
        what = f"{variant}: {high} probes against {low}"
        compared.append(ahead(variant, what, sweep.lead(high, low)))
    return verdict_of(compared, "in points, over all sizes")


@PAPER.claim("daf_tau_less_crucial")
def daf_tau_less_crucial(results: Results) -> Verdict:
    compared = []
    for variant, sweep in sweeps(results, "madelon_tau").items():
        n = len(sweep.values)
        for tau in sweep.values[n // 4 : n - n // 4]:
            what = f"{variant}: τ = {tau} against {sweep.best}"
            compared.append(not_behind(variant, what, sweep.lead(tau, sweep.best)))
    return verdict_of(compared)


@PAPER.claim("daf_tau_too_low")
def daf_tau_too_low(results: Results) -> Verdict:
    return verdict_of(_best_beats(results, min))


@PAPER.claim("daf_tau_too_high")
def daf_tau_too_high(results: Results) -> Verdict:
    return verdict_of(_best_beats(results, max))


def _best_beats(results: Results, end) -> Iterator[Comparison]:
    for variant, sweep in sweeps(results, "madelon_tau").items():
        tau = end(sweep.values)
        what = f"{variant}: τ = {sweep.best} against {tau}"
        yield ahead(variant, what, sweep.lead(sweep.best, tau))


@PAPER.claim("daf_low_tau_more_probes")
def daf_low_tau_more_probes(results: Results) -> Verdict:
    sweep = Sweep(results, "madelon_tau", "daf0")
    runs = results.runs.filter(pl.col("part") == "madelon_tau")
    # Three models per probe, one for each fold.
    seconds = [
        3 * rows["cpu_seconds"].sum() / rows["n_fits"].sum()
        for name in sweep.methods.values()
        if len(rows := runs.filter(pl.col("method") == name))
    ]
    if len(seconds) < 2:
        return Verdict(UNTESTED, "not run")
    rising = all(later >= 0.9 * earlier for earlier, later in pairwise(seconds))
    cost = ", ".join(f"{1000 * s:.1f}" for s in seconds)
    return judged({"madelon": rising}, f"ms per probe for τ = {sweep.values}: {cost}")


for _number, _dataset in zip(("02", "03", "04", "05"), DATASETS, strict=True):
    PAPER.figure(
        f"figure_{_number}",
        f"{_dataset}: accuracy with the selecting and with another classifier, mean and deviation "
        "over the trials, and three measures of stability against the number of features.",
    )(lambda results, dataset=_dataset: accuracy_and_stability(results, dataset))


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
