"""The figures of a study with their captions, drawn from the tables of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain

import polars as pl
from matplotlib.figure import Figure

from fslib.compare.diagram import critical_difference_diagram
from fslib.compare.labels import is_competitor
from fslib.evaluate.classifier import title_of
from fslib.figures.files import Picture, write_pictures
from fslib.figures.panels import bars, heat_map, line_panels, rank_rows, scatter_panels
from fslib.figures.style import Drawn, Look, drawing, looks, message
from fslib.run.artefacts import EVERY, read_any
from fslib.run.forks import forked
from fslib.run.numbers import count, form
from fslib.run.roles import ALL_FEATURES

_MOST_FEATURES = 30


def write_figures(
    tables: Mapping[str, str], folder: str, listing: str, *, datasets: list[str], workers: int = 1
) -> None:
    """Draw the figures of a study from the files of its tables, in so many processes.

    With several, the calling process must not have used polars (see `forked`).
    """
    names = figure_names(datasets)
    hands = [names[i::workers] for i in range(workers)]
    drawn = chain.from_iterable(forked(partial(_pictures, tables, datasets), hands, workers))
    write_pictures(sorted(drawn, key=lambda p: names.index(p.name)), folder, listing)


def _pictures(tables: Mapping[str, str], datasets: list[str], names: list[str]) -> list[Picture]:
    """Some figures of a study."""
    frames = {name: read_any(path) for name, path in tables.items()}
    return [drawn.picture(name) for name, drawn in figures(frames, datasets, names).items()]


def figure_names(datasets: list[str]) -> list[str]:
    """The figures of a study, in the order of a page."""
    of_each = [f"{draw.__name__}_{dataset}" for dataset in datasets for draw in _OF_A_DATASET]
    return [*of_each, *(draw.__name__ for draw in _OF_ALL_DATASETS)]


def figures(
    tables: dict[str, pl.DataFrame], datasets: list[str], names: Sequence[str] | None = None
) -> dict[str, Drawn]:
    """Every figure of a study, or those of some names; where there is nothing to draw the figure
    says so.

    The docstring of a function that draws is the caption of its figure.
    """
    tables = tables | {
        "ranks": tables["ranks"].filter(question="set", field=""),
        "scores": tables["scores"].filter(question="set"),
    }
    look = looks(tables["ranks"])
    names = figure_names(datasets) if names is None else names
    found = {}
    with drawing():
        for dataset in datasets:
            own = {
                name: table.filter(pl.col("dataset") == dataset)
                for name, table in tables.items()
                if "dataset" in table.columns
            }
            best = _best_set(own["scores"])
            for draw in _OF_A_DATASET:
                kind, caption = draw.__name__, draw.__doc__.format(best=best)
                if (name := f"{kind}_{dataset}") not in names:
                    continue
                figure = draw(f"{dataset}: {kind}", own, look)
                figure = figure or message(f"{dataset}: no {kind} to show")
                found[name] = Drawn(figure, f"{dataset}: {caption}", kind, dataset)
        for draw, section in _OF_ALL_DATASETS.items():
            name, caption = draw.__name__, " ".join(draw.__doc__.split())
            if name not in names:
                continue
            figure = draw(tables, look) or message(f"no {name} to show: no method finished")
            found[name] = Drawn(figure, caption, section)
    return found


def accuracy(title: str, own: dict, look: dict[str, Look]) -> Figure | None:
    """{best}."""
    curves = own["curves"].filter(pl.col("classifier") != EVERY).sort("classifier")
    titles = {name: title_of(name) for name in curves["classifier"].unique()}
    panel = pl.col("classifier").replace_strict(titles, return_dtype=pl.String)
    points = curves.select(panel=panel, label="method", x="k", y="accuracy")
    return line_panels(title, points, look, ylabel="accuracy", band="sd", log="x")


def _best_set(scores: pl.DataFrame) -> str:
    known = scores.filter(is_competitor()).drop_nulls("accuracy")
    for row in known.filter(pl.col("classifier") == EVERY).head(1).rows(named=True):
        return (
            f"{row['method']} gives the best sets, {form(row['accuracy'], 'percent')} "
            f"with {count(round(row['size']), 'feature')} on average"
        )
    return "no method finished" + ("" if known.is_empty() else " with every classifier")


def stability(title: str, own: dict, look: dict[str, Look]) -> Figure | None:
    """stability of the selections against their size."""
    known = own["stability"].filter(
        pl.col("measure") == "nogueira", pl.col("ratio") == pl.col("ratio").max(),
        # All features are the same set on every split: stable by definition, and no line to draw.
        pl.col("value").is_not_null(), pl.col("method") != ALL_FEATURES,
    )  # fmt: skip
    ends = pl.concat_list(pl.coalesce("low", "value"), "value", pl.coalesce("high", "value"))
    points = known.select(panel=pl.lit(""), label="method", x="k", y=ends).explode("y")
    figure = line_panels(
        title, points, look, ylabel="stability", band="interval", log="x", height=2.6
    )
    if figure is not None:
        low, high = figure.axes[0].get_ylim()
        figure.axes[0].set_ylim(min(-0.05, low), max(1.02, min(high, 1.1)))
    return figure


def features(title: str, own: dict, look: dict[str, Look]) -> Figure | None:
    """how often the recommended features were chosen, best feature first."""
    chosen = own["selected_features"].drop_nulls("frequency").head(_MOST_FEATURES)
    shares = dict(chosen.select("name", "frequency").rows())
    return bars(title, shares, xlabel="share of splits that chose it")


def tradeoff(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure | None:
    """Mean accuracy and mean stability against the time of one selection: better is up and to the
    left. A hollow mark is a method without a result on some data set.
    """
    known = tables["ranks"].drop_nulls(["mean_accuracy", "seconds"])
    whole = pl.col("n_finished") == pl.col("n_finished").max()
    points = pl.concat(
        known.select(
            panel=pl.lit(f"mean {name}"), label="method", x="seconds", y=f"mean_{name}", whole=whole
        )
        for name in ("accuracy", "stability")
    )
    xlabel = "time of one selection (geometric mean over data sets)"
    title = "Accuracy and stability against time"
    return scatter_panels(title, points.drop_nulls("y"), look, xlabel=xlabel)


def critical_difference(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    """Mean ranks, best on the left. A bar joins methods that are not significantly apart."""
    friedman = tables["friedman"].row(0, named=True)
    if friedman["critical_difference"] is None:
        return message(friedman["note"])
    ranked = tables["ranks"].drop_nulls("mean_rank").select("method", "mean_rank")
    return critical_difference_diagram(dict(ranked.rows()), friedman["critical_difference"])


def ranks(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure | None:
    """Rank on each data set (dots, darker where several) and the mean (bar)."""
    ranked = tables["ranks"].drop_nulls("mean_rank").select("method")
    single = tables["scores"].filter(pl.col("classifier") == EVERY).drop_nulls("rank")
    points = ranked.join(single, on="method", maintain_order="left")
    points = points.select(panel=pl.lit(""), label="method", x="rank")
    title = "Ranks on the data sets and their mean"
    return rank_rows(title, points, look, xlabel="rank, 1 is best")


def heat(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure | None:
    """How far each method stays behind the most accurate one of each data set."""
    known = tables["scores"].filter(pl.col("classifier") == EVERY, is_competitor())
    behind = known.drop_nulls("accuracy").with_columns(
        behind=100 * (pl.col("accuracy") - pl.col("accuracy").max().over("dataset"))
    )
    wide = behind.pivot("dataset", index="method", values="behind")
    order = pl.DataFrame({"method": list(look)}, schema={"method": pl.String})
    table = order.join(wide, on="method", maintain_order="left")
    title = "Points of accuracy behind the best"
    return heat_map(title, table, label="percentage points", best=0)


_OF_A_DATASET = (accuracy, stability, features)
#: Figures of all data sets with the part of the page that each belongs to.
_OF_ALL_DATASETS = {
    tradeoff: "cost", critical_difference: "ranking", ranks: "ranking", heat: "ranking",
}  # fmt: skip
