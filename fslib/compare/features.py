"""What a person wants to know of recommended features: which, how surely, what replaces them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from fslib.compare.schemas import SCHEMAS
from fslib.compare.setting import Setting
from fslib.compare.statistics import corrected_standard_error
from fslib.data.dataset import Dataset
from fslib.kernels.information import DiscreteTable
from fslib.prepare.discretise import equal_width
from fslib.run.layout import REFIT

#: Features at least as similar as this are called interchangeable.
SIMILAR = 0.8
_BINS = 10


def of_recommended(recommendation: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """One row per data set: label of the recommended method, size of the recommended set, a method
    under that label, and whether that method gives sets (``subset``).
    """
    speaker = labels.filter("counted").select("label", "method", "subset")
    wanted = recommendation.drop_nulls("method").select(
        "dataset", pl.col("method").alias("label"), pl.col("k").alias("size")
    )
    return wanted.join(speaker, on="label", maintain_order="left")


def selected_features(wanted: pl.DataFrame, selections: pl.DataFrame) -> pl.DataFrame:
    """The recommended sets: the features of the refit on all rows, best first.

    ``frequency`` is the share of splits whose set has the feature: a ranking's best as many, a
    subset method's own set.
    """
    chosen = _refitted(wanted, selections)
    return (
        chosen.join(_frequencies(wanted, selections), on=["dataset", "feature"], how="left")
        .with_columns(_frequency_or_zero(wanted, selections), method="label")
        .select(SCHEMAS["selected_features"].keys())
        .sort("dataset", "rank")
    )


def consensus(wanted: pl.DataFrame, selections: pl.DataFrame) -> pl.DataFrame:
    """Features that more than half of the splits have in their set, the most frequent first.

    ``in_refit`` says whether the refit on all rows has the feature too; null without a refit.
    """
    refit = _refitted(wanted, selections).select("dataset", "feature", in_refit=True)
    refitted = refit.select("dataset").unique().with_columns(has_refit=True)
    return (
        _frequencies(wanted, selections)
        .filter(pl.col("frequency") > 0.5)
        .join(wanted.select("dataset", "label"), on="dataset")
        .join(refit, on=["dataset", "feature"], how="left")
        .join(refitted, on="dataset", how="left")
        .with_columns(
            pl.when("has_refit").then(pl.col("in_refit").fill_null(False)).alias("in_refit"),
            method="label",
        )
        .select(SCHEMAS["consensus"].keys())
        .sort("dataset", "frequency", "feature", descending=[False, True, False])
    )


def _refitted(wanted: pl.DataFrame, selections: pl.DataFrame) -> pl.DataFrame:
    return (
        selections.filter(pl.col("split") == REFIT)
        .join(wanted, on=["dataset", "method"], maintain_order="left")
        .filter(pl.col("rank") <= pl.col("size"))
    )


def _frequencies(wanted: pl.DataFrame, selections: pl.DataFrame) -> pl.DataFrame:
    """Share of the splits that have a feature in their set, for every feature that any has."""
    chosen = selections.filter(pl.col("split") != REFIT).join(wanted, on=["dataset", "method"])
    n_splits = chosen.group_by("dataset").agg(pl.col("split").n_unique().alias("n"))
    within = pl.col("subset") | (pl.col("rank") <= pl.col("size"))
    return (
        chosen.filter(pl.col("selected") & within)
        .group_by("dataset", "feature", "name")
        .len("times")
        .join(n_splits, on="dataset")
        .select("dataset", "feature", "name", (pl.col("times") / pl.col("n")).alias("frequency"))
    )


def _frequency_or_zero(wanted, selections) -> pl.Expr:
    """Share of splits whose set has the feature; 0 if none has, null without splits."""
    split_up = selections.filter(pl.col("split") != REFIT).join(wanted, on=["dataset", "method"])
    known = pl.col("dataset").is_in(split_up["dataset"].unique().to_list())
    return pl.when(known).then(pl.col("frequency").fill_null(0.0)).alias("frequency")


def fewer_features(
    wanted: pl.DataFrame, measured: pl.DataFrame, settings: Mapping[str, Setting]
) -> pl.DataFrame:
    """How the recommended order does with fewer features, or more, than recommended.

    One row per data set, classifier and size: mean over splits and corrected standard error, by
    the measure that the data set is judged by.
    """
    own = measured.join(
        wanted.select("dataset", "method", "label", "size"), on=["dataset", "method"]
    )
    rows = []
    for (dataset, label, size, classifier, k), part in own.group_by(
        "dataset", "label", "size", "classifier", "k", maintain_order=True
    ):
        setting = settings[dataset]
        values = part[setting.judge_by].drop_nulls().to_numpy()
        if len(values):
            error = corrected_standard_error(values, setting.share)
            mean = float(values.mean())
            rows.append(
                (
                    dataset,
                    label,
                    classifier,
                    k,
                    setting.judge_by,
                    mean,
                    error,
                    len(values),
                    k == size,
                )
            )
    table = pl.DataFrame(rows, schema=SCHEMAS["fewer_features"], orient="row").fill_nan(None)
    return table.sort("dataset", "classifier", "k")


def interchangeable(selected: pl.DataFrame, settings: Mapping[str, Setting]) -> pl.DataFrame:
    """For each recommended feature the features that could stand in for it, the most similar first.

    Similarity is the larger of the absolute correlation and the symmetrical uncertainty of ten
    bins of equal width, over all rows, missing values at the median.
    """
    rows = []
    for (dataset,), part in selected.group_by("dataset", maintain_order=True):
        if settings[dataset].table is None:
            continue
        data = settings[dataset].table()
        chosen = part["feature"].to_list()
        similar = similarities(data, chosen)
        for feature, line in zip(chosen, similar, strict=True):
            for other in np.argsort(-line, kind="stable"):
                if line[other] < SIMILAR:
                    break
                if other != feature:
                    names = data.feature_names[feature], data.feature_names[other]
                    value = float(line[other])
                    rows.append((dataset, feature, int(other), *names, value, other in chosen))
    return pl.DataFrame(rows, schema=SCHEMAS["interchangeable"], orient="row")


def similarities(data: Dataset, features: list[int]) -> np.ndarray:
    """Features × all columns: the larger of |correlation| and symmetrical uncertainty."""
    missing = np.isnan(data.X)
    X = data.X
    if missing.any():
        with np.errstate(all="ignore"):
            middle = np.nan_to_num(np.nanmedian(np.where(missing.all(axis=0), 0.0, X), axis=0))
        X = np.where(missing, middle, X)
    centred = X - X.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    lengths[lengths <= 1e-12 * np.abs(X).max(axis=0, initial=0.0)] = np.inf  # constants
    correlation = np.abs((centred[:, features] / lengths[features]).T @ (centred / lengths))
    counts = DiscreteTable(equal_width(X, _BINS))
    entropy = counts.entropies
    shared = np.stack([counts.redundancy(feature) for feature in features])
    both = entropy[features][:, None] + entropy
    uncertainty = np.divide(2.0 * shared, both, out=np.zeros_like(shared), where=both > 0)
    return np.minimum(np.maximum(correlation, uncertainty), 1.0)
