"""The tables of the page: which columns, under which headings, in which form."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import polars as pl

from fslib.report.explore import judged_in_percent
from fslib.run.artefacts import EVERY, STATUSES
from fslib.run.forms import form
from fslib.run.questions import QUESTIONS
from fslib.run.roles import COMPETITOR


@dataclass(frozen=True)
class Column:
    """One column of a table on the page."""

    name: str
    title: str
    form: str = "text"

    @property
    def numeric(self) -> bool:
        return self.form not in {"text", "long"}


@dataclass(frozen=True)
class Shown:
    text: str
    value: str
    css: str


@dataclass(frozen=True)
class Row:
    cells: list[Shown]
    yardstick: bool
    method: str
    dataset: str


@dataclass(frozen=True)
class View:
    """A table ready to be written."""

    name: str
    caption: str
    columns: list[Column]
    rows: list[Row] = field(default_factory=list)
    empty: str = "Nothing to show: no method finished."


def view(table: pl.DataFrame, name: str, caption: str, columns: list[Column], **texts) -> View:
    """A table's rows as text, with the values that sorting goes by."""
    columns = [column for column in columns if column.name in table.columns]
    rows = []
    for record in table.rows(named=True):
        cells = []
        for column in columns:
            value = record[column.name]
            css = {"text": "", "long": "long"}.get(column.form, "number")
            cells.append(Shown(form(value, column.form), _sorted_by(value), css))
        names = (record.get("method") or "", record.get("dataset") or "")
        rows.append(Row(cells, record.get("role", COMPETITOR) != COMPETITOR, *names))
    return View(name, caption, columns, rows, **texts)


def _sorted_by(value) -> str:
    """The value behind a text, short: six digits tell any two rows apart that a reader can."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


_DATASET, _METHOD = Column("dataset", "data set"), Column("method", "method")
_QUESTION = Column("question", "question")


def views(tables: dict[str, pl.DataFrame]) -> dict[str, View]:
    """Every table of a study's part of the page."""
    percent = judged_in_percent(tables["answers"])
    return {
        "ranks": _ranks(
            tables["ranks"].filter(question="set", field=""), "Ranking of methods", percent
        ),
        "others": [
            _ranks(own, QUESTIONS[question] + (f" On {field}" if field else ""), percent)
            for (question, field), own in tables["ranks"].group_by(
                "question", "field", maintain_order=True
            )
            if (question, field) != ("set", "")
        ],
        "scores": _scores(tables["scores"]),
        "pairs": view(
            tables["pairs"],
            "Against the best method",
            "Difference of mean accuracy in percentage points; p by Nadeau and Bengio’s corrected "
            "t test, adjusted by Holm’s procedure within each data set.",
            [
                _DATASET,
                _METHOD,
                _QUESTION,
                Column("best", "best"),
                Column("difference", "difference", "points"),
                Column("t", "t", "number"),
                Column("p", "p", "p"),
                Column("p_holm", "p adjusted", "p"),
                Column("n_splits", "splits", "integer"),
            ],
            empty="No data set has two methods to compare.",
        ),
        "stability": _stability(tables["stability"], tables["methods"]),
        "recovery": view(
            tables["recovery"],
            "Essential features found",
            "Means over splits; φ is the number of essential features before the first other one.",
            [
                _DATASET,
                _METHOD,
                Column("k", "features", "integer"),
                Column("precision", "precision", "fixed"),
                Column("recall", "recall", "fixed"),
                Column("f1", "F1", "fixed"),
                Column("phi", "φ", "number"),
            ],
        ),
        "cost": view(
            tables["cost"],
            "Cost of one selection",
            "Medians over the splits that finished, one thread each.",
            [
                _DATASET,
                _METHOD,
                Column("wall_seconds", "time", "seconds"),
                Column("cpu_seconds", "processor time", "seconds"),
                Column("peak_mb", "peak MB", "number"),
                Column("n_fits", "models trained", "number"),
                Column("n_selected", "features kept", "number"),
            ],
        ),
        "recommendation": view(
            tables["recommendation"],
            "Recommendation",
            "The recommended set of each data set beside its runner-up and the yardsticks.",
            [
                _DATASET,
                _METHOD,
                Column("k", "features", "integer"),
                Column("value", "value", "percent"),
                Column("standard_error", "standard error", "percent"),
                Column("stability", "stability", "fixed"),
                Column("runner_up", "runner-up"),
                Column("runner_up_k", "its features", "integer"),
                Column("runner_up_value", "its value", "percent"),
                Column("runner_up_stability", "its stability", "fixed"),
                Column("best_value", "best value", "percent"),
                Column("all_features_value", "all features", "percent"),
                Column("random_value", "random", "percent"),
                Column("majority_value", "most frequent class", "percent"),
                Column("expected", "to expect", "percent"),
                Column("verdict", "verdict", "long"),
            ],
        ),
        "selected_features": view(
            tables["selected_features"],
            "Selected features",
            "Features of the recommended sets, best first.",
            [
                _DATASET,
                Column("rank", "rank", "integer"),
                Column("name", "feature"),
                Column("feature", "column", "integer"),
                Column("score", "score", "number"),
                Column("frequency", "share of splits", "percent"),
            ],
            empty="No feature to show: no method finished its refit on all rows.",
        ),
        "ledger": view(
            tables["ledger"].filter(pl.sum_horizontal(*STATUSES[1:], "unmeasured") > 0),
            "Failed and skipped runs",
            "Runs by status, the refit on all rows included; evaluations, one per split and "
            "classifier, that did not succeed; the first reason.",
            [
                _DATASET,
                _METHOD,
                *(Column(status, status.replace("_", " "), "integer") for status in STATUSES),
                Column("unmeasured", "not measured", "integer"),
                Column("reason", "first reason", "long"),
            ],
        ),
    }


def _ranks(ranks: pl.DataFrame, name: str, percent: bool) -> View:
    """The same columns as `ranking.js` fills for another choice."""
    # All features compete where the question is the set: no yardstick there.
    competing = pl.when(pl.col("note") == "yardstick").then("role").otherwise(pl.lit(COMPETITOR))
    return view(
        ranks.with_columns(competing.alias("role")),
        name,
        "Mean rank over data sets; methods that share a letter are not significantly apart.",
        [
            _METHOD,
            Column("mean_rank", "mean rank", "rank"),
            Column("groups", "group"),
            Column("mean_value", "mean value", "percent" if percent else "fixed"),
            Column("mean_size", "features", "number"),
            Column("mean_stability", "stability", "fixed"),
            Column("seconds", "time", "seconds"),
            Column("n_finished", "data sets", "integer"),
            Column("note", "note", "long"),
        ],
    )


def _scores(scores: pl.DataFrame) -> View:
    overall = scores.filter(pl.col("classifier") == EVERY)
    single = scores.filter(pl.col("classifier") != EVERY)
    classifiers = single["classifier"].unique().sort().to_list()
    for classifier in classifiers:
        own = single.filter(pl.col("classifier") == classifier)
        key = ["question", "dataset", "method"]
        own = own.select(*key, pl.col("accuracy").alias(f"by {classifier}"))
        overall = overall.join(own, on=key, how="left", maintain_order="left")
    return view(
        overall.with_columns(pl.format("{} of {}", "ok", "splits").alias("finished")),
        "Accuracy of methods",
        "Means over splits and classifiers: of the given sets, and over all sizes where the "
        "question is the order; the best size of an order and the value there.",
        [
            _DATASET,
            _METHOD,
            _QUESTION,
            Column("rank", "rank", "number"),
            Column("accuracy", "accuracy", "percent"),
            Column("accuracy_sd", "sd over splits", "percent"),
            Column("balanced_accuracy", "balanced", "percent"),
            Column("size", "features", "number"),
            Column("stability", "stability", "fixed"),
            Column("seconds", "time", "seconds"),
            Column("best_k", "best size", "integer"),
            Column("best_value", "value there", "percent"),
            *(Column(f"by {name}", name, "percent") for name in classifiers),
            Column("finished", "splits"),
        ],
    )


def _stability(stability: pl.DataFrame, methods: pl.DataFrame) -> View:
    measures = stability["measure"].unique().sort(descending=True).to_list()
    labels = methods.select(pl.col("label").alias("method"), "role").unique()
    wide = (
        stability.filter(pl.col("ratio") == pl.col("ratio").max())
        .group_by("dataset", "method", maintain_order=True)
        .agg(
            pl.col("value").filter(pl.col("measure") == measure).mean().alias(f"by {measure}")
            for measure in measures
        )
        .join(labels, on="method", how="left", maintain_order="left")
    )
    return view(
        wide,
        "Stability of methods",
        "Means over the sizes at which a method was measured.",
        [_DATASET, _METHOD, *(Column(f"by {m}", m.replace("_", " "), "fixed") for m in measures)],
    )
