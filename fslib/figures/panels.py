"""Panels that seaborn draws, one below the other: curves, values by category, bars, heat maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import polars as pl
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fslib.figures.style import (
    CROWD,
    INK,
    PAPER,
    WIDTH,
    YARDSTICKS,
    Look,
    looks,
    method_mark,
    short,
)
from fslib.run.numbers import form
from fslib.run.roles import COMPETITOR

#: Error bars of points that are given as three values at each x: low, middle, high.
INTERVAL = ("pi", 100)


def points(panel: str, label: str, x: Sequence[float], y) -> pl.DataFrame:
    """One curve of a panel; ``y`` has a value for each x, or a row of them for each repeat."""
    y = np.atleast_2d(np.asarray(y, dtype=float))
    known = {"x": np.tile(np.asarray(x, dtype=float), len(y)), "y": y.ravel()}
    return pl.DataFrame(known).select(panel=pl.lit(panel), label=pl.lit(label), x="x", y="y")


def line_panels(
    title: str,
    points: pl.DataFrame | Sequence[pl.DataFrame],
    look: Mapping[str, Look] | None = None,
    *,
    xlabel: str = "number of features",
    ylabel: str = "",
    errorbar: str | tuple | None = None,
    log: str = "",
    height: float = 1.75,
) -> Figure:
    """A panel for each ``panel`` of the points, in it a curve y(x) for each ``label``.

    The points are a frame, or several frames one below the other. Several values at one x are drawn
    as their mean with seaborn's ``errorbar`` around it, but for labels that stay in the background.
    The axes named in ``log`` are logarithmic, "xy" both.
    """
    if not isinstance(points, pl.DataFrame):
        points = pl.concat(points)
    look = look or _looks(points["label"])
    points = points.drop_nulls("y")
    figure, all_axes = _stacked(title, points["panel"], height, look)
    for axes, (name, here) in zip(all_axes, _parts(points), strict=True):
        middle = pl.col("y").median() if errorbar == INTERVAL else pl.col("y").mean()
        behind = here.group_by("label", "x", maintain_order=True).agg(middle)
        # Back to front: the best method is drawn last.
        present = [m for m in reversed(look) if m in set(here["label"])]
        for front in (False, True):
            bar = errorbar if front else None
            shown = [m for m in present if look[m].front == front]
            if shown:
                _curves(axes, here if bar else behind, look, shown, bar)
        axes.set_title(short(name, 60))
        axes.set(xlabel="", ylabel=ylabel)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        if "x" in log:
            _log_axis(axes, here["x"])
        if "y" in log:
            axes.set_yscale("log")
    all_axes[-1].set_xlabel(xlabel)
    return figure


def _curves(axes: Axes, rows: pl.DataFrame, look, shown: list[str], errorbar) -> None:
    sns.lineplot(
        pandas(rows.filter(pl.col("label").is_in(shown))), x="x", y="y",
        hue="label", hue_order=shown, palette={m: look[m].colour for m in shown},
        style="label", style_order=shown, dashes={m: look[m].dashes for m in shown},
        markers={m: look[m].marker for m in shown} if look[shown[0]].front else False,
        estimator="median" if errorbar == INTERVAL else "mean" if errorbar else None,
        errorbar=errorbar, err_kws={"alpha": 0.12, "linewidth": 0}, legend=False, ax=axes,
        linewidth=1.6 if look[shown[0]].front else 1.0, markeredgewidth=0.4,
    )  # fmt: skip
    for line, method in zip(axes.lines[-len(shown) :], shown, strict=True):
        line.set_gid(method_mark(method))
    for band, method in zip(axes.collections, shown, strict=bool(errorbar)):
        band.set_gid(method_mark(method, "band"))


def dot_panels(
    title: str, points: pl.DataFrame, *, xlabel: str, reference: Mapping[str, float]
) -> Figure:
    """A panel for each ``panel`` with a row per ``category`` and in it a mark x per ``label``.

    ``reference`` has a value for each panel, drawn as a vertical line.
    """
    look = _looks(points["label"])
    rows = {name: list(dict.fromkeys(here["category"])) for name, here in _parts(points)}
    each = max(0.17, 0.06 * len(look))
    heights = [0.45 + each * len(categories) for categories in rows.values()]
    figure, all_axes = _stacked(title, points["panel"], heights, look, lines=False)
    for axes, (name, here) in zip(all_axes, _parts(points), strict=True):
        sns.pointplot(
            pandas(here), x="x", y="category", order=rows[name], hue="label", hue_order=list(look),
            palette=[style.colour for style in look.values()], linestyle="none", errorbar=None,
            markers=[style.marker for style in look.values()], dodge=len(look) > 1 and 0.5,
            markersize=5, markeredgecolor=PAPER, markeredgewidth=0.4, legend=False, ax=axes,
        )  # fmt: skip
        axes.set_title(short(name, 60))
        axes.set(xlabel="", ylabel="")
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_yticks(range(len(rows[name])), [short(row) for row in rows[name]])
        axes.axvline(reference[name], color=INK, linewidth=1, zorder=1)
    all_axes[-1].set_xlabel(xlabel)
    return figure


def scatter_panels(title: str, points: pl.DataFrame, look: Mapping[str, Look], *, xlabel: str):
    """A panel for each ``panel``, a mark at (x, y) for each ``label``, a line for yardsticks.

    A mark that is not ``whole`` is hollow.
    """
    figure, all_axes = _stacked(title, points["panel"], 2.1, look, lines=False)
    for axes, (name, here) in zip(all_axes, _parts(points), strict=True):
        for method in [m for m in reversed(look) if m in set(here["label"])]:
            row, style = here.row(by_predicate=pl.col("label") == method, named=True), look[method]
            fill, edge = (style.colour, PAPER) if row["whole"] else (PAPER, style.colour)
            if style.role != COMPETITOR:
                axes.axhline(row["y"], color=style.colour, linestyle=style.line, linewidth=1.2)
                continue
            sns.scatterplot(
                x=[row["x"]], y=[row["y"]], marker=style.marker, s=55 if style.front else 40,
                color=fill, edgecolor=edge, linewidth=0.6 if row["whole"] else 1.3, legend=False,
                ax=axes,
            )  # fmt: skip
            axes.collections[-1].set_gid(method_mark(method))
        axes.set(xlabel="", ylabel=name, xscale="log")
        axes.yaxis.set_major_locator(MaxNLocator(5))
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: form(value, "seconds")))
        axes.margins(0.08, 0.12)
    all_axes[-1].set_xlabel(xlabel)
    return figure


def rank_rows(title: str, points: pl.DataFrame, look: Mapping[str, Look], *, xlabel: str) -> Figure:
    """A row per ``label``, in the order of their coming: every x as a dot, their mean as a bar."""
    names = points["label"].unique(maintain_order=True).to_list()
    colours = [look[name].colour for name in names]
    figure, (axes,) = _stacked(title, ["ranks"], 0.3 + 0.22 * len(names), {})
    common = {"x": "x", "y": "label", "order": names, "hue": "label", "hue_order": names}
    common |= {"palette": colours, "legend": False, "ax": axes}
    sns.stripplot(pandas(points), jitter=False, alpha=0.5, size=5, linewidth=0, **common)
    sns.pointplot(
        pandas(points), errorbar=None, linestyle="none", marker="|", markersize=11,
        markeredgewidth=3, **common,
    )  # fmt: skip
    axes.set_yticks(range(len(names)), [short(name, 22) for name in names], color=INK)
    for name, dots, mean, tick in zip(
        names, axes.collections, axes.lines, axes.get_yticklabels(), strict=False
    ):
        for artist in (dots, mean, tick):
            artist.set_gid(method_mark(name))
    axes.set(xlabel=xlabel, ylabel="")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.grid(visible=False, axis="y")
    return figure


def heat_map(title: str, table: pl.DataFrame, *, label: str, best: float) -> Figure:
    """Rows of methods, columns of numbers: the colour tells how far a number is from ``best``."""
    names, columns = table.to_series(0).to_list(), table.columns[1:]
    values = table.select(pl.col(columns).cast(pl.Float64)).to_numpy()
    width = max(WIDTH, 1.7 + 0.42 * len(columns))
    figure = Figure(figsize=(width, 2 + 0.21 * len(names)), layout="constrained")
    figure.suptitle(short(title, 60), x=0.01, ha="left")
    axes = figure.subplots()
    sns.heatmap(
        values, annot=True, fmt=".1f", cmap="crest", ax=axes, linewidths=0.5, linecolor=PAPER,
        vmax=best, vmin=min(best - 1, float(np.nanquantile(values, 0.05))), mask=np.isnan(values),
        cbar_kws={"label": label, "shrink": 0.8}, annot_kws={"size": 8},
        xticklabels=[short(c, 14) for c in columns], yticklabels=[short(n, 22) for n in names],
    )  # fmt: skip
    for text in axes.texts:
        # The page swaps plain white for its own ground; figures in cells keep their colour.
        text.set_color("#fefefe" if text.get_color() == "w" else "#151515")
    for tick, name in zip(axes.get_yticklabels(), names, strict=True):
        tick.set_gid(method_mark(name))
    axes.tick_params(axis="x", rotation=40, length=0, labelcolor=INK)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    for tick in axes.get_xticklabels():
        tick.set(ha="right", rotation_mode="anchor")
    axes.grid(visible=False)
    return figure


def bars(title: str, values: Mapping[str, float], *, xlabel: str) -> Figure:
    """A horizontal bar from 0 to 1 for each name."""
    figure, (axes,) = _stacked(title, ["bars"], 0.3 + 0.2 * len(values), {})
    sns.barplot(x=list(values.values()), y=list(values), color="#0072b2", ax=axes, width=0.7)
    axes.set_yticks(range(len(values)), [short(name) for name in values], color=INK)
    axes.set(xlabel=xlabel, ylabel="", xlim=(0, 1))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
    axes.grid(visible=False, axis="y")
    return figure


def pandas(frame: pl.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(frame.to_dict(as_series=False))


def _parts(points: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    return [(name, part) for (name,), part in points.group_by("panel", maintain_order=True)]


def _looks(labels: Iterable[str]) -> dict[str, Look]:
    names = list(dict.fromkeys(labels))
    # Papers label the lines of yardsticks by their roles.
    roles = [name if name in YARDSTICKS else COMPETITOR for name in names]
    found = looks(pl.DataFrame({"method": names, "role": roles}))
    if any(look.colour == CROWD for look in found.values()):
        # More than there are colours: the values of a setting, from its least to its greatest.
        shades = sns.color_palette("viridis", len(found)).as_hex()
        return {m: Look(s.label, c) for (m, s), c in zip(found.items(), shades, strict=True)}
    return found


def _log_axis(axes: Axes, sizes: Sequence[float]) -> None:
    """A logarithmic axis that names values that were measured, as many as there is room for."""
    sizes = np.unique(sizes)
    ticks: list[float] = []
    for size in sizes:
        if not ticks or math.log(size / ticks[-1]) > math.log(sizes[-1] / sizes[0]) / 9:
            ticks.append(size)
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    if len(sizes) == 1:
        axes.set_xlim(sizes[0] / 2, sizes[0] * 2)


def _stacked(title, panels: Iterable[str], heights, look: Mapping[str, Look], lines=True):
    """A figure with a panel below the other (heights in inches), title, legend, and the axes."""
    n = len(dict.fromkeys(panels))
    heights = [heights] * n if isinstance(heights, float) else heights
    handles = [_key(style, lines) for style in look.values() if style.front]
    crowd = [s for s in look.values() if s.colour == CROWD]
    if crowd:
        name = f"{len(crowd)} lower-ranked methods"
        handles.append(_key(Look(name, CROWD, COMPETITOR, ".", False), lines))
    handles += [_key(style, True) for style in look.values() if style.role != COMPETITOR]
    legend = 0.19 * math.ceil(len(handles) / 2) + 0.1 * bool(handles)
    figure = Figure(figsize=(WIDTH, 0.8 + sum(heights) + 0.3 * n + legend), layout="constrained")
    figure.suptitle(short(title, 48), x=0.01, ha="left")
    grid = figure.add_gridspec(n, 1, height_ratios=heights)
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=2)
    return figure, [figure.add_subplot(cell) for cell in grid]


def _key(style: Look, line: bool) -> Line2D:
    """A legend entry."""
    marker = style.marker if style.front or not line else ""
    return Line2D(
        [], [], color=style.colour, label=style.label, linestyle=style.line if line else "",
        marker=marker, markeredgecolor=PAPER, markeredgewidth=0.4,
    )  # fmt: skip
