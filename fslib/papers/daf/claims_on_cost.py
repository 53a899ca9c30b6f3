"""What Somol & Grim (2011) conclude of cost, of the number of probes and of τ (V.B, V.C)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl
from scipy.sparse import random_array

from fslib.papers.daf.measures import (
    DATASETS,
    PROBES,
    Sweep,
    accuracy,
    ahead,
    lead,
    not_behind,
    on,
    other_classifier,
    selecting_classifier,
    sweeps,
)
from fslib.papers.daf.paper import PAPER
from fslib.reproduce.comparisons import Comparison, verdict_of
from fslib.reproduce.paper import UNTESTED, Verdict, judged
from fslib.reproduce.results import Results


def _seconds_at_table_2(results: Results, dataset: str, method: str) -> float | None:
    """Mean processor time of a fit; that of DAF is scaled to the paper's number of probes."""
    here = pl.col("method") == method
    seconds = on(dataset, results.runs).filter(here)["cpu_seconds"].mean()
    if seconds is None or method == "bif":
        return seconds
    facts = on(dataset, results.facts)
    probes = facts.filter(here, pl.col("fact") == "n_evaluations")["value"].mean()
    return seconds * PROBES[dataset] / probes


@PAPER.claim("daf_bif_time_negligible")
def daf_bif_time_negligible(results: Results) -> Verdict:
    """“Negligible”: less than 5 % of DAF's time for table II's number of probes; 5 % is ours."""
    checks, shares = {}, []
    for dataset in DATASETS:
        bif, daf = (_seconds_at_table_2(results, dataset, m) for m in ("bif", "daf0"))
        checks[dataset] = None
        if bif is not None and daf is not None:
            checks[dataset] = bif < 0.05 * daf
            shares.append(f"{dataset} {bif / daf:.2%}")
    return judged(checks, f"share of DAF's time: {', '.join(shares)}", "not run")


@PAPER.claim("daf_longer_search_reuters")
def daf_longer_search_reuters(results: Results) -> Verdict:
    """“About one point”: 0.5 to 2 points more with twice the probes, over all sizes; limits ours.

    The study's probes against half of them, by DAF0 and by DAF1, with the selecting classifier.
    Not of a budget that is less than half of table II's: the paper doubled one as long as that.
    """
    probes = on("reuters21578", results.facts).filter(fact="n_evaluations")["value"].max()
    if probes is not None and probes < PROBES["reuters21578"] / 2:
        return Verdict(UNTESTED, f"{probes:,.0f} probes are less than half of table II's budget")
    found = accuracy(results, "reuters21578", "svm_linear")
    checks, said = {}, []
    for variant in ("daf0", "daf1"):
        gain = lead(found, variant, f"{variant}_half")
        checks[variant] = None if gain is None else 0.5 <= gain.mean <= 2.0
        said += [] if gain is None else [f"{variant} {gain.mean:+.2f} ± {gain.error:.2f}"]
    return judged(checks, f"points from twice the probes: {', '.join(said)}", "not run")


@PAPER.claim("daf_tau_reuters")
def daf_tau_reuters(results: Results) -> Verdict:
    """“Poor”: lower than with τ = 200 by more than two standard errors, over all sizes.

    By the selecting and by the other classifier, with as many probes for each τ.
    """
    found = []
    for classifier in (selecting_classifier("reuters21578"), other_classifier("reuters21578")):
        for variant in ("daf0", "daf1"):
            sweep = Sweep(results, "reuters_tau", variant, "reuters21578", classifier)
            for tau in sweep.values[1:]:
                loss = sweep.lead(sweep.values[0], tau)
                found.append(ahead(f"τ = {tau}", f"{variant} {classifier} τ = {tau}", loss))
    return verdict_of(found or [Comparison("reuters21578", None, "reuters21578")])


@PAPER.claim("daf_rank_cost_negligible")
def daf_rank_cost_negligible(results: Results) -> Verdict:
    """“Negligible”: ranks take less than 1 % of the processor time of the fit; 1 % is ours.

    This predicate times the ranks itself, on as many random probes of the same mean size.
    """
    from fslib.methods.daf import daf_scores

    checks = {}
    for dataset in DATASETS:
        runs, facts = (
            on(dataset, rows).filter(pl.col("method") == "daf0")
            for rows in (results.runs, results.facts)
        )
        seconds = runs["cpu_seconds"].mean()
        d = on(dataset, results.accuracy).filter(method="all_features")["k"].max()
        facts = facts.group_by("fact").agg(pl.col("value").mean())
        means = dict(facts.iter_rows())
        checks[dataset] = None
        if means and None not in (seconds, d):
            n = round(means["n_evaluations"])
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
    """More than ten times table II's evaluations of DAF, on madelon; seconds do not compare.

    Evaluations of a search over all sizes of spambase are carried over to madelon's 500 features.
    """
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


@PAPER.claim("daf_two_hours_suffice")
def daf_two_hours_suffice(results: Results) -> Verdict:
    """16700 probes are behind the most probes by two standard errors at most.

    Table II has 25000 evaluations in three hours for madelon; 16700 stand for two hours.
    """
    return verdict_of(
        not_behind(variant, f"{variant}: 16700 probes against {max(sweep.values)}", by)
        for variant, sweep in sweeps(results, "madelon_budget").items()
        if (by := sweep.lead(16_700, max(sweep.values))) is not None
    )


@PAPER.claim("daf_enough_contexts_needed")
def daf_enough_contexts_needed(results: Results) -> Verdict:
    """Accuracy with the fewest probes is behind by more than two standard errors."""
    compared = []
    for variant, sweep in sweeps(results, "madelon_budget").items():
        low, high = min(sweep.values), max(sweep.values)
        what = f"{variant}: {high} probes against {low}"
        compared.append(ahead(variant, what, sweep.lead(high, low)))
    return verdict_of(compared, "in points, over all sizes")


@PAPER.claim("daf_tau_less_crucial")
def daf_tau_less_crucial(results: Results) -> Verdict:
    """The middle half of the values of τ is behind the best by two standard errors at most."""
    compared = []
    for variant, sweep in sweeps(results, "madelon_tau").items():
        n = len(sweep.values)
        for tau in sweep.values[n // 4 : n - n // 4]:
            what = f"{variant}: τ = {tau} against {sweep.best}"
            compared.append(not_behind(variant, what, sweep.lead(tau, sweep.best)))
    return verdict_of(compared)


@PAPER.claim("daf_tau_too_low")
def daf_tau_too_low(results: Results) -> Verdict:
    """The lowest τ is behind the best by more than two standard errors."""
    return verdict_of(_best_beats(results, min))


@PAPER.claim("daf_tau_too_high")
def daf_tau_too_high(results: Results) -> Verdict:
    """The highest τ is behind the best by more than two standard errors."""
    return verdict_of(_best_beats(results, max))


def _best_beats(results: Results, end) -> Iterator[Comparison]:
    for variant, sweep in sweeps(results, "madelon_tau").items():
        tau = end(sweep.values)
        what = f"{variant}: τ = {sweep.best} against {tau}"
        yield ahead(variant, what, sweep.lead(sweep.best, tau))


@PAPER.claim("daf_low_tau_more_probes")
def daf_low_tau_more_probes(results: Results) -> Verdict:
    """Processor time per probe does not fall with τ, 10 % of tolerance at each step."""
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
