"""What decides the papers' claims under one protocol: leads over many data sets."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from fslib.papers.grand.paper import PAPER
from fslib.reproduce.comparisons import Value
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, UNTESTED, Verdict
from fslib.reproduce.results import Results

#: Filters of the survey; mRMR stands for its two schemes' mean.
_FILTERS = ("correlation", "bw_ratio", "signal_to_noise", "irelief", "cmim", "interact")
_MRMR = ("mrmr_mid", "mrmr_miq")
_DAF = ("daf0", "daf1", "daf2")
#: Columns that one increment of `babd_500m` has.
_INCREMENT = 500


def _accuracy_leads(results: Results, method: str, other: str) -> dict[str, float]:
    """By data set, how many points one ranking is ahead of another at the sizes that both have."""
    place = ["dataset", "split", "k", "classifier"]
    own, theirs = (results.accuracy.filter(pl.col("method") == m) for m in (method, other))
    return _leads(own, theirs, place, "accuracy", 100)


def _set_leads(results: Results, method: str, other: str) -> dict[str, float]:
    """By data set, how many points the set that one method chose is ahead of another's."""
    place = ["dataset", "split", "classifier"]
    own, theirs = (
        results.accuracy.filter(pl.col("method") == m).sort("k").group_by(place).last()
        for m in (method, other)
    )
    return _leads(own, theirs, place, "accuracy", 100)


def _stability_leads(results: Results, method: str, other: str) -> dict[str, float]:
    """By data set, how much more stable one method is at the sizes that both have."""
    nogueira = results.stability.filter(pl.col("measure") == "nogueira").drop_nulls("value")
    own, theirs = (nogueira.filter(pl.col("method") == m) for m in (method, other))
    return _leads(own, theirs, ["dataset", "k", "ratio"], "value")


def _leads(own, theirs, place: list[str], value: str, scale: float = 1) -> dict[str, float]:
    both = own.join(theirs, on=place, suffix="_other")
    lead = scale * (pl.col(value) - pl.col(f"{value}_other")).mean()
    return dict(both.group_by("dataset").agg(lead).sort("dataset").iter_rows())


def _told(leads: Mapping[str, float], over: Value) -> str:
    ahead = sum(lead > 0 for lead in leads.values())
    behind = sum(lead < 0 for lead in leads.values())
    return (
        f"mean lead {over.mean:+.2f} ± {over.error:.2f} over {len(leads)} data sets, ahead on "
        f"{ahead}, behind on {behind}"
    )


def _better(leads: Mapping[str, float]) -> Verdict:
    if len(leads) < 2:
        return Verdict(UNTESTED, "needs two data sets")
    over = Value.of(list(leads.values()))
    outcome = HOLDS if over.mean > 2 * over.error else IN_PART if over.mean > 0 else FAILS
    return Verdict(outcome, _told(leads, over))


def _alike(leads: Mapping[str, float], most: float) -> Verdict:
    if len(leads) < 2:
        return Verdict(UNTESTED, "needs two data sets")
    over = Value.of(list(leads.values()))
    apart = abs(over.mean) > most
    clearly = abs(over.mean) > 2 * over.error
    outcome = HOLDS if not apart else FAILS if clearly else IN_PART
    return Verdict(outcome, _told(leads, over))


def _mean_of(leads: list[Mapping[str, float]]) -> dict[str, float]:
    """The mean of several methods' leads, on the data sets that all of them have."""
    shared = set.intersection(*map(set, leads))
    return {d: sum(own[d] for own in leads) / len(leads) for d in sorted(shared)}


@PAPER.claim("grand_amfes_beats_rfe")
def amfes_beats_rfe(results: Results) -> Verdict:
    """A mean lead of more than two standard errors over data sets."""
    return _better(_accuracy_leads(results, "amfes", "svm_rfe"))


@PAPER.claim("grand_adaptive_beats_nonadaptive")
def adaptive_beats_nonadaptive(results: Results) -> Verdict:
    """A mean lead of more than two standard errors over data sets."""
    return _better(_accuracy_leads(results, "amfes", "random_subsets"))


@PAPER.claim("grand_mid_more_stable")
def mid_more_stable(results: Results) -> Verdict:
    """A mean lead in stability of more than two standard errors over data sets."""
    return _better(_stability_leads(results, *_MRMR))


@PAPER.claim("grand_mid_miq_same_accuracy")
def mid_miq_same_accuracy(results: Results) -> Verdict:
    """Means within a point; in part, if they are within two standard errors over data sets."""
    return _alike(_accuracy_leads(results, *_MRMR), 1.0)


@PAPER.claim("grand_daf_beats_bif")
def daf_beats_bif(results: Results) -> Verdict:
    """The mean lead of DAF0, DAF1 and DAF2 is positive by more than two standard errors."""
    return _better(_mean_of([_accuracy_leads(results, m, "bif") for m in _DAF]))


@PAPER.claim("grand_daf_stable_like_bif")
def daf_stable_like_bif(results: Results) -> Verdict:
    """Mean stabilities within 0.05; in part, if within two standard errors over data sets."""
    return _alike(_mean_of([_stability_leads(results, m, "bif") for m in _DAF]), 0.05)


@PAPER.claim("grand_mae_comparable_to_mm")
def mae_comparable_to_mm(results: Results) -> Verdict:
    """Means of the selected sets within a point; in part, if within two standard errors."""
    return _alike(_set_leads(results, "babd_mae", "babd_mm"), 1.0)


@PAPER.claim("grand_one_pass_comparable_to_batch")
def increments_comparable_to_batch(results: Results) -> Verdict:
    """Means within a point, over data sets of more than 500 columns.

    In part, if they are within two standard errors.
    """
    wide = results.runs.filter(
        pl.col("method") == "all_features", pl.col("n_selected") > _INCREMENT
    )["dataset"].unique()
    leads = _set_leads(results, "babd_500m", "babd_mae")
    return _alike({d: lead for d, lead in leads.items() if d in set(wide)}, 1.0)


@PAPER.claim("grand_mrmr_best")
def mrmr_best(results: Results) -> Verdict:
    """Ahead of every other filter of the survey on more than half of the data sets."""
    checks: list[tuple[str, int, int]] = []
    for other in _FILTERS:
        leads = _mean_of([_accuracy_leads(results, m, other) for m in _MRMR])
        if leads:
            checks.append((other, sum(lead > 0 for lead in leads.values()), len(leads)))
    if not checks:
        return Verdict(UNTESTED, "not run")
    won = [2 * ahead > n for _, ahead, n in checks]
    outcome = HOLDS if all(won) else IN_PART if any(won) else FAILS
    said = ", ".join(f"{other} on {ahead} of {n}" for other, ahead, n in checks)
    return Verdict(outcome, f"mRMR ahead of {said} data sets")


@PAPER.claim("grand_reduced_better_than_full")
def reduced_better_than_full(results: Results) -> Verdict:
    """“Almost all”: nine of ten competitors beat all features on average, each at its best size.

    The best size for a split is that of the highest mean accuracy over the other splits, over all
    classifiers: rows that judge a set have no say in its size.
    """
    competing = results.runs.filter(pl.col("role") == "competitor")["method"].unique()
    place = ["dataset", "method"]
    means = results.accuracy.group_by(*place, "split", "k").agg(pl.col("accuracy").mean())
    total, splits = pl.col("accuracy").sum(), pl.len()
    elsewhere = (total - pl.col("accuracy")) / (splits - 1)
    best = (
        means.with_columns(elsewhere=elsewhere.over(*place, "k"))
        .sort("elsewhere", "k", descending=[True, False])
        .group_by(*place, "split", maintain_order=True)
        .first()
        .group_by(place)
        .agg(pl.col("accuracy").mean())
    )
    full = best.filter(pl.col("method") == "all_features").select("dataset", full="accuracy")
    leads = (
        best.filter(pl.col("method").is_in(competing.to_list()))
        .join(full, on="dataset")
        .group_by("method")
        .agg(lead=100 * (pl.col("accuracy") - pl.col("full")).mean())
        .sort("lead", "method")
    )
    if leads.is_empty():
        return Verdict(UNTESTED, "not run")
    share = (leads["lead"] > 0).mean()
    outcome = HOLDS if share >= 0.9 else IN_PART if share >= 0.5 else FAILS
    behind = ", ".join(f"{m} {lead:+.1f}" for m, lead in leads.iter_rows() if lead <= 0)
    said = f"{100 * share:.0f} % of {len(leads)} methods beat all features"
    return Verdict(outcome, said + (f"; not {behind}" if behind else ""))
