"""The figures of a study with their captions, drawn from the tables of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from fslib.compare.labels import is_competitor, own_name
from fslib.compare.statistics import groups_within
from fslib.evaluate.classifier import CLASSIFIERS
from fslib.figures.files import Drawn, write_drawn
from fslib.figures.style import (
    CROWD,
    INK,
    MUTED,
    PAPER,
    WIDTH,
    Look,
    drawing,
    looks,
    message,
    short,
)
from fslib.run.artefacts import EVERY, read_any
from fslib.run.numbers import count, duration, form
from fslib.run.roles import ALL_FEATURES


def write_figures(
    tables: Mapping[str, str], folder: str, listing: str, *, datasets: list[str]
) -> None:
    """Draw the figures of a study from the files of its tables."""
    frames = {name: read_any(path) for name, path in tables.items()}
    write_drawn(figures(frames, datasets), folder, listing)


def figures(tables: dict[str, pl.DataFrame], datasets: list[str]) -> dict[str, Drawn]:
    """Every figure of a study; where there is nothing to draw the figure says so."""
    look = looks(tables["ranks"])
    found = {}
    with drawing():
        for dataset in datasets:
            here = pl.col("dataset") == dataset
            found[f"accuracy_{dataset}"] = Drawn(
                accuracy_figure(dataset, tables["curves"].filter(here), look),
                _accuracy_caption(dataset, tables["scores"].filter(here)),
                "accuracy",
            )
        for dataset in datasets:
            found[f"stability_{dataset}"] = Drawn(
                stability_figure(
                    dataset, tables["stability"].filter(pl.col("dataset") == dataset), look
                ),
                f"{dataset}: stability of the selections against their size.",
                "stability",
            )
        found["tradeoff"] = Drawn(
            tradeoff_figure(tables, look),
            "Mean accuracy and mean stability against the time of one selection: better is up and "
            "to the left.",
            "cost",
        )
        found["critical_difference"] = Drawn(
            critical_difference_figure(tables["ranks"], tables["friedman"].row(0, named=True)),
            "Mean ranks, best on the left. A bar joins methods that are not significantly apart.",
            "ranking",
        )
        found["ranks"] = Drawn(
            ranks_figure(tables["scores"], tables["ranks"], look),
            "Rank on each data set (dots, larger where several) and the mean.",
            "ranking",
        )
    return found


def _accuracy_caption(dataset: str, scores: pl.DataFrame) -> str:
    best = scores.filter(
        pl.col("classifier") == EVERY, is_competitor(), pl.col("accuracy").is_not_null()
    ).head(1)
    if best.is_empty():
        return f"{dataset}: no method finished."
    row = best.row(0, named=True)
    return (
        f"{dataset}: {row['method']} has the highest mean accuracy, "
        f"{form(row['accuracy'], 'percent')}, and reaches "
        f"{form(row['best_accuracy'], 'percent')} with {count(row['best_k'], 'feature')}."
    )


def accuracy_figure(dataset: str, curves: pl.DataFrame, look: dict[str, Look]) -> Figure:
    """Accuracy against the number of features, a panel per classifier, ± one deviation."""
    if curves.is_empty():
        return message(f"{short(dataset)}: no method finished, no accuracy to show")
    classifiers = [c for c in curves["classifier"].unique().sort() if c != EVERY]
    lines = (
        curves.group_by("classifier", "method", "k")
        .agg(pl.col("accuracy").mean().alias("value"), pl.col("accuracy").std().alias("sd"))
        .with_columns(low=pl.col("value") - pl.col("sd"), high=pl.col("value") + pl.col("sd"))
    )
    panels = [(CLASSIFIERS[c].title, lines.filter(pl.col("classifier") == c)) for c in classifiers]
    return _line_panels(f"{short(dataset)}: accuracy", panels, look, "accuracy")


def stability_figure(dataset: str, stability: pl.DataFrame, look: dict[str, Look]) -> Figure:
    """Nogueira's stability against the number of features with its interval."""
    lines = stability.filter(
        pl.col("measure") == "nogueira", pl.col("value").is_not_null(), pl.col("ratio").max()
        == pl.col("ratio"),
    )  # fmt: skip
    # All features are the same set on every split: stable by definition, and no line to draw.
    lines = lines.filter(pl.col("method") != ALL_FEATURES)
    if lines.is_empty():
        return message(f"{short(dataset)}: no stability to show")
    figure = _line_panels(f"{short(dataset)}: stability", [("", lines)], look, "stability", 2.6)
    axes = figure.axes[0]
    axes.set_ylim(min(-0.05, axes.get_ylim()[0]), max(1.02, min(axes.get_ylim()[1], 1.1)))
    return figure


def _line_panels(title, panels, look: dict[str, Look], ylabel: str, height=1.75) -> Figure:
    present = set(pl.concat([lines.select("method") for _, lines in panels])["method"])
    handles = _legend_handles({m: style for m, style in look.items() if m in present})
    legend_height = 0.19 * math.ceil(len(handles) / 2) + 0.1
    total = 0.35 + len(panels) * height + 0.45 + legend_height
    figure = Figure(figsize=(WIDTH, total))
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.145, right=0.975, top=1 - 0.52 / total, bottom=(0.45 + legend_height) / total,
        hspace=0.3,
    )  # fmt: skip
    figure.text(0.02, 1 - 0.08 / total, title, va="top", weight="bold", size=11)
    for axes, (name, lines) in zip(all_axes, panels, strict=True):
        _draw_lines(axes, lines, look)
        axes.set_title(name, color=MUTED, weight="normal", size=9, pad=3)
        axes.set_ylabel(ylabel)
        axes.yaxis.set_major_locator(MaxNLocator(5))
    _size_axis(all_axes[-1], np.concatenate([lines["k"].to_numpy() for _, lines in panels]))
    all_axes[-1].set_xlabel("number of features")
    figure.legend(
        handles=handles, loc="lower left", ncols=2, bbox_to_anchor=(0.02, 0), handlelength=2.2,
        columnspacing=1.0, labelspacing=0.35, borderaxespad=0.2,
    )  # fmt: skip
    return figure


def _draw_lines(axes: Axes, lines: pl.DataFrame, look: dict[str, Look]) -> None:
    # Back to front: crowd, yardsticks, then the labelled methods with the best on top.
    order = sorted(
        (m for m in look if m in set(lines["method"])),
        key=lambda m: (look[m].front, look[m].colour == MUTED, -list(look).index(m)),
    )
    shade = 0.10 if sum(look[m].front for m in order) <= 6 else 0.05
    for method in order:
        style, line = look[method], lines.filter(pl.col("method") == method).sort("k")
        k = line["k"].to_numpy()
        if style.front and line["low"].null_count() < len(line):
            low, high = line["low"].to_numpy(), line["high"].to_numpy()
            axes.fill_between(k, low, high, color=style.colour, alpha=shade, linewidth=0)
        width = 1.6 if style.front else 1.3 if style.colour == MUTED else 0.9
        axes.plot(
            k, line["value"], **style.stroke, marker=style.marker, linewidth=width,
            markeredgecolor=PAPER, markeredgewidth=0.5,
        )  # fmt: skip


def _size_axis(axes: Axes, sizes: np.ndarray) -> None:
    """A logarithmic axis that names sizes that were measured, as many as there is room for."""
    sizes = np.unique(sizes)
    axes.set_xscale("log")
    ticks: list[int] = []
    for size in sizes:
        if not ticks or math.log(size / ticks[-1]) > math.log(sizes[-1] / sizes[0]) / 9:
            ticks.append(int(size))
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.minorticks_off()
    if len(sizes) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)


def _legend_handles(look: dict[str, Look]) -> list[Line2D]:
    handles = [
        Line2D(
            [], [], **s.stroke, marker=s.marker, label=s.label, markeredgecolor=PAPER,
            markeredgewidth=0.5,
        )
        for s in look.values()
        if s.front
    ]  # fmt: skip
    crowd = [s for s in look.values() if not s.front and s.colour != MUTED]
    if crowd:
        handles.append(
            Line2D([], [], color=CROWD, linewidth=0.9, label=f"{len(crowd)} lower-ranked methods")
        )
    handles += [
        Line2D([], [], **s.stroke, linewidth=1.3, label=s.label)
        for s in look.values()
        if s.colour == MUTED
    ]
    return handles


def tradeoff_figure(tables: dict[str, pl.DataFrame], look: dict[str, Look]) -> Figure:
    """Accuracy and stability against time, means over data sets.

    A hollow mark is a method without a result on some data set.
    """
    points = _tradeoff_points(tables).with_columns(
        pl.col("method").replace_strict({m: i for i, m in enumerate(look)}).alias("order")
    )
    if points.is_empty():
        return message("no method finished: no trade-off to show")
    styles = {m: s for m, s in look.items() if m in set(points["method"])}
    handles = [
        Line2D(
            [], [], linestyle="", color=h.get_color(), label=h.get_label(), markersize=6,
            marker="." if h.get_color() == CROWD else h.get_marker(),
        )
        for h in _legend_handles({m: s for m, s in styles.items() if s.colour != MUTED})
    ]  # fmt: skip
    legend_height = 0.19 * math.ceil((len(handles) + 1) / 2) + 0.15
    total = 4.6 + legend_height
    figure = Figure(figsize=(WIDTH, total))
    above, below = figure.subplots(2, 1, sharex=True)
    figure.subplots_adjust(
        left=0.145, right=0.975, top=1 - 0.5 / total, bottom=(0.45 + legend_height) / total,
        hspace=0.12,
    )  # fmt: skip
    figure.text(
        0.02, 1 - 0.08 / total, "Accuracy and stability against time", va="top", weight="bold",
        size=11,
    )  # fmt: skip
    for axes, measure in ((above, "accuracy"), (below, "stability")):
        for row in points.drop_nulls(measure).sort("order", descending=True).rows(named=True):
            style = styles[row["method"]]
            whole = row["complete"]
            if style.colour != MUTED:
                axes.plot(
                    row["seconds"], row[measure], linestyle="", marker=style.marker or ".",
                    markersize=8 if style.front else 5, color=style.colour,
                    markerfacecolor=style.colour if whole else PAPER,
                    markeredgecolor=PAPER if whole else style.colour,
                    markeredgewidth=0.6 if whole else 1.3,
                )  # fmt: skip
            elif whole:
                axes.axhline(row[measure], **style.stroke, linewidth=1.2, zorder=1)
                # All features and random often lie close: their names stand at opposite ends.
                end = 0.0 if row["method"] == ALL_FEATURES else 1.0
                axes.annotate(
                    style.label, (end, row[measure]), xycoords=("axes fraction", "data"),
                    xytext=(3 - 6 * end, 1), textcoords="offset points", va="bottom",
                    ha="right" if end else "left", size=7.5, color=MUTED,
                )  # fmt: skip
        axes.set_ylabel(f"mean {measure}")
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.margins(0.08, 0.12)
    below.set_xscale("log")
    below.minorticks_off()
    low, high = below.get_xlim()
    below.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
    below.xaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value)))
    below.set_xlabel("time of one selection (geometric mean over data sets)")
    if not points["complete"].all():
        handles.append(
            Line2D([], [], linestyle="", marker="o", color=MUTED, markerfacecolor=PAPER,
                   label="hollow: not on every data set")
        )  # fmt: skip
    figure.legend(
        handles=handles, loc="lower left", ncols=2, bbox_to_anchor=(0.02, 0), handletextpad=0.2,
        columnspacing=1.0, labelspacing=0.35, borderaxespad=0.2,
    )  # fmt: skip
    return figure


def _tradeoff_points(tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Mean accuracy, stability and time per label; the fastest of identical methods counts."""
    seconds = (
        tables["cost"]
        .join(
            tables["methods"].select(own_name().alias("method"), "label").unique(),
            on="method",
        )
        .group_by("dataset", "label")
        .agg(pl.col("wall_seconds").min())
        .group_by(pl.col("label").alias("method"))
        .agg(pl.col("wall_seconds").clip(1e-6).log().mean().exp().alias("seconds"))
    )
    overall = tables["scores"].filter(pl.col("classifier") == EVERY)
    accuracy = overall.group_by("method").agg(
        pl.col("accuracy").mean(),
        (pl.col("accuracy").count() == overall["dataset"].n_unique()).alias("complete"),
    )
    stability = (
        tables["stability"]
        .filter(pl.col("measure") == "nogueira", pl.col("method") != ALL_FEATURES)
        .group_by("method", "dataset")
        .agg(pl.col("value").mean())
        .group_by("method")
        .agg(pl.col("value").mean().alias("stability"))
    )
    return (
        accuracy.drop_nulls("accuracy")
        .join(seconds, on="method")
        .join(stability, on="method", how="left")
        .sort("method")
    )


def critical_difference_figure(ranks: pl.DataFrame, friedman: dict) -> Figure:
    """Demšar's diagram: mean ranks on a line; a bar joins methods not significantly apart."""
    if friedman["critical_difference"] is None:
        return message(friedman["note"])
    ranked = ranks.drop_nulls("mean_rank")
    means = ranked["mean_rank"].to_numpy()
    names = ["\n= ".join(short(p, 18) for p in m.split(" = ")) for m in ranked["method"]]
    n, cd = len(names), friedman["critical_difference"]
    groups = groups_within(means, cd)
    left = range(math.ceil(n / 2))
    right = range(n - 1, left[-1], -1)
    # Units of y are lines of text below the axis; the worst method is the first on the right.
    bars = 0.55 * len(groups) + 0.9
    place = {i: y for side in (left, right) for i, y in zip(side, _lines(names, side), strict=True)}
    depth = bars + max(y + names[i].count("\n") / 2 for i, y in place.items()) + 0.8
    height = _LINE * (depth + 3.8)
    figure = Figure(figsize=(WIDTH, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_ylim(depth, -3.8)
    # x is in inches; the scale of ranks gets the width that the names on both sides leave.
    margins = [
        0.2 + max((_text_width(names[i]) for i in side), default=0) for side in (left, right)
    ]
    axes.set_xlim(0, WIDTH)
    room = WIDTH - sum(margins)
    unit = min(room / (n - 1), (WIDTH - 0.3) / cd)
    origin = margins[0] + (room - unit * (n - 1)) / 2

    def x(rank):
        return origin + (rank - 1) * unit

    axes.plot([x(1), x(n)], [0, 0], color=INK, linewidth=1, solid_capstyle="butt")
    for tick in range(1, n + 1, math.ceil(0.22 / unit)):
        axes.plot([x(tick)] * 2, [0, -0.3], color=INK, linewidth=1)
        axes.text(x(tick), -0.4, str(tick), ha="center", va="bottom", size=8.5, color=MUTED)
    # The bar of the critical difference is centred over the scale, so that even a bar wider than
    # the scale stays in the picture.
    start = (x(1) + x(n) - cd * unit) / 2
    axes.plot([start, start + cd * unit], [-2.1, -2.1], color=INK, linewidth=1.4, gid="cd")
    for end in (start, start + cd * unit):
        axes.plot([end, end], [-1.85, -2.35], color=INK, linewidth=1)
    middle = (x(1) + x(n)) / 2
    axes.text(middle, -2.5, f"critical difference {cd:.2f}", ha="center", va="bottom", size=8.5)
    for level, (first, last) in enumerate(groups):
        ends = [x(means[first]) - 0.03, x(means[last]) + 0.03]
        y = 0.5 + 0.55 * level
        axes.plot(ends, [y, y], color="#0072b2", linewidth=3, solid_capstyle="butt")
    for i, mean in enumerate(means):
        y, on_left = bars + place[i], i in left
        side = x(1) - 0.1 if on_left else x(n) + 0.1
        axes.plot([x(mean), x(mean), side], [0, y, y], color=MUTED, linewidth=0.8, zorder=1)
        axes.text(
            side + (-0.04 if on_left else 0.04), y, names[i], va="center", size=8.5,
            ha="right" if on_left else "left", linespacing=1.15,
        )  # fmt: skip
    return figure


_LINE = 0.18


def _lines(names: list[str], side: range) -> list[float]:
    """Vertical positions, in lines of text, of one side's names; a name may have several lines."""
    heights, y = [], 0.0
    for i in side:
        extra = names[i].count("\n")
        heights.append(y + extra / 2)
        y += 1 + extra
    return heights


def _text_width(text: str) -> float:
    """Inches that a name of several lines needs."""
    return 0.075 * max(map(len, text.split("\n")))


def ranks_figure(scores: pl.DataFrame, ranks: pl.DataFrame, look: dict[str, Look]) -> Figure:
    """Each method's rank on every data set (dots) and their mean (bar)."""
    ranked = ranks.drop_nulls("mean_rank")
    if ranked.is_empty():
        return message("no ranks: no method can be ranked")
    single = scores.filter(pl.col("classifier") == EVERY).drop_nulls("rank")
    names = ranked["method"].to_list()
    height = 0.75 + 0.24 * len(names)
    figure = Figure(figsize=(WIDTH, height + 0.2))
    axes = figure.subplots()
    figure.subplots_adjust(
        left=0.4, right=0.97, top=1 - 0.38 / (height + 0.2), bottom=0.5 / (height + 0.2)
    )
    figure.text(
        0.02, 1 - 0.08 / (height + 0.2), "Ranks on the data sets and their mean", va="top",
        weight="bold", size=11,
    )  # fmt: skip
    for y, (name, mean) in enumerate(zip(names, ranked["mean_rank"], strict=True)):
        colour = look[name].colour if look[name].front else MUTED
        own = single.filter(pl.col("method") == name)["rank"].value_counts().sort("rank")
        axes.plot([mean, mean], [y - 0.32, y + 0.32], color=colour, linewidth=3.2)
        axes.scatter(
            own["rank"], [y] * len(own), s=16 * own["count"].to_numpy(), color=colour, alpha=0.6,
            linewidth=0, zorder=3,
        )  # fmt: skip
    axes.set_yticks(range(len(names)), [short(name, 22) for name in names], color=INK)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0.6, max(len(names), 2) + 0.4)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("rank, 1 is best")
    return figure
