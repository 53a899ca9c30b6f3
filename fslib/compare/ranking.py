"""Who is better: mean ranks over data sets, and differences on each single one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

import numpy as np
import polars as pl
from scipy.stats import rankdata

from fslib.compare import statistics
from fslib.compare.answers import ORDER, SKIPPED
from fslib.compare.labels import is_competitor
from fslib.compare.schemas import SCHEMAS
from fslib.compare.setting import Setting
from fslib.evaluate.measures import MEASURES
from fslib.run.artefacts import EVERY

ALPHA = 0.05


@dataclass(frozen=True)
class Field:
    """Competitors and data sets that are ranked together, and why others are not."""

    question: str
    methods: list[str]
    datasets: list[str]
    left_out: list[tuple[str, str, str]] = field(default_factory=list)
    """(dataset or "", method or "", reason) of whatever is not ranked."""
    name: str = ""
    """Empty for the comparison on all data sets; else the data sets that it is restricted to."""


def fields(question: str, scores: pl.DataFrame, cells: pl.DataFrame, datasets: list[str]):
    """The comparisons of one question: on all data sets, and on those of methods that run on some.

    A method that was skipped on some data set is not in the first, as its mean rank would be over
    other data sets than the other methods'. It is compared on the data sets where it runs, with
    every method that runs there. Yardsticks do not compete, except all features where the
    question is the set. A data set where no competitor finished is left out.
    """
    here = scores.filter((pl.col("question") == question) & (pl.col("classifier") == EVERY))
    competing = here.filter("competes")
    first = _common_field(question, competing, cells, datasets)
    found = [first]
    ran = competing.filter(pl.col("standing") != SKIPPED)
    runs_on = {
        method: tuple(d for d in first.datasets if d in set(own["dataset"]))
        for (method,), own in ran.group_by("method", maintain_order=True)
    }
    partly = {on: None for method, on in runs_on.items() if on and method not in first.methods}
    for on in partly:
        methods = [m for m in runs_on if set(on) <= set(runs_on[m])]
        if len(on) < len(first.datasets):
            found.append(Field(question, methods, list(on), name=", ".join(on)))
    return found


def _common_field(question: str, competing, cells: pl.DataFrame, datasets: list[str]) -> Field:
    left_out: list[tuple[str, str, str]] = []
    finished = competing.filter(is_competitor() & pl.col("value").is_not_null())
    kept_datasets = []
    for dataset in datasets:
        if finished.filter(pl.col("dataset") == dataset).is_empty():
            left_out.append((dataset, "", "no method finished on this data set"))
        else:
            kept_datasets.append(dataset)
    methods = []
    reasons = {(d, m): r for d, m, r in cells.select("dataset", "method", "reason").rows()}
    for (method,), own in competing.group_by("method", maintain_order=True):
        skipped = own.filter(pl.col("standing") == SKIPPED)["dataset"].to_list()
        missing = sorted(set(kept_datasets) - set(own["dataset"]))
        if skipped:
            text = f"skipped on {', '.join(skipped)}: {reasons[skipped[0], method]}"
            left_out.append(("", method, text))
        elif missing:
            left_out.append(("", method, f"not run on {', '.join(missing)}"))
        else:
            methods.append(method)
    if question == ORDER:
        sets = set(cells.filter(is_competitor())["method"]) - set(competing["method"])
        left_out += [
            ("", method, "gives a set: not asked for its order")
            for method in cells["method"].unique(maintain_order=True)
            if method in sets
        ]
    # On a data set that only unranked methods finished, all ranked methods would tie in last place.
    for dataset in list(kept_datasets):
        on = finished.filter((pl.col("dataset") == dataset) & pl.col("method").is_in(methods))
        if methods and on.is_empty():
            kept_datasets.remove(dataset)
            left_out.append((dataset, "", "no ranked method finished on this data set"))
    return Field(question, methods, kept_datasets, left_out)


def dataset_ranks(scores: pl.DataFrame, entered: Field) -> pl.DataFrame:
    """Rank of each competitor on each data set: 1 is best, ties share, failures come last."""
    values = scores.filter(
        (pl.col("classifier") == EVERY) & (pl.col("question") == entered.question)
    )
    rows = []
    for dataset in entered.datasets:
        own = values.filter(pl.col("dataset") == dataset)
        sign = MEASURES[own["judge_by"][0]].sign
        known = dict(own.select("method", "value").rows())
        found = [known.get(method) for method in entered.methods]
        # Rounded: the same value summed in another order must still tie.
        keys = [np.inf if value is None else -sign * round(value, 12) for value in found]
        rows += zip([dataset] * len(keys), entered.methods, rankdata(keys), strict=True)
    schema = {"dataset": pl.String, "method": pl.String, "rank": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def friedman_table(ranks: pl.DataFrame, entered: Field) -> pl.DataFrame:
    """One row: Friedman's test over the data sets, or the reason why there is no test."""
    n, k = len(entered.datasets), len(entered.methods)
    row = {}
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
    everything |= {"question": entered.question, "field": entered.name, "left_out": left_out}
    return pl.DataFrame([everything], SCHEMAS["friedman"])


def rank_table(
    ranks: pl.DataFrame, scores: pl.DataFrame, entered: Field, difference: float | None
) -> pl.DataFrame:
    """Mean ranks with Nemenyi groups; below them the methods not ranked, then the yardsticks.

    Methods that share a letter are not significantly apart.
    """
    own = scores.filter((pl.col("classifier") == EVERY) & (pl.col("question") == entered.question))
    if entered.name:
        own = own.filter(
            pl.col("method").is_in(entered.methods) & pl.col("dataset").is_in(entered.datasets)
        )
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
    finished = pl.col("value").is_not_null()
    summary = own.group_by("method", maintain_order=True).agg(
        pl.col("role").first(),
        pl.col("competes").any(),
        pl.col("value", "accuracy", "size", "stability").mean().name.prefix("mean_"),
        # Seconds differ by orders of magnitude: their logarithms have a mean that says something.
        pl.col("seconds").clip(1e-6).log().mean().exp(),
        finished.sum().cast(pl.Int32).alias("n_finished"),
        pl.col("below_random").sum().cast(pl.Int32),
        (finished & (pl.col("ok") < pl.col("splits"))).sum().cast(pl.Int32).alias("n_partial"),
    )
    reasons = {method: reason for _, method, reason in entered.left_out if method}
    notes = [
        reasons.get(method, "") if competes else "yardstick"
        for method, competes in summary.select("method", "competes").rows()
    ]
    return (
        summary.with_columns(pl.Series("note", notes, dtype=pl.String))
        .join(mean, on="method", how="left")
        .with_columns(
            pl.lit(entered.question).alias("question"),
            pl.lit(entered.name).alias("field"),
            pl.col("n_datasets").fill_null(0),
            pl.col("groups").fill_null(""),
        )
        .sort(
            ~pl.col("competes"), pl.col("mean_rank").round(12), "mean_value", "method",
            descending=[False, False, True, False], nulls_last=True,
        )
        .select(SCHEMAS["ranks"].keys())
    )  # fmt: skip


def pair_table(
    values: pl.DataFrame, asked: pl.DataFrame, settings: Mapping[str, Setting]
) -> pl.DataFrame:
    """Each competitor against the best competitor on the same data set, for both questions.

    ``difference`` is the mean, over the splits that both finished, of the method's value minus the
    best method's, by the measure that the data set is judged by. p values are Nadeau and
    Bengio's, adjusted within each data set by Holm's procedure.
    """
    competing = asked.filter("competes")
    per_split = values.filter(pl.col("classifier") == EVERY)
    per_split = per_split.join(competing, on=["question", "dataset", "method"], how="semi")
    rows = []
    for (question, dataset), part in per_split.group_by("question", "dataset", maintain_order=True):
        measure = MEASURES[settings[dataset].judge_by]
        part = part.select("method", "split", pl.col(measure.name).alias("value")).drop_nulls()
        if part.is_empty():
            continue
        means = part.group_by("method", maintain_order=True).agg(pl.col("value").mean())
        place = (measure.sign * pl.col("value")).round(12)
        ordered = means.sort(place, "method", descending=[True, False])
        best, *others = ordered["method"].to_list()
        reference = part.filter(pl.col("method") == best).select("split", "value")
        results = []
        for method in others:
            both = part.filter(pl.col("method") == method).join(reference, on="split")
            difference = (both["value"] - both["value_right"]).to_numpy()
            t, p = statistics.corrected_t_test(difference, settings[dataset].share)
            mean = float(difference.mean()) if len(difference) else float("nan")
            results.append((question, dataset, method, best, len(difference), mean, t, p))
        adjusted = statistics.holm([result[-1] for result in results])
        rows += [(*result, float(p)) for result, p in zip(results, adjusted, strict=True)]
    return pl.DataFrame(rows, schema=SCHEMAS["pairs"], orient="row").fill_nan(None)


def _letters(n: int) -> list[str]:
    """Distinct marks for groups: a … z, then A … Z, then numbers."""
    marks = list(ascii_lowercase + ascii_lowercase.upper())
    return (marks + [f"({i})" for i in range(len(marks), n)])[:n]


def _and(words: list[str]) -> str:
    return " and ".join(words)
