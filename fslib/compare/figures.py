"""The figures of a study with their captions, drawn from the tables of the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

import polars as pl
from matplotlib.figure import Figure

from fslib.compare.diagram import critical_difference_diagram
from fslib.compare.labels import is_competitor
from fslib.evaluate.classifier import title_of
from fslib.evaluate.stability import leading
from fslib.figures.files import Picture, write_pictures
from fslib.figures.panels import bars, heat_map, line_panels, rank_rows, scatter_panels
from fslib.figures.style import Drawn, Look, drawing, looks, message
from fslib.run.artefacts import EVERY, read_any
from fslib.run.forks import forked
from fslib.run.forms import form
from fslib.run.numbers import count
from fslib.run.roles import ALL_FEATURES

_MOST_FEATURES = 30

#: Functions that draw a figure of each data set, and of all, in the order of a page: the part of
#: the page that the figure belongs to, and its caption. A fingerprint does not cover docstrings.
_OF_A_DATASET: dict[Callable[..., Figure | None], tuple[str, str]] = {}
_OF_ALL_DATASETS: dict[Callable[..., Figure | None], tuple[str, str]] = {}


def _figure(kind: dict, caption: str, section: str | None = None):
    """Register a function that draws; by default the figure is a part of the page by itself."""

    def register(draw):
        kind[draw] = section or draw.__name__, caption
        return draw

    return register


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
            for draw, (kind, caption) in _OF_A_DATASET.items():
                if (name := f"{kind}_{dataset}") not in names:
                    continue
                figure = draw(f"{dataset}: {kind}", own, look)
                figure = figure or message(f"{dataset}: no {kind} to show")
                caption = f"{dataset}: {caption.format(best=best)}"
                found[name] = Drawn(figure, caption, kind, dataset)
        for draw, (section, caption) in _OF_ALL_DATASETS.items():
            if (name := draw.__name__) not in names:
                continue
            figure = draw(tables, look) or message(f"no {name} to show: no method finished")
            found[name] = Drawn(figure, caption, section)
    return found


@_figure(_OF_A_DATASET, "{best}.")
def accuracy(title: str, own: dict, look: dict[str, Look]) -> Figure | None:
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


@_figure(_OF_A_DATASET, "stability of the selections against their size.")
def stability(title: str, own: dict, look: dict[str, Look]) -> Figure | None:
    measure = leading(own["stability"]["measure"].unique())
    known = own["stability"].filter(
        pl.col("measure").eq_missing(measure), pl.col("ratio") == pl.col("ratio").max(),
        # All features are the same set on every split: stable by definition, and no line to draw.
        pl.col("value").is_not_null(), pl.col("method") != ALL_FEATURES,
    )  # fmt: skip
    ends = pl.concat_list(pl.coalesce("low", "value"), "value", pl.coalesce("high", "value"))
    points = known.select(panel=pl.lit(""), label="method", x="k", y=ends).explode("y")
    figure = line_panels(
        title, points, look, ylabel=f"stability: {measure}", band="interval", log="x", height=2.6
    )
    if figure is not None:
        low, high = figure.axes[0].get_ylim()
        figure.axes[0].set_ylim(min(-0.05, low), max(1.02, min(high, 1.1)))
    return figure


@_figure(_OF_A_DATASET, "how often the recommended features were chosen, best feature first.")
def features(title: str, own: dict, look: dict[str, Look]) -> Figure | None:
    chosen = own["selected_features"].drop_nulls("frequency").head(_MOST_FEATURES)
    shares = dict(chosen.select("name", "frequency").rows())
    return bars(title, shares, xlabel="share of splits that chose it")


@_figure(
    _OF_ALL_DATASETS,
    "Mean accuracy and mean stability against the time of one selection: better is up and to the "
    "left. A hollow mark is a method without a result on some data set.",
    section="cost",
)
def tradeoff(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure | None:
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


@_figure(
    _OF_ALL_DATASETS,
    "Mean ranks, best on the left. A bar joins methods that are not significantly apart.",
    section="ranking",
)
def critical_difference(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    friedman = tables["friedman"].row(0, named=True)
    if friedman["critical_difference"] is None:
        return message(friedman["note"])
    ranked = tables["ranks"].drop_nulls("mean_rank").select("method", "mean_rank")
    return critical_difference_diagram(dict(ranked.rows()), friedman["critical_difference"])


@_figure(
    _OF_ALL_DATASETS,
    "Rank on each data set (dots, darker where several) and the mean (bar).",
    section="ranking",
)
def ranks(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure | None:
    ranked = tables["ranks"].drop_nulls("mean_rank").select("method")
    single = tables["scores"].filter(pl.col("classifier") == EVERY).drop_nulls("rank")
    points = ranked.join(single, on="method", maintain_order="left")
    points = points.select(panel=pl.lit(""), label="method", x="rank")
    title = "Ranks on the data sets and their mean"
    return rank_rows(title, points, look, xlabel="rank, 1 is best")


@_figure(
    _OF_ALL_DATASETS,
    "How far each method stays behind the most accurate one of each data set.",
    section="ranking",
)
def heat(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure | None:
    known = tables["scores"].filter(pl.col("classifier") == EVERY, is_competitor())
    behind = known.drop_nulls("accuracy").with_columns(
        behind=100 * (pl.col("accuracy") - pl.col("accuracy").max().over("dataset"))
    )
    wide = behind.pivot("dataset", index="method", values="behind")
    order = pl.DataFrame({"method": list(look)}, schema={"method": pl.String})
    table = order.join(wide, on="method", maintain_order="left")
    title = "Points of accuracy behind the best"
    return heat_map(title, table, label="percentage points", best=0)
