"""Accuracy against the number of features, on sizes that all methods share."""

from __future__ import annotations

import polars as pl

from fslib.compare.labels import of_all_features, relabelled
from fslib.run.artefacts import EVERY

_CELL = ["dataset", "method", "split", "classifier"]


def common_sizes(frame: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """The sizes at which a data set's methods are compared: columns ``dataset``, ``k``.

    A size is common where two methods (or the only one) were measured at it on all their splits.
    Other sizes are those at which a method happened to end on some split: with them, means over
    sizes would weigh some ranges of sizes more than others. A data set without any common size
    keeps all sizes. Methods that give sets count only where there is no ranking.
    """
    ranked = frame.join(labels.filter("subset"), on="method", how="anti")
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
    """Every measure per data set, label, split, classifier and common size.

    Rows of the classifier ``all`` are means over the classifiers.
    """
    curves = at_common_sizes(accuracy.filter(pl.col("split") >= 0), labels, _CELL)
    return with_means(curves, ["dataset", "method", "split", "k"]).sort([*_CELL, "k"])


def with_means(frame: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The frame, and below it means over the classifiers as rows of the classifier ``all``.

    What some classifiers of a data set could not measure has no mean: over the others alone it
    would not be the same quantity as everyone else's.
    """
    of_dataset = frame.group_by("dataset").agg(pl.col("classifier").n_unique().alias("n"))
    whole = (
        frame.join(of_dataset, on="dataset")
        .filter(pl.col("classifier").n_unique().over(keys) == pl.col("n"))
        .drop("n")
    )
    values = [c for c in frame.columns if c not in {*keys, "classifier"}]
    # A measure that some classifiers do not have (null) has no mean either.
    mean = whole.group_by(keys, maintain_order=True).agg(
        pl.lit(EVERY).alias("classifier"),
        *(pl.when(pl.col(v).null_count() == 0).then(pl.col(v).mean()) for v in values),
    )
    return pl.concat([frame, mean.select(frame.columns)])


def split_scores(curves: pl.DataFrame) -> pl.DataFrame:
    """Mean over the sizes, one row per data set, label, classifier and split."""
    return curves.group_by(_CELL).agg(pl.exclude(*_CELL, "k").mean()).sort(_CELL)


def true_size(k: str) -> pl.Expr:
    """Expression: how many features a method's set really has at the common size ``k``.

    The set has at most as many features as the method selected; the set of a method with one
    measured size has that number of features at every common size.
    """
    size = pl.min_horizontal(k, "n_selected")
    return pl.when("single_sized").then("n_selected").otherwise(size).cast(pl.Int32)
