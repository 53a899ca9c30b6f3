"""Who is better: mean ranks over data sets, and differences on each single one."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_lowercase

import numpy as np
import polars as pl
from scipy.stats import rankdata

from fslib.compare import statistics
from fslib.compare.curves import split_scores
from fslib.compare.labels import is_competitor
from fslib.run.artefacts import EVERY
from fslib.run.roles import COMPETITOR

ALPHA = 0.05


@dataclass(frozen=True)
class Field:
    """The competitors and the data sets that are ranked, and why others are not."""

    methods: list[str]
    datasets: list[str]
    left_out: list[tuple[str, str, str]] = field(default_factory=list)
    """(dataset or "", method or "", reason) of whatever is not ranked."""


def rankable(scores: pl.DataFrame, cells: pl.DataFrame, datasets: list[str]) -> Field:
    """Competitors that ran on every data set, and data sets that a ranked competitor finished.

    Yardsticks do not compete. A method that was skipped on some data set is not ranked, as its mean
    rank would be over other data sets than the other methods'. A method that gives a set without an
    order is not ranked, as it has no accuracy at smaller sizes.
    """
    left_out: list[tuple[str, str, str]] = []
    finished = scores.filter((pl.col("classifier") == EVERY) & is_competitor())
    finished = finished.filter(pl.col("accuracy").is_not_null())
    kept_datasets = []
    for dataset in datasets:
        if finished.filter(pl.col("dataset") == dataset).is_empty():
            left_out.append((dataset, "", "no method finished on this data set"))
        else:
            kept_datasets.append(dataset)
    methods = []
    competitors = cells.filter(is_competitor())
    for method in competitors["method"].unique(maintain_order=True):
        own = competitors.filter(pl.col("method") == method)
        missing = sorted(set(kept_datasets) - set(own["dataset"]))
        skipped = own.filter(pl.col("skipped") > 0)
        if not skipped.is_empty():
            names = ", ".join(skipped["dataset"].to_list())
            left_out.append(("", method, f"skipped on {names}: {skipped['reason'][0]}"))
        elif own["single_sized"].any():
            left_out.append(("", method, "gives no order: measured at its own size only"))
        elif missing:
            left_out.append(("", method, f"not run on {', '.join(missing)}"))
        else:
            methods.append(method)
    # On a data set that only unranked methods finished, all ranked methods would tie in last place.
    for dataset in list(kept_datasets):
        here = finished.filter((pl.col("dataset") == dataset) & pl.col("method").is_in(methods))
        if methods and here.is_empty():
            kept_datasets.remove(dataset)
            left_out.append((dataset, "", "no ranked method finished on this data set"))
    return Field(methods, kept_datasets, left_out)


def dataset_ranks(scores: pl.DataFrame, entered: Field) -> pl.DataFrame:
    """Rank of each competitor on each data set: 1 is best, ties share, failures come last."""
    values = scores.filter(pl.col("classifier") == EVERY).select("dataset", "method", "accuracy")
    rows = []
    for dataset in entered.datasets:
        known = dict(
            values.filter(pl.col("dataset") == dataset).select("method", "accuracy").rows()
        )
        accuracy = [known.get(method) for method in entered.methods]
        # Rounded: the same accuracy summed in another order must still tie.
        keys = [np.inf if value is None else -round(value, 12) for value in accuracy]
        rows += zip([dataset] * len(keys), entered.methods, rankdata(keys), strict=True)
    schema = {"dataset": pl.String, "method": pl.String, "rank": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def friedman_table(ranks: pl.DataFrame, entered: Field) -> pl.DataFrame:
    """One row: Friedman's test over the data sets, or the reason why there is no test."""
    n, k = len(entered.datasets), len(entered.methods)
    row = dict.fromkeys(["statistic", "p_chi2", "f_statistic", "p", "critical_difference"])
    if n < 2 or k < 2:
        lacking = [f"{k} ranked method{'s' * (k != 1)}"] * (k < 2)
        lacking += [f"{n} data set{'s' * (n != 1)}"] * (n < 2)
        note = f"no Friedman test: it needs two methods and two data sets, here {_and(lacking)}"
    else:
        outcome = statistics.friedman(ranks["rank"].to_numpy().reshape(n, k))
        row = {
            "statistic": outcome.chi2,
            "p_chi2": outcome.p_chi2,
            "f_statistic": outcome.f,
            "p": outcome.p_f,
            "critical_difference": statistics.critical_difference(k, n, ALPHA),
        }
        note = (
            "the methods differ; pairs further apart than the critical difference differ"
            if outcome.p_f < ALPHA
            else "no evidence that the methods differ"
        )
    left_out = "; ".join(f"{d or m}: {reason}" for d, m, reason in entered.left_out)
    everything = {"n_datasets": n, "n_methods": k, "alpha": ALPHA, **row, "note": note}
    schema = dict.fromkeys(everything, pl.Float64)
    schema |= {"n_datasets": pl.Int32, "n_methods": pl.Int32, "note": pl.String}
    return pl.DataFrame([{**everything, "left_out": left_out}], {**schema, "left_out": pl.String})


def rank_table(
    ranks: pl.DataFrame, scores: pl.DataFrame, entered: Field, difference: float | None
) -> pl.DataFrame:
    """Mean ranks with Nemenyi groups; below them the methods not ranked, then the yardsticks.

    Methods that share a letter are not significantly apart.
    """
    mean = ranks.group_by("method").agg(
        pl.col("rank").mean().alias("mean_rank"), pl.len().cast(pl.Int32).alias("n_datasets")
    )
    mean = mean.sort(pl.col("mean_rank").round(12), "method")
    letters = [""] * len(mean)
    if difference is not None:
        runs = statistics.groups_within(mean["mean_rank"], difference)
        covered = {i for first, last in runs for i in range(first, last + 1)}
        runs = sorted(runs + [(i, i) for i in range(len(mean)) if i not in covered])
        for letter, (first, last) in zip(_letters(len(runs)), runs, strict=True):
            for i in range(first, last + 1):
                letters[i] += letter
    mean = mean.with_columns(pl.Series("groups", letters, dtype=pl.String))
    summary = (
        scores.filter(pl.col("classifier") == EVERY)
        .group_by("method", maintain_order=True)
        .agg(
            pl.col("role").first(),
            pl.col("accuracy").mean().alias("mean_accuracy"),
            pl.col("accuracy").is_not_null().sum().cast(pl.Int32).alias("n_finished"),
            pl.col("below_random").sum().cast(pl.Int32),
            (pl.col("accuracy").is_not_null() & (pl.col("ok") < pl.col("splits")))
            .sum()
            .cast(pl.Int32)
            .alias("n_partial"),
        )
    )
    reasons = {method: reason for _, method, reason in entered.left_out if method}
    notes = [
        reasons.get(method, "") if role == COMPETITOR else "yardstick"
        for method, role in summary.select("method", "role").rows()
    ]
    return (
        summary.with_columns(pl.Series("note", notes, dtype=pl.String))
        .join(mean, on="method", how="left")
        .with_columns(pl.col("n_datasets").fill_null(0), pl.col("groups").fill_null(""))
        .sort(
            ~is_competitor(), pl.col("mean_rank").round(12), "mean_accuracy", "method",
            descending=[False, False, True, False], nulls_last=True,
        )
        .select(
            "method", "mean_rank", "groups", "n_datasets", "mean_accuracy", "n_finished",
            "n_partial", "below_random", "role", "note",
        )
    )  # fmt: skip


def pair_table(curves: pl.DataFrame, cells: pl.DataFrame, shares: dict[str, float]) -> pl.DataFrame:
    """Each competitor against the most accurate competitor on the same data set.

    ``difference`` is the mean, over the splits that both finished, of the method's accuracy minus
    the best method's. p values are Nadeau and Bengio's, adjusted within each data set by Holm's
    procedure.
    """
    competitors = cells.filter(is_competitor() & ~pl.col("single_sized"))
    per_split = split_scores(curves).filter(pl.col("classifier") == EVERY)
    per_split = per_split.join(competitors, on=["dataset", "method"], how="semi")
    rows = []
    for (dataset,), part in per_split.group_by("dataset", maintain_order=True):
        means = part.group_by("method", maintain_order=True).agg(pl.col("accuracy").mean())
        ordered = means.sort(pl.col("accuracy").round(12), "method", descending=[True, False])
        best, *others = ordered["method"].to_list()
        reference = part.filter(pl.col("method") == best).select("split", "accuracy")
        results = []
        for method in others:
            both = part.filter(pl.col("method") == method).join(reference, on="split")
            difference = (both["accuracy"] - both["accuracy_right"]).to_numpy()
            t, p = statistics.corrected_t_test(difference, shares.get(dataset, 0.0))
            mean = float(difference.mean()) if len(difference) else float("nan")
            results.append((dataset, method, best, len(difference), mean, t, p))
        adjusted = statistics.holm([result[-1] for result in results])
        rows += [(*result, float(p)) for result, p in zip(results, adjusted, strict=True)]
    schema = {
        "dataset": pl.String,
        "method": pl.String,
        "best": pl.String,
        "n_splits": pl.Int32,
        "difference": pl.Float64,
        "t": pl.Float64,
        "p": pl.Float64,
        "p_holm": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)


def _letters(n: int) -> list[str]:
    """Distinct marks for groups: a … z, then A … Z, then numbers."""
    marks = list(ascii_lowercase + ascii_lowercase.upper())
    return (marks + [f"({i})" for i in range(len(marks), n)])[:n]


def _and(words: list[str]) -> str:
    return " and ".join(words)
