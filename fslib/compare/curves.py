"""Accuracy against the number of features, on sizes that all methods share."""

from __future__ import annotations

import polars as pl

from fslib.compare.labels import is_competitor, of_all_features, relabelled
from fslib.run.artefacts import EVERY
from fslib.run.roles import RANDOM

_CELL = ["dataset", "method", "split", "classifier"]
_MEASURES = ["accuracy", "balanced_accuracy"]


def common_sizes(frame: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """The sizes at which a data set's methods are compared: columns ``dataset``, ``k``.

    A size is common where two methods (or the only one) were measured at it on all their splits.
    Other sizes are those at which a subset method happened to end on some split: with them, means
    over sizes would weigh some ranges of sizes more than others. A data set without any common size
    keeps all sizes. Methods that keep all features count only where there is no other method.
    """
    ranked = frame.filter(~pl.col("method").is_in(of_all_features(labels)))
    lonely = frame.join(ranked, on="dataset", how="anti")
    frame = pl.concat([ranked, lonely])
    n_splits = frame.group_by("dataset", "method").agg(pl.col("split").n_unique().alias("n"))
    regular = (
        frame.group_by("dataset", "method", "k")
        .agg(pl.col("split").n_unique())
        .join(n_splits, on=["dataset", "method"])
        .filter(pl.col("split") == pl.col("n"))
        .group_by("dataset", "k")
        .len("methods")
    )
    n_methods = frame.group_by("dataset").agg(pl.col("method").n_unique().alias("of"))
    shared = regular.join(n_methods, on="dataset").filter(
        pl.col("methods") >= pl.min_horizontal("of", pl.lit(2))
    )
    irregular = frame.join(shared, on="dataset", how="anti")
    return (
        pl.concat([shared.select("dataset", "k"), irregular.select("dataset", "k")])
        .unique()
        .sort("dataset", "k")
    )


def single_sized(accuracy: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Pairs of data set and method with one measured size, above the smallest common size.

    These are methods that keep all features, and selectors that give a set without an order.
    """
    sizes = common_sizes(accuracy, labels)
    smallest = sizes.group_by("dataset").agg(pl.col("k").min().alias("least"))
    return (
        accuracy.group_by("dataset", "method", "split")
        .agg(pl.col("k").min(), (pl.col("k").n_unique() > 1).alias("several"))
        .group_by("dataset", "method")
        .agg(pl.col("k").min(), pl.col("several").any())
        .join(smallest, on="dataset")
        .filter(~pl.col("several") & (pl.col("k") > pl.col("least")))
        .select("dataset", "method")
    )


def at_common_sizes(frame: pl.DataFrame, labels: pl.DataFrame, cell: list[str]) -> pl.DataFrame:
    """The values of each cell at the common sizes, methods under their labels.

    A cell is a combination of the columns ``cell``. Where a cell was not measured at a common size,
    it has the values of its next smaller measured size; below its smallest measured size it has the
    values of that size, so that all features make a constant line.
    """
    sizes = common_sizes(frame, labels)
    largest = pl.col("k") == pl.col("k").max().over(cell)
    frame = frame.filter(~pl.col("method").is_in(of_all_features(labels)) | largest)
    values = [c for c in frame.columns if c not in {*cell, "k"}]
    frame = frame.sort("k")
    wanted = frame.select(cell).unique(maintain_order=True).join(sizes, on="dataset").sort("k")
    smallest = frame.group_by(cell).first().drop("k")
    even = (
        wanted.join_asof(frame, on="k", by=cell, check_sortedness=False)
        .join(smallest, on=cell, suffix=" smallest")
        .with_columns(pl.coalesce(value, f"{value} smallest") for value in values)
        .select(frame.columns)
        .sort([*cell, "k"])
    )
    return relabelled(even, labels, [*cell, "k"])


def accuracy_curves(accuracy: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Accuracy per data set, label, split, classifier and common size.

    Rows of the classifier ``all`` are means over the classifiers. A split that some classifiers
    could not measure has no mean: over the others alone it would not be the same quantity as
    everyone else's.
    """
    curves = at_common_sizes(accuracy.filter(pl.col("split") >= 0), labels, _CELL)
    keys = ["dataset", "method", "split", "k"]
    of_dataset = curves.group_by("dataset").agg(pl.col("classifier").n_unique().alias("n"))
    whole = (
        curves.join(of_dataset, on="dataset")
        .filter(pl.col("classifier").n_unique().over(keys) == pl.col("n"))
        .drop("n")
    )
    mean = whole.group_by(keys).agg(pl.col(_MEASURES).mean(), pl.lit(EVERY).alias("classifier"))
    return pl.concat([curves, mean.select(curves.columns)]).sort([*_CELL, "k"])


def split_scores(curves: pl.DataFrame) -> pl.DataFrame:
    """Mean over the sizes, one row per data set, label, classifier and split."""
    return curves.group_by(_CELL).agg(pl.col(_MEASURES).mean()).sort(_CELL)


def true_size(k: str) -> pl.Expr:
    """Expression: how many features a method's set really has at the common size ``k``.

    The set has at most as many features as the method selected; the set of a method with one
    measured size has that number of features at every common size.
    """
    size = pl.min_horizontal(k, "n_selected")
    return pl.when("single_sized").then("n_selected").otherwise(size).cast(pl.Int32)


def scores(curves: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Mean and best accuracy of each method on each data set; nulls where no run finished.

    ``cells`` has a row per data set and label and says how its runs went. A method is below
    random where its mean accuracy over the sizes is less than that of the random rankings.
    """
    key = ["dataset", "method", "classifier"]
    over_splits = (
        split_scores(curves)
        .group_by(key)
        .agg(
            pl.col("accuracy").mean(),
            pl.col("accuracy").std().alias("accuracy_sd"),
            pl.col("balanced_accuracy").mean(),
            pl.col("balanced_accuracy").std().alias("balanced_accuracy_sd"),
        )
    )
    at_best = (
        curves.group_by([*key, "k"])
        .agg(pl.col("accuracy").mean().alias("best_accuracy"))
        # Equal means differ in their last bits; the smallest size wins a tie.
        .sort(pl.col("best_accuracy").round(12), "k", descending=[True, False])
        .group_by(key, maintain_order=True)
        .first()
        .rename({"k": "best_k"})
    )
    classifiers = curves.select("classifier").unique()
    if classifiers.is_empty():
        classifiers = pl.DataFrame({"classifier": [EVERY]})
    table = (
        cells.join(classifiers, how="cross")
        .join(over_splits, on=key, how="left")
        .join(at_best, on=key, how="left")
        .with_columns(true_size("best_k").alias("best_k"))
    )
    random = table.filter(pl.col("role") == RANDOM)
    random = random.select("dataset", "classifier", pl.col("accuracy").alias("random"))
    return (
        table.join(random, on=["dataset", "classifier"], how="left")
        .with_columns(
            (is_competitor() & (pl.col("accuracy") < pl.col("random") - 1e-12))
            .fill_null(False)
            .alias("below_random")
        )
        .filter((pl.col("classifier") == EVERY) | pl.col("accuracy").is_not_null())
        .select(
            *key,
            "role",
            "accuracy",
            "accuracy_sd",
            "balanced_accuracy",
            "balanced_accuracy_sd",
            "best_k",
            "best_accuracy",
            "below_random",
            "splits",
            "ok",
        )
        .sort(
            ["dataset", pl.col("classifier") != EVERY, "classifier", "accuracy", "method"],
            descending=[False, False, False, True, False],
            nulls_last=True,
            maintain_order=True,
        )
    )
