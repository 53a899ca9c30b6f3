"""Panels that seaborn draws, one below the other: curves, values by category, bars, heat maps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import polars as pl
import seaborn as sns
from matplotlib.artist import setp
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from fslib.figures.colours import CROWD, INK, PAPER, WIDTH
from fslib.figures.style import YARDSTICKS, Look, looks, method_mark, short
from fslib.run.forms import form
from fslib.run.roles import COMPETITOR

#: The middle, lower and upper end of what is drawn of several values at one x, by name of the band.
#: Of an interval three values are given: low, middle, high.
_MEAN, _DEVIATION = pl.col("y").mean(), pl.col("y").std()
_BANDS = {
    "sd": (_MEAN, _MEAN - _DEVIATION, _MEAN + _DEVIATION),
    "se": (_MEAN, _MEAN - _DEVIATION / pl.len().sqrt(), _MEAN + _DEVIATION / pl.len().sqrt()),
    "interval": (pl.col("y").median(), pl.col("y").min(), pl.col("y").max()),
}


def points(panel: str, label: str, x: Sequence[float], y) -> pl.DataFrame:
    """One curve of a panel; ``y`` has a value for each x, or a row of them for each repeat."""
    y = np.atleast_2d(np.asarray(y, dtype=float))
    known = {"x": np.tile(np.asarray(x, dtype=float), len(y)), "y": y.ravel()}
    return pl.DataFrame(known).select(panel=pl.lit(panel), label=pl.lit(label), x="x", y="y")


def curves(panel: str, rows: pl.DataFrame, names: Mapping[str, str], y: str) -> pl.DataFrame:
    """Curves y(k) of the methods that the rows have, under their names and in the names' order."""
    order = pl.DataFrame({"method": list(names), "label": list(names.values())})
    known = order.join(rows, on="method", maintain_order="left_right")
    return known.select(panel=pl.lit(panel), label="label", x=pl.col("k").cast(float), y=y)


def line_panels(
    title: str,
    points: pl.DataFrame | Sequence[pl.DataFrame],
    look: Mapping[str, Look] | None = None,
    *,
    xlabel: str = "number of features",
    ylabel: str = "",
    band: str | None = None,
    log: str = "",
    height: float = 1.75,
) -> Figure | None:
    """A panel for each ``panel`` of the points, in it a curve y(x) for each ``label``.

    The points are a frame, or several frames one below the other. Several values at one x are drawn
    as their mean; with a ``band`` around it, but for labels that stay in the background, of a
    standard deviation ("sd"), of a standard error ("se"), or of an "interval". The axes named in
    ``log`` are logarithmic, "xy" both. Without points there is no figure.
    """
    frames = [points] if isinstance(points, pl.DataFrame) else points
    if not any(map(len, frames)):
        return None
    points = pl.concat(frames)
    look = look or _looks(points["label"])
    figure, panels = _stacked(title, points.drop_nulls("y"), height, look)
    for axes, here in panels:
        _curves(axes, here, look, band)
        axes.yaxis.set_major_locator(MaxNLocator(5))
        if "x" in log:
            _log_axis(axes, here["x"])
        if "y" in log:
            axes.set_yscale("log")
    return _labelled(figure, xlabel, ylabel)


def _curves(axes: Axes, points: pl.DataFrame, look: Mapping[str, Look], band: str | None) -> None:
    """The curve of each label, and the band of those in front."""
    middle, low, high = _BANDS[band or "sd"]
    means = points.group_by("label", "x").agg(y=middle, low=low, high=high).sort("x")
    # Back to front: the best method is drawn last.
    present = set(means["label"])
    shown = sorted((m for m in reversed(look) if m in present), key=lambda m: look[m].front)
    # Seaborn's own means and bands, and its grouping by style, take several times as long.
    sns.lineplot(
        pandas(means), x="x", y="y", hue="label", hue_order=shown,
        palette={m: look[m].colour for m in shown}, estimator=None, legend=False, ax=axes,
        markeredgewidth=0.4, markeredgecolor=PAPER,
    )  # fmt: skip
    for line, method in zip(axes.lines, shown, strict=True):
        style = look[method]
        line.set(linestyle=style.line, linewidth=1.6 if style.front else 1.0)
        line.set(gid=method_mark(method), marker=style.marker if style.front else "")
        line.set_markevery(_between_marks(len(line.get_xdata())))
        if style.front and band:
            x, low, high = means.filter(label=method).select("x", "low", "high").fill_null(math.nan)
            shade = axes.fill_between(x, low, high, color=style.colour, alpha=0.12, linewidth=0)
            shade.set_gid(method_mark(method, "band"))


def _between_marks(n_points: int) -> int:
    """Every point has a mark, but on long curves about thirty do: more run into one another."""
    return 1 if n_points <= 60 else math.ceil(n_points / 30)


def dot_panels(
    title: str, points: pl.DataFrame, *, xlabel: str, reference: Mapping[str, float] | None = None
) -> Figure | None:
    """A panel for each ``panel`` with a row per ``category`` and in it a mark x per ``label``.

    ``reference`` has a value for each panel (or zero), drawn as a vertical line.
    """
    if points.is_empty():
        return None
    look = _looks(points["label"])
    rows = points.group_by("panel", maintain_order=True).agg(pl.col("category").n_unique())
    heights = [0.45 + max(0.17, 0.06 * len(look)) * n for n in rows["category"]]
    figure, panels = _stacked(title, points, heights, look, lines=False)
    for axes, here in panels:
        categories = here["category"].unique(maintain_order=True).to_list()
        sns.pointplot(
            pandas(here), x="x", y="category", order=categories, hue="label", hue_order=list(look),
            palette=[style.colour for style in look.values()], linestyle="none", errorbar=None,
            markers=[style.marker for style in look.values()], dodge=len(look) > 1 and 0.5,
            markersize=5, markeredgecolor=PAPER, markeredgewidth=0.4, legend=False, ax=axes,
        )  # fmt: skip
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_yticks(range(len(categories)), map(short, categories))
        axes.axvline((reference or {}).get(here["panel"][0], 0.0), color=INK, linewidth=1, zorder=1)
    return _labelled(figure, xlabel)


def scatter_panels(
    title: str, points: pl.DataFrame, look: Mapping[str, Look], *, xlabel: str
) -> Figure | None:
    """A panel for each ``panel``, a mark at (x, y) for each ``label``, a line for yardsticks.

    A mark that is not ``whole`` is hollow.
    """
    if points.is_empty():
        return None
    figure, panels = _stacked(title, points, 2.1, look, lines=False)
    for axes, here in panels:
        for row in reversed(here.rows(named=True)):
            style = look[row["label"]]
            fill, edge = (style.colour, PAPER) if row["whole"] else (PAPER, style.colour)
            if style.role != COMPETITOR:
                axes.axhline(row["y"], color=style.colour, linestyle=style.line, linewidth=1.2)
                continue
            sns.scatterplot(
                x=[row["x"]], y=[row["y"]], marker=style.marker, s=55 if style.front else 40,
                color=fill, edgecolor=edge, linewidth=0.6 if row["whole"] else 1.3, legend=False,
                ax=axes, gid=method_mark(row["label"]),
            )  # fmt: skip
        axes.set_xscale("log")
        axes.yaxis.set_major_locator(MaxNLocator(5))
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 100 else (1,)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: form(value, "seconds")))
        axes.margins(0.08, 0.12)
    return _labelled(figure, xlabel)


def rank_rows(
    title: str, points: pl.DataFrame, look: Mapping[str, Look], *, xlabel: str
) -> Figure | None:
    """A row per ``label``, in the order of their coming: every x as a dot, their mean as a bar."""
    names = points["label"].unique(maintain_order=True).to_list()
    if not names:
        return None
    figure, [(axes, _)] = _stacked(title, points, 0.3 + 0.22 * len(names), {})
    common = {"x": "x", "y": "label", "order": names, "hue": "label", "hue_order": names}
    common |= {"palette": [look[name].colour for name in names], "legend": False, "ax": axes}
    sns.stripplot(pandas(points), jitter=False, alpha=0.5, size=5, linewidth=0, **common)
    sns.pointplot(
        pandas(points), errorbar=None, linestyle="none", marker="|", markersize=11,
        markeredgewidth=3, **common,
    )  # fmt: skip
    _methods_below(axes, names)
    for name, *marks in zip(names, axes.collections, axes.lines, strict=False):
        setp(marks, gid=method_mark(name))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    return _labelled(figure, xlabel)


def heat_map(title: str, table: pl.DataFrame, *, label: str, best: float) -> Figure | None:
    """Rows of methods, columns of numbers: the colour tells how far a number is from ``best``."""
    names, columns = table.to_series(0).to_list(), table.columns[1:]
    if not columns:
        return None
    values = table.select(pl.col(columns).cast(pl.Float64)).to_numpy()
    width = max(WIDTH, 1.7 + 0.42 * len(columns))
    figure = Figure(figsize=(width, 2 + 0.21 * len(names)), layout="constrained")
    figure.suptitle(short(title, 60), x=0.01, ha="left")
    axes = figure.subplots()
    sns.heatmap(
        # Zero is added against minus zeros.
        values, annot=values.round(1) + 0.0, fmt=".1f", cmap="crest", ax=axes,
        vmax=best, vmin=min(best - 1, float(np.nanquantile(values, 0.05))), mask=np.isnan(values),
        linewidths=0.5, linecolor=PAPER, annot_kws={"size": 8},
        cbar_kws={"label": label, "shrink": 0.8},
        xticklabels=[short(c, 14) for c in columns],
    )  # fmt: skip
    for text in axes.texts:
        # The page swaps plain white for its own ground; figures in cells keep their colour.
        text.set_color("#fefefe" if text.get_color() == "w" else "#151515")
    _methods_below(axes, names, 0.5)
    axes.tick_params(axis="x", length=0, labelcolor=INK)
    axes.set_xticks(axes.get_xticks(), axes.get_xticklabels(), rotation=40, ha="right",
                    rotation_mode="anchor")  # fmt: skip
    axes.grid(visible=False)
    return figure


def bars(title: str, values: Mapping[str, float], *, xlabel: str) -> Figure | None:
    """A horizontal bar from 0 to 1 for each name."""
    if not values:
        return None
    points = pl.DataFrame({"panel": "", "x": values.values(), "name": list(values)})
    figure, [(axes, _)] = _stacked(title, points, 0.3 + 0.2 * len(values), {})
    sns.barplot(pandas(points), x="x", y="name", color="#0072b2", ax=axes, width=0.7)
    axes.set_yticks(range(len(values)), map(short, values), color=INK)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
    axes.grid(visible=False, axis="y")
    return _labelled(figure, xlabel)


def _methods_below(axes: Axes, names: list[str], middle: float = 0.0) -> None:
    """A row for each method, with its name at the side."""
    axes.set_yticks(np.arange(len(names)) + middle, [short(name) for name in names], color=INK)
    for tick, name in zip(axes.get_yticklabels(), names, strict=True):
        tick.set_gid(method_mark(name))
    axes.tick_params(axis="y", length=0, rotation=0)
    axes.grid(visible=False, axis="y")


def pandas(frame: pl.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(frame.to_dict(as_series=False))


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


def _stacked(title: str, points: pl.DataFrame, heights, look: Mapping[str, Look], lines=True):
    """A figure with a panel below the other (heights in inches): each panel's axes and points."""
    parts = [part for _, part in points.group_by("panel", maintain_order=True)]
    heights = heights if isinstance(heights, list) else [heights] * len(parts)
    styles = [style for name, style in look.items() if name in set(points["label"])]
    handles = [_key(style, lines) for style in styles if style.front]
    crowd = sum(style.colour == CROWD for style in styles)
    if crowd:
        handles.append(_key(Look(f"{crowd} lower-ranked methods", CROWD, front=False), lines))
    handles += [_key(style, True) for style in styles if style.role != COMPETITOR]
    height = 0.8 + sum(heights) + 0.3 * len(parts)
    legend = 0.19 * math.ceil(len(handles) / 2) + 0.1 * bool(handles)
    figure = Figure(figsize=(WIDTH, height + legend), layout="constrained")
    figure.suptitle(short(title, 48), x=0.01, ha="left")
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=2)
    below = figure.subplots(len(parts), squeeze=False, height_ratios=heights)[:, 0]
    for axes, part in zip(below, parts, strict=True):
        axes.set_title(short(part["panel"][0], 60))
    return figure, list(zip(below, parts, strict=True))


def _labelled(figure: Figure, xlabel: str, ylabel: str = "") -> Figure:
    """The figure with the labels of its axes; of panels below each other the last has one for x."""
    for axes in figure.axes:
        axes.set(xlabel="", ylabel=ylabel)
    figure.axes[-1].set_xlabel(xlabel)
    return figure


def _key(style: Look, line: bool) -> Line2D:
    """A legend entry."""
    marker = style.marker if style.front or not line else ""
    return Line2D(
        [], [], color=style.colour, label=style.label, linestyle=style.line if line else "",
        marker=marker, markeredgecolor=PAPER, markeredgewidth=0.4,
    )  # fmt: skip
