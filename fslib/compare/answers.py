"""Two questions to every method: how good is the set it gives you, and how good is its order.

*set*: each method's own set per split, the size of a ranking chosen by other splits. Subset
methods, rankings and all features compete. *order*: the mean over the study's sizes, which is the
area under the curve on the scale that the study chose; rankings only, subset methods are not asked.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from fslib.compare.curves import split_scores, true_size, with_means
from fslib.compare.labels import is_competitor, relabelled
from fslib.compare.schemas import SCHEMAS, schemas
from fslib.compare.setting import Setting
from fslib.evaluate.measures import MEASURES
from fslib.run.artefacts import EVERY
from fslib.run.roles import ALL_FEATURES, RANDOM

SET, ORDER = BOTH = ("set", "order")

#: What became of a method where a question was asked: it has a value; it was to have one and
#: failed, and comes last; it cannot run on the data set; the question does not fit the method.
MEASURED, FAILED, SKIPPED, NOT_ASKED = "measured", "failed", "skipped", "not asked"

_CELL = ["question", "dataset", "method"]


#: 1 for measures where greater is better, −1 for the others.
SIGNS = {name: measure.sign for name, measure in MEASURES.items()}


def _looked_up(column: str, numbers: dict[str, int]) -> pl.Expr:
    return pl.col(column).replace_strict(numbers, return_dtype=pl.Int32)


def measures_in(frame: pl.DataFrame) -> list[str]:
    """The measures that a table has, in the order in which they are declared."""
    return [name for name in MEASURES if name in frame.columns]


def per_split(
    accuracy: pl.DataFrame, sets: pl.DataFrame, curves: pl.DataFrame, labels: pl.DataFrame
) -> pl.DataFrame:
    """Both questions answered split by split, for each classifier and the mean over classifiers.

    Columns: ``question``, ``dataset``, ``method``, ``split``, ``classifier``, every measure, and
    ``size``, which the question of the order has not.
    """
    by = ["dataset", "method", "split", "classifier"]
    given = accuracy.join(sets, on=["dataset", "method", "split", "k"]).rename({"k": "size"})
    given = with_means(relabelled(given.cast({"size": pl.Float64}), labels, by), by[:-1])
    ordered = split_scores(curves).with_columns(size=pl.lit(None, pl.Float64))
    names = [*by, *measures_in(accuracy), "size"]
    return pl.concat(
        frame.select(pl.lit(question).alias("question"), *names)
        for question, frame in ((SET, given), (ORDER, ordered))
    ).sort("question", *by, descending=[True, *[False] * len(by)])


def asked_of(cells: pl.DataFrame) -> pl.DataFrame:
    """One row per question, data set and method: whether the method competes, and its standing.

    The standing is ``measured`` until it is known that there is no value.
    """
    ranking = ~pl.col("subset") & ~pl.col("single_sized")
    competes = {
        SET: is_competitor() | (pl.col("role") == ALL_FEATURES),
        ORDER: is_competitor() & ranking,
    }
    fits = {SET: pl.lit(True), ORDER: ~is_competitor() | ranking}
    return pl.concat(
        cells.with_columns(
            pl.lit(question).alias("question"),
            competes[question].alias("competes"),
            pl.when(~fits[question])
            .then(pl.lit(NOT_ASKED))
            .when((pl.col("skipped") > 0) & (pl.col("ok") == 0))
            .then(pl.lit(SKIPPED))
            .otherwise(pl.lit(MEASURED))
            .alias("standing"),
        )
        for question in BOTH
    )


def answers(
    values: pl.DataFrame, asked: pl.DataFrame, settings: Mapping[str, Setting]
) -> pl.DataFrame:
    """One row per question, data set, method, classifier and measure: mean over splits and spread.

    ``judged`` marks the measure by which the data set's methods are ranked, ``competes`` the
    methods that are. A method without a value has one of the standings ``failed`` (ranked last),
    ``skipped`` and ``not asked`` (not ranked).
    """
    measures = measures_in(values)
    long = values.unpivot(
        measures, index=[*_CELL, "split", "classifier", "size"], variable_name="measure"
    )
    key = [*_CELL, "classifier", "measure"]
    found = (
        long.drop_nulls("value")
        .group_by(key)
        .agg(
            pl.col("value").mean(),
            pl.col("value").std().alias("sd"),
            pl.col("size").mean(),
            pl.col("split").n_unique().cast(pl.Int32).alias("splits"),
        )
    )
    classifiers = values.select("dataset", "classifier").unique()
    lonely = asked.select("dataset").unique().join(classifiers, on="dataset", how="anti")
    classifiers = pl.concat([classifiers, lonely.with_columns(classifier=pl.lit(EVERY))])
    judge = {dataset: setting.judge_by for dataset, setting in settings.items()}
    return (
        asked.select(*_CELL, "role", "competes", "standing")
        .join(classifiers, on="dataset")
        .join(pl.DataFrame({"measure": measures}, {"measure": pl.String}), how="cross")
        .filter(pl.col("standing") != NOT_ASKED)
        .join(found, on=key, how="left")
        .with_columns(
            pl.col("splits").fill_null(0),
            (pl.col("measure") == pl.col("dataset").replace_strict(judge, default=None)).fill_null(
                False
            ).alias("judged"),
            pl.when((pl.col("standing") == MEASURED) & pl.col("value").is_null())
            .then(pl.lit(FAILED))
            .otherwise("standing")
            .alias("standing"),
        )
        .select(SCHEMAS["answers"].keys())
        .sort(
            pl.col("question") != SET, "dataset", pl.col("classifier") != EVERY, "classifier",
            _looked_up("measure", {name: i for i, name in enumerate(MEASURES)}),
            "method",
        )
    )  # fmt: skip


def scores(
    found: pl.DataFrame, asked: pl.DataFrame, curves: pl.DataFrame, beside: pl.DataFrame
) -> pl.DataFrame:
    """The answers, one row per question, data set, method and classifier, measures side by side.

    ``value`` is by the measure that the data set is judged by. ``best_k`` and ``best_value`` are of
    the best size of a ranking's curve. ``beside`` has the stability of the given sets and the
    seconds of a selection. A method is below random where its value is worse than that of the
    random rankings.
    """
    key = [*_CELL, "classifier"]
    judged = found.filter("judged").select(
        *key, "measure", "value", "sd", "size", "splits", "standing"
    )
    wide = judged.rename({"measure": "judge_by", "splits": "n_splits"})
    measures = measures_in(curves)
    for measure in measures:
        own = found.filter(pl.col("measure") == measure).select(
            *key, pl.col("value").alias(measure), pl.col("sd").alias(f"{measure}_sd")
        )
        wide = wide.join(own, on=key, how="left", maintain_order="left")
    sign = _looked_up("judge_by", SIGNS)
    table = (
        asked.join(wide.drop("standing"), on=_CELL)
        .join(judged.select(*key, "standing"), on=key, suffix="_found")
        .with_columns(pl.col("standing_found").alias("standing"))
        .join(_best_sizes(curves, judged), on=key, how="left")
        .join(beside, on=["dataset", "method"], how="left")
        .with_columns(
            true_size("best_k").alias("best_k"),
            pl.when(pl.col("question") == SET).then("stability").alias("stability"),
        )
    )
    random = table.filter(pl.col("role") == RANDOM)
    random = random.select("question", "dataset", "classifier", pl.col("value").alias("random"))
    return (
        table.join(random, on=["question", "dataset", "classifier"], how="left")
        .with_columns(
            (is_competitor() & (sign * (pl.col("value") - pl.col("random")) < -1e-12))
            .fill_null(False)
            .alias("below_random")
        )
        .filter((pl.col("classifier") == EVERY) | pl.col("value").is_not_null())
        .sort(
            pl.col("question") != SET, "dataset", pl.col("classifier") != EVERY, "classifier",
            sign * pl.col("value"), "method",
            descending=[False, False, False, False, True, False], nulls_last=True,
            maintain_order=True,
        )
        # Ranks are made of these values.
        .select(name for name in schemas(measures)["scores"] if name != "rank")
    )  # fmt: skip


def _best_sizes(curves: pl.DataFrame, judged: pl.DataFrame) -> pl.DataFrame:
    """The size at which a ranking's mean curve is best, and the value there."""
    key = ["dataset", "method", "classifier"]
    judge = judged.filter(pl.col("question") == ORDER).select("dataset", "measure").unique()
    long = curves.unpivot(
        measures_in(curves), index=[*key, "k"], variable_name="measure", value_name="best_value"
    ).join(judge, on=["dataset", "measure"])
    sign = _looked_up("measure", SIGNS)
    return (
        long.group_by(*key, "k", "measure")
        .agg(pl.col("best_value").mean())
        # Equal means differ in their last bits; the smallest size wins a tie.
        .sort((sign * pl.col("best_value")).round(12), "k", descending=[True, False])
        .group_by(key, maintain_order=True)
        .first()
        .select(pl.lit(ORDER).alias("question"), *key, pl.col("k").alias("best_k"), "best_value")
    )
