"""The comparison stage: from the results of all methods of a study to its tables."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from fslib.compare import advice, features, ranking
from fslib.compare import answers as questions
from fslib.compare.candidates import Candidates
from fslib.compare.curves import accuracy_curves, at_common_sizes, single_sized, with_means
from fslib.compare.labels import is_competitor, method_labels, own_name, relabelled
from fslib.compare.schemas import SCHEMAS
from fslib.compare.sets import given_sets, stability_of_sets
from fslib.compare.setting import Setting
from fslib.evaluate.stability import leading
from fslib.run.artefacts import CONTRACTS, EVERY, STATUSES
from fslib.run.layout import REFIT, TABLES
from fslib.run.numbers import count


def compare(
    frames: dict[str, pl.DataFrame],
    *,
    datasets: list[str],
    settings: Mapping[str, Setting],
) -> dict[str, pl.DataFrame]:
    """All tables of a study.

    Parameters
    ----------
    frames : `selections`, `runs`, `accuracy`, `unmeasured`, `stability` and `recovery` of every
        data set and method, one below the other.
    datasets : names of the data sets, in the order in which tables list them.
    settings : classes and splits of every data set that could be used.
    """
    runs = frames["runs"]
    labels = method_labels(runs, frames["selections"])
    cells = _cells(runs, single_sized(frames["accuracy"], labels), labels)
    curves = accuracy_curves(frames["accuracy"], labels)
    stability = _stability(frames["stability"], labels)
    asked = questions.asked_of(cells)
    accuracy = frames["accuracy"].filter(pl.col("split") != REFIT)
    measured = with_means(accuracy, ["dataset", "method", "split", "k"])
    overall = measured.filter(pl.col("classifier") == EVERY)
    sets = given_sets(overall, labels, settings)
    stable = stability_of_sets(sets, frames["selections"], settings)
    values = questions.per_split(accuracy, sets, curves, labels)
    beside = _beside(runs, stable, labels)
    answers = questions.answers(values, asked, settings)
    score_table = questions.scores(answers, asked, curves, beside)
    entered = [
        field
        for question in questions.BOTH
        for field in ranking.fields(question, score_table, cells, datasets)
    ]
    ranks = [ranking.dataset_ranks(score_table, field) for field in entered]
    friedman = [ranking.friedman_table(*pair) for pair in zip(ranks, entered, strict=True)]
    rank_tables = [
        ranking.rank_table(own, score_table, field, test["critical_difference"].item())
        for own, field, test in zip(ranks, entered, friedman, strict=True)
    ]
    candidates = _candidates(measured, sets, stable, stability, cells, labels, settings)
    given = values.filter(pl.col("question") == questions.SET)
    advised = advice.advise(candidates, given, datasets)
    wanted = features.of_recommended(advised["recommendation"], labels)
    selected = features.selected_features(wanted, frames["selections"])
    tables = {
        "ledger": ledger(runs, frames["unmeasured"]),
        "methods": labels,
        "curves": curves,
        "answers": answers,
        "scores": _with_ranks(score_table, ranks, entered),
        "ranks": pl.concat(rank_tables),
        "friedman": pl.concat(friedman),
        "pairs": ranking.pair_table(values, asked, settings),
        "cost": _cost(runs, labels),
        "recovery": _recovery(frames["recovery"], labels),
        "stability": stability,
        **advised,
        "selected_features": selected,
        "consensus": features.consensus(wanted, frames["selections"]),
        "fewer_features": features.fewer_features(wanted, measured, settings),
        "interchangeable": features.interchangeable(selected, settings),
        "notes": _notes(runs, labels, entered, score_table, frames["unmeasured"], settings),
    }
    return {name: _in_order(tables[name], datasets) for name in TABLES}


def _beside(runs: pl.DataFrame, stable: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Stability of the given sets and seconds of a selection, by data set and label."""
    seconds = (
        runs.filter(pl.col("status") == "ok")
        .group_by("dataset", "method", maintain_order=True)
        .agg(pl.col("wall_seconds").median().alias("seconds"))
    )
    beside = seconds.join(stable, on=["dataset", "method"], how="left", maintain_order="left")
    return relabelled(beside, labels, ["dataset", "method"])


def _candidates(
    measured: pl.DataFrame,
    sets: pl.DataFrame,
    stable: pl.DataFrame,
    stability: pl.DataFrame,
    cells: pl.DataFrame,
    labels: pl.DataFrame,
    settings: Mapping[str, Setting],
) -> dict[str, Candidates]:
    """The sets that may be recommended: of a ranking every size, of other methods their own set."""
    subset = labels.filter("subset").select("method")
    own_set = (
        measured.join(sets, on=sets.columns, how="semi")
        .join(subset, on="method", how="semi")
        .with_columns(k=pl.lit(None, pl.Int32))
    )
    every = pl.concat([measured.join(subset, on="method", how="anti"), own_set])
    every = relabelled(every, labels, ["dataset", "method", "split", "classifier", "k"])
    own = relabelled(stable, labels, ["dataset", "method"])
    whole = stability.filter(
        pl.col("measure").eq_missing(leading(stability["measure"].unique())),
        pl.col("ratio") == pl.col("ratio").max(),
    )
    steady = pl.concat(
        [
            whole.select("dataset", "method", "k", pl.col("value").alias("stability")),
            own.select("dataset", "method", pl.lit(None, pl.Int32).alias("k"), "stability"),
        ]
    )
    return {
        dataset: Candidates.of(
            *(frame.filter(pl.col("dataset") == dataset) for frame in (every, cells, steady)),
            setting,
        )
        for dataset, setting in settings.items()
    }


def _with_ranks(score_table: pl.DataFrame, ranks: list, entered: list) -> pl.DataFrame:
    """The scores with the ranks of the comparisons on all data sets."""
    main = [
        own.with_columns(question=pl.lit(field.question), classifier=pl.lit(EVERY))
        for own, field in zip(ranks, entered, strict=True)
        if not field.name
    ]
    key = ["question", "dataset", "method", "classifier"]
    return score_table.join(pl.concat(main), on=key, how="left", maintain_order="left")


def ledger(runs: pl.DataFrame, unmeasured: pl.DataFrame) -> pl.DataFrame:
    """Runs of each data set and method by status, the refit counted too, and the first reason.

    ``unmeasured`` counts the evaluations, one per split and classifier, that did not succeed.
    """
    cell = ["dataset", "method"]
    missing = (
        unmeasured.sort("split", maintain_order=True)
        .group_by(cell, maintain_order=True)
        .agg(
            pl.len().alias("unmeasured"),
            pl.format("{}: {}", "classifier", "reason").first().alias("not measured"),
        )
    )
    return (
        runs.group_by(cell, maintain_order=True)
        .agg(
            *((pl.col("status") == status).sum().alias(status) for status in STATUSES),
            pl.col("reason")
            .filter(pl.col("status") != "ok")
            .sort_by(pl.col("split").filter(pl.col("status") != "ok"))
            .first(),
        )
        .join(missing, on=cell, how="left", maintain_order="left")
        .with_columns(
            pl.col("unmeasured").fill_null(0),
            pl.coalesce("reason", "not measured", pl.lit("")).alias("reason"),
        )
        .select(CONTRACTS["ledger"].keys())
        .cast(CONTRACTS["ledger"])
    )


def _cells(runs: pl.DataFrame, single: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """One row per data set and label: how its runs went."""
    labelled = (
        runs.drop("role", "subset")
        .join(
            single.with_columns(single_sized=True),
            on=["dataset", "method"],
            how="left",
            maintain_order="left",
        )
        .join(labels.filter("counted"), on="method", maintain_order="left")
        .drop("method")
        .rename({"label": "method"})
    )
    split, ok = pl.col("split") >= 0, pl.col("status") == "ok"
    return labelled.group_by("dataset", "method", maintain_order=True).agg(
        pl.col("role").first(),
        pl.col("single_sized").first().fill_null(False),
        pl.col("subset").first(),
        split.sum().cast(pl.Int32).alias("splits"),
        (split & ok).sum().cast(pl.Int32).alias("ok"),
        (split & (pl.col("status") == "skipped")).sum().cast(pl.Int32).alias("skipped"),
        (split | ok).all().alias("refit_ok"),
        # Features that the refit selected; without a refit, the median over the splits.
        pl.coalesce(
            pl.col("n_selected").filter(~split & ok).first(),
            pl.col("n_selected").filter(split & ok).median(),
        )
        .round()
        .cast(pl.Int32)
        .alias("n_selected"),
        pl.col("reason").filter(~ok).first().fill_null("").alias("reason"),
    )


def _cost(runs: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Median cost of a selection over the splits that finished, methods under their own names."""
    own = labels.select("method", own_name().alias("label"))
    return (
        runs.filter((pl.col("split") >= 0) & (pl.col("status") == "ok"))
        .join(own, on="method", maintain_order="left")
        .group_by("dataset", pl.col("label").alias("method"), maintain_order=True)
        .agg(
            pl.col("wall_seconds", "cpu_seconds", "peak_mb", "n_fits", "n_selected").median(),
            pl.len().cast(pl.Int32).alias("n_runs"),
        )
    )


def _recovery(recovery: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Mean recovery of the essential features at the common sizes."""
    recovery = recovery.filter(pl.col("split") >= 0)
    even = at_common_sizes(recovery, labels, ["dataset", "method", "split"])
    return (
        even.group_by("dataset", "method", "k", maintain_order=True)
        .agg(
            pl.col("precision", "recall", "f1", "phi").mean(),
            pl.col("split").n_unique().cast(pl.Int32).alias("n_splits"),
        )
        .sort("dataset", "method", "k")
    )


def _stability(stability: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    by = ["dataset", "method", "measure", "ratio", "k"]
    return relabelled(stability, labels, by).sort(by)


def _notes(
    runs,
    labels: pl.DataFrame,
    entered: list[ranking.Field],
    score_table,
    unmeasured: pl.DataFrame,
    settings: Mapping[str, Setting],
) -> pl.DataFrame:
    """What a reader must know to judge the tables: one sentence per row."""
    main = {field.question: field for field in entered if not field.name}
    rows = [("left out", *what) for what in main[questions.SET].left_out]
    rows += [
        ("not asked", *what)
        for what in main[questions.ORDER].left_out
        if what not in main[questions.SET].left_out
    ]
    rows += [
        ("judged", dataset, "", remark)
        for dataset, setting in settings.items()
        for remark in setting.remarks
    ]
    rows += [("unusable", dataset, "", reason) for dataset, reason in _unusable(runs)]
    for label in labels.filter(~pl.col("counted"))["label"].unique(maintain_order=True):
        rows.append(("identical", "", label, "same selections on every split: counted once"))
    overall = score_table.filter(
        (pl.col("question") == questions.SET) & (pl.col("classifier") == EVERY) & is_competitor()
    )
    for row in overall.rows(named=True):
        failed = row["splits"] - row["ok"]
        if row["ok"] and failed:
            text = f"{failed} of {row['splits']} splits did not finish: the others count"
            rows.append(("partial", row["dataset"], row["method"], text))
        if row["below_random"]:
            text = "worse than a random ranking"
            rows.append(("below random", row["dataset"], row["method"], text))
        field = main[questions.SET]
        ranked = row["dataset"] in field.datasets and row["method"] in field.methods
        if ranked and not row["ok"]:
            text = "finished no split: ranked last"
            rows.append(("failed", row["dataset"], row["method"], text))
    for dataset, method, classifier, splits, reason in (
        unmeasured.join(labels, on="method", maintain_order="left")
        .group_by("dataset", own_name().alias("method"), "classifier", maintain_order=True)
        .agg(pl.col("split").n_unique(), pl.col("reason").first())
        .rows()
    ):
        text = f"not measured by {classifier} on {count(splits, 'split')} ({reason})"
        rows.append(("unmeasured", dataset, method, text))
    return pl.DataFrame(rows, schema=SCHEMAS["notes"], orient="row")


def _unusable(runs: pl.DataFrame) -> list[tuple[str, str]]:
    """Data sets that were refused, and why: no preparation of theirs was ever fitted."""
    refused = runs.filter(pl.col("fitted") == "")
    return refused.group_by("dataset", maintain_order=True).agg(pl.col("reason").first()).rows()


def _in_order(table: pl.DataFrame, datasets: list[str]) -> pl.DataFrame:
    """Rows by the study's order of data sets, otherwise as they were."""
    if "dataset" not in table.columns or table.is_empty():
        return table
    place = {name: i for i, name in enumerate(datasets)}
    return table.sort(
        pl.col("dataset").replace_strict(place, default=len(place), return_dtype=pl.Int32),
        maintain_order=True,
    )
