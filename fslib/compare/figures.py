"""The figures of a study with their captions, drawn from the tables of the study."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from matplotlib.figure import Figure

from fslib.compare.diagram import critical_difference_diagram
from fslib.compare.labels import is_competitor
from fslib.evaluate.classifier import title_of
from fslib.figures.files import Drawn, write_drawn
from fslib.figures.panels import INTERVAL, bars, heat_map, line_panels, rank_rows, scatter_panels
from fslib.figures.style import Look, drawing, looks, message
from fslib.run.artefacts import EVERY, read_any
from fslib.run.numbers import count, form
from fslib.run.roles import ALL_FEATURES

_MOST_FEATURES = 30


def write_figures(
    tables: Mapping[str, str], folder: str, listing: str, *, datasets: list[str]
) -> None:
    """Draw the figures of a study from the files of its tables."""
    frames = {name: read_any(path) for name, path in tables.items()}
    write_drawn(figures(frames, datasets), folder, listing)


def figures(tables: dict[str, pl.DataFrame], datasets: list[str]) -> dict[str, Drawn]:
    """Every figure of a study; where there is nothing to draw the figure says so."""
    headline = {"question": "set", "field": ""}
    tables = tables | {
        "ranks": tables["ranks"].filter(**headline),
        "scores": tables["scores"].filter(question="set"),
    }
    look = looks(tables["ranks"])
    found = {}
    with drawing():
        for dataset in datasets:
            own = {
                name: table.filter(pl.col("dataset") == dataset)
                for name, table in tables.items()
                if "dataset" in table.columns
            }
            for section, draw in _OF_A_DATASET.items():
                figure, caption = draw(dataset, own, look)
                found[f"{section}_{dataset}"] = Drawn(figure, caption, section, dataset)
        for name, (section, draw, caption) in _OF_ALL_DATASETS.items():
            found[name] = Drawn(draw(tables, look), caption, section)
    return found


def accuracy_figure(dataset: str, own: dict, look: dict[str, Look]) -> tuple[Figure, str]:
    """Accuracy against the number of features, a panel per classifier, ± one deviation."""
    curves = own["curves"].filter(pl.col("classifier") != EVERY).sort("classifier")
    titles = {name: title_of(name) for name in curves["classifier"].unique()}
    points = curves.select(
        pl.col("classifier").replace_strict(titles).alias("panel"),
        pl.col("method").alias("label"),
        pl.col("k").alias("x"),
        pl.col("accuracy").alias("y"),
    )
    if points.is_empty():
        text = f"{dataset}: no method finished"
        return message(f"{text}, no accuracy to show"), f"{text}."
    best = own["scores"].filter(pl.col("classifier") == EVERY, is_competitor())
    caption = f"{dataset}: no method finished with every classifier."
    for row in best.drop_nulls("accuracy").head(1).rows(named=True):
        caption = (
            f"{dataset}: {row['method']} gives the best sets, {form(row['accuracy'], 'percent')} "
            f"with {count(round(row['size']), 'feature')} on average."
        )
    figure = line_panels(
        f"{dataset}: accuracy", points, look, ylabel="accuracy", errorbar="sd", log="x"
    )
    return figure, caption


def stability_figure(dataset: str, own: dict, look: dict[str, Look]) -> tuple[Figure, str]:
    """Nogueira's stability against the number of features with its interval."""
    points = (
        own["stability"]
        # All features are the same set on every split: stable by definition, and no line to draw.
        .filter(
            pl.col("measure") == "nogueira", pl.col("ratio") == pl.col("ratio").max(),
            pl.col("value").is_not_null(), pl.col("method") != ALL_FEATURES,
        )
        .select(
            pl.lit("").alias("panel"), pl.col("method").alias("label"), pl.col("k").alias("x"),
            pl.concat_list(pl.coalesce("low", "value"), "value", pl.coalesce("high", "value"))
            .alias("y"),
        )
        .explode("y")
    )  # fmt: skip
    caption = f"{dataset}: stability of the selections against their size."
    if points.is_empty():
        return message(f"{dataset}: no stability to show"), caption
    figure = line_panels(
        f"{dataset}: stability", points, look, ylabel="stability", errorbar=INTERVAL, log="x",
        height=2.6,
    )  # fmt: skip
    axes = figure.axes[0]
    axes.set_ylim(min(-0.05, axes.get_ylim()[0]), max(1.02, min(axes.get_ylim()[1], 1.1)))
    return figure, caption


def features_figure(dataset: str, own: dict, look: dict[str, Look]) -> tuple[Figure, str]:
    """How many of the splits chose each recommended feature."""
    chosen = own["selected_features"].drop_nulls("frequency").head(_MOST_FEATURES)
    caption = f"{dataset}: how often the recommended features were chosen, best feature first."
    if chosen.is_empty():
        return message(f"{dataset}: no feature to show"), caption
    shares = dict(chosen.select("name", "frequency").rows())
    return bars(f"{dataset}: features", shares, xlabel="share of splits that chose it"), caption


_OF_A_DATASET = {
    "accuracy": accuracy_figure,
    "stability": stability_figure,
    "features": features_figure,
}


def tradeoff_figure(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    """Accuracy and stability of the given sets against time, means over data sets."""
    known = tables["ranks"].drop_nulls(["mean_accuracy", "seconds"])
    if known.is_empty():
        return message("no method finished: no trade-off to show")
    points = pl.concat(
        known.select(
            pl.lit(f"mean {measure}").alias("panel"), pl.col("method").alias("label"),
            pl.col("seconds").alias("x"), pl.col(f"mean_{measure}").alias("y"),
            (pl.col("n_finished") == pl.col("n_finished").max()).alias("whole"),
        )
        for measure in ("accuracy", "stability")
    )  # fmt: skip
    return scatter_panels(
        "Accuracy and stability against time",
        points.drop_nulls("y"),
        {m: s for m, s in look.items() if m in set(known["method"])},
        xlabel="time of one selection (geometric mean over data sets)",
    )


def ranks_figure(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    """Each method's rank on every data set (dots) and their mean (bar)."""
    ranked = tables["ranks"].drop_nulls("mean_rank").select("method")
    single = tables["scores"].filter(pl.col("classifier") == EVERY).drop_nulls("rank")
    points = ranked.join(single, on="method", maintain_order="left")
    if points.is_empty():
        return message("no ranks: no method can be ranked")
    return rank_rows(
        "Ranks on the data sets and their mean",
        points.select(pl.col("method").alias("label"), pl.col("rank").alias("x")), look,
        xlabel="rank, 1 is best",
    )  # fmt: skip


def heat_figure(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    """Points of accuracy between each method and the best one, a column per data set."""
    behind = (
        tables["scores"]
        .filter(pl.col("classifier") == EVERY, is_competitor())
        .drop_nulls("accuracy")
        .with_columns(behind=100 * (pl.col("accuracy") - pl.col("accuracy").max().over("dataset")))
    )
    if behind.is_empty():
        return message("no method finished: no differences to show")
    order = pl.DataFrame({"method": list(look)})
    wide = behind.pivot("dataset", index="method", values="behind")
    return heat_map(
        "Points of accuracy behind the best",
        order.join(wide, on="method", maintain_order="left"),
        label="percentage points", best=0,
    )  # fmt: skip


def critical_difference_figure(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    friedman = tables["friedman"].row(0, named=True)
    if friedman["critical_difference"] is None:
        return message(friedman["note"])
    ranked = tables["ranks"].drop_nulls("mean_rank")
    return critical_difference_diagram(
        dict(ranked.select("method", "mean_rank").rows()), friedman["critical_difference"]
    )


_OF_ALL_DATASETS = {
    "tradeoff": (
        "cost",
        tradeoff_figure,
        "Mean accuracy and mean stability against the time of one selection: better is up and to "
        "the left. A hollow mark is a method without a result on some data set.",
    ),
    "critical_difference": (
        "ranking",
        critical_difference_figure,
        "Mean ranks, best on the left. A bar joins methods that are not significantly apart.",
    ),
    "ranks": (
        "ranking",
        ranks_figure,
        "Rank on each data set (dots, darker where several) and the mean (bar).",
    ),
    "heat": (
        "ranking",
        heat_figure,
        "How far each method stays behind the most accurate one of each data set.",
    ),
}
