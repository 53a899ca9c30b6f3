"""Advice for each data set: which method to use, how many features, and which features."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from fslib.compare.curves import true_size
from fslib.compare.labels import is_competitor
from fslib.compare.setting import Setting
from fslib.compare.statistics import corrected_standard_error
from fslib.run.artefacts import EVERY
from fslib.run.roles import ALL_FEATURES, RANDOM

_RECOMMENDATION = {
    "dataset": pl.String,
    "method": pl.String,
    "k": pl.Int32,
    "accuracy": pl.Float64,
    "standard_error": pl.Float64,
    "stability": pl.Float64,
    "runner_up": pl.String,
    "runner_up_k": pl.Int32,
    "runner_up_accuracy": pl.Float64,
    "runner_up_stability": pl.Float64,
    "best_method": pl.String,
    "best_k": pl.Int32,
    "best_accuracy": pl.Float64,
    "all_features_accuracy": pl.Float64,
    "random_accuracy": pl.Float64,
    "note": pl.String,
}


def recommend(
    curves: pl.DataFrame,
    cells: pl.DataFrame,
    stability: pl.DataFrame,
    settings: Mapping[str, Setting],
    datasets: list[str],
) -> pl.DataFrame:
    """Per data set the smallest set within one standard error of the best mean accuracy.

    Accuracy is the mean over splits and classifiers; the standard error is the best set's,
    corrected for overlapping splits. Among sets of that size the more stable one is taken
    (Nogueira), then the more accurate one. Only methods that finished every split and the refit,
    if the study has one, are recommended, unless no method did. The runner-up is the next set of
    another method; where no other method has a set within one standard error, the most accurate set
    of another method.
    """
    rows = []
    for dataset in datasets:
        here = pl.col("dataset") == dataset
        candidates = _candidates(
            curves.filter(here & (pl.col("classifier") == EVERY)),
            cells.filter(here & is_competitor()),
            stability.filter(here & (pl.col("measure") == "nogueira")),
            settings[dataset].share if dataset in settings else 0.0,
        )
        choice = _choice(candidates)
        rows.append(
            {"dataset": dataset, **choice, **_yardsticks(curves.filter(here), choice.get("k"))}
        )
    return pl.DataFrame(rows, schema=_RECOMMENDATION)


def _candidates(curves, cells, stability, share: float) -> pl.DataFrame:
    """Every competitor's sets with accuracy, standard error, true size and stability."""
    curves = curves.join(cells.select("method"), on="method", how="semi")
    table = (
        curves.group_by("method", "k", maintain_order=True)
        .agg(pl.col("accuracy"))
        .with_columns(
            pl.col("accuracy").list.mean(),
            pl.col("accuracy")
            .map_elements(lambda v: corrected_standard_error(v, share), return_dtype=pl.Float64)
            .alias("standard_error"),
        )
        .join(
            cells.select("method", "n_selected", "single_sized", "ok", "splits", "refit_ok"),
            on="method",
        )
        .with_columns(
            true_size("k").alias("size"),
            (pl.col("refit_ok") & (pl.col("ok") == pl.col("splits"))).alias("whole"),
        )
    )
    if table["whole"].any():
        table = table.filter("whole")
    # Stability is known at measured sizes only: a set of size k takes the stability at the largest
    # measured size up to k.
    stable = stability.filter(pl.col("ratio") == pl.col("ratio").max())
    stable = stable.select("method", "k", pl.col("value").alias("stability")).sort("k")
    return (
        table.sort("k")
        .join_asof(stable, on="k", by="method", check_sortedness=False)
        .with_columns(pl.col("accuracy").round(12).alias("rounded"))
    )


def _choice(candidates: pl.DataFrame) -> dict:
    if candidates.is_empty():
        return {"note": "no method finished on this data set"}
    best = candidates.sort("rounded", "size", "method", descending=[True, False, False]).row(
        0, named=True
    )
    error = best["standard_error"]
    error = 0.0 if error is None or error != error else error
    near = candidates.filter(pl.col("rounded") >= best["rounded"] - error).sort(
        "size", "stability", "rounded", "method",
        descending=[False, True, True, False], nulls_last=True, maintain_order=True,
    )  # fmt: skip
    chosen = near.row(0, named=True)
    # The sets within one standard error come first, then all sets by accuracy: the runner-up is the
    # first set of another method.
    rivals = pl.concat([near, candidates.sort("rounded", "size", descending=[True, False])])
    others = rivals.filter(pl.col("method") != chosen["method"]).head(1).rows(named=True)
    note = "" if chosen["whole"] else "no method finished every split and the refit"
    choice = {
        **{name: chosen[name] for name in ("method", "accuracy", "stability")},
        "standard_error": chosen["standard_error"],
        "k": chosen["size"],
        "best_method": best["method"],
        "best_k": best["size"],
        "best_accuracy": best["accuracy"],
        "note": note,
    }
    for other in others:
        choice |= {
            "runner_up": other["method"],
            "runner_up_k": other["size"],
            "runner_up_accuracy": other["accuracy"],
            "runner_up_stability": other["stability"],
        }
    return choice


def _yardsticks(curves: pl.DataFrame, k: int | None) -> dict:
    """Accuracy of all features, and of random rankings at the largest measured size up to ``k``."""
    curves = curves.filter(pl.col("classifier") == EVERY)
    smaller = curves.filter((pl.col("method") == RANDOM) & (pl.col("k") <= (k or 0)))
    return {
        "all_features_accuracy": curves.filter(pl.col("method") == ALL_FEATURES)["accuracy"].mean(),
        "random_accuracy": smaller.filter(pl.col("k") == pl.col("k").max())["accuracy"].mean(),
    }


def selected_features(
    recommendation: pl.DataFrame, selections: pl.DataFrame, labels: pl.DataFrame
) -> pl.DataFrame:
    """The recommended sets: the features of the refit on all rows, best first.

    ``frequency`` is the share of splits that have the feature among their best ``k``.
    """
    speaker = labels.filter("counted").select("label", "method")
    wanted = recommendation.drop_nulls("method").select(
        "dataset", pl.col("method").alias("label"), pl.col("k").alias("size")
    )
    chosen = selections.join(
        wanted.join(speaker, on="label"), on=["dataset", "method"], maintain_order="left"
    )
    n_splits = (
        chosen.filter(pl.col("split") >= 0)
        .group_by("dataset")
        .agg(pl.col("split").n_unique().alias("n"))
    )
    frequency = (
        chosen.filter(
            (pl.col("split") >= 0) & pl.col("selected") & (pl.col("rank") <= pl.col("size"))
        )
        .group_by("dataset", "feature")
        .len("times")
    )
    return (
        chosen.filter((pl.col("split") == -1) & (pl.col("rank") <= pl.col("size")))
        .join(frequency, on=["dataset", "feature"], how="left")
        .join(n_splits, on="dataset", how="left")
        .select(
            "dataset",
            pl.col("label").alias("method"),
            "rank",
            "feature",
            "name",
            "score",
            (pl.col("times").fill_null(0) / pl.col("n")).alias("frequency"),
        )
        .sort("dataset", "rank")
    )
