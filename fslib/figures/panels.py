"""Figures that several papers have: curves in panels, and values by category."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from fslib.figures.style import INK, MUTED, PAPER, WIDTH, YARDSTICKS, Look, looks, short
from fslib.run.roles import COMPETITOR


@dataclass(frozen=True)
class Line:
    """One curve of a panel; ``spread`` is drawn as a band around it."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] | None = None


def line_panels(
    title: str,
    panels: Mapping[str, Sequence[Line]],
    xlabel: str = "number of features",
    ticks: Sequence[float] | None = None,
) -> Figure:
    """Panels of curves, one below the other, each with its name above and one legend for all.

    With ``ticks`` the x axis is logarithmic and the few points of the curves are marked.
    """
    look = _looks(line.label for lines in panels.values() for line in lines)
    figure, all_axes = _stacked(title, list(panels), [1.75] * len(panels), xlabel, look, True)
    for axes, lines in zip(all_axes, panels.values(), strict=True):
        for line in lines:
            style, x, y = look[line.label], np.asarray(line.x), np.asarray(line.y)
            if line.spread is not None:
                low, high = y - line.spread, y + np.asarray(line.spread)
                axes.fill_between(x, low, high, color=style.colour, alpha=0.2, linewidth=0)
            axes.plot(x, y, **style.stroke, linewidth=1.2, marker="" if ticks is None else "o")
        if ticks is not None:
            axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
    return figure


@dataclass(frozen=True)
class Dots:
    """One value per category, as a marker."""

    label: str
    values: Mapping[str, float]


def dot_panels(
    title: str,
    panels: Mapping[str, Sequence[Dots]],
    xlabel: str,
    reference: Mapping[str, float] | None = None,
) -> Figure:
    """Panels with a row per category and in it a marker per series.

    ``reference`` has a value for each panel, drawn as a vertical line.
    """
    look = _looks(dots.label for series in panels.values() for dots in series)
    categories = {
        name: list(dict.fromkeys(category for dots in series for category in dots.values))
        for name, series in panels.items()
    }
    row_height = max(0.17, 0.06 * len(look))
    heights = [0.45 + row_height * len(rows) for rows in categories.values()]
    figure, all_axes = _stacked(title, list(panels), heights, xlabel, look, False, left=0.3)
    for axes, (name, series) in zip(all_axes, panels.items(), strict=True):
        rows = categories[name]
        for i, dots in enumerate(series):
            style = look[dots.label]
            # Series are shifted, so that markers of equal values do not hide one another.
            aside = 0.18 * (i - (len(series) - 1) / 2)
            axes.plot(
                list(dots.values.values()), [rows.index(row) + aside for row in dots.values],
                linestyle="", marker=style.marker, color=style.colour, markersize=5.5,
                markeredgecolor=PAPER, markeredgewidth=0.4,
            )  # fmt: skip
        axes.set_yticks(range(len(rows)), [short(row) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        if reference:
            axes.axvline(reference[name], color=INK, linewidth=1, zorder=1)
    return figure


def _looks(labels) -> dict[str, Look]:
    names = list(dict.fromkeys(labels))
    # Papers label the lines of yardsticks by their roles.
    roles = [name if name in YARDSTICKS else COMPETITOR for name in names]
    return looks(pl.DataFrame({"method": names, "role": roles}))


def _stacked(title, names, heights, xlabel, look: Mapping[str, Look], curves: bool, left=0.145):
    """A figure with panels of these heights (in inches), title and legend, and their axes."""
    legend_height = 0.19 * math.ceil(len(look) / 2) + 0.1
    gap = 0.45
    total = 0.5 + sum(heights) + gap * (len(heights) - 1) + 0.45 + legend_height
    figure = Figure(figsize=(WIDTH, total))
    figure.text(0.02, 1 - 0.08 / total, title, va="top", weight="bold", size=11)
    grid = figure.add_gridspec(
        len(heights), 1, height_ratios=heights, left=left, right=0.975, top=1 - 0.5 / total,
        bottom=(0.45 + legend_height) / total, hspace=gap * len(heights) / sum(heights),
    )  # fmt: skip
    all_axes = [figure.add_subplot(cell) for cell in grid]
    for axes, name in zip(all_axes, names, strict=True):
        axes.set_title(name, color=MUTED, weight="normal", size=9, pad=3)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.yaxis.set_major_locator(MaxNLocator(5))
    all_axes[-1].set_xlabel(xlabel)
    handles = [
        Line2D(
            [], [], color=style.colour, linestyle=style.line if curves else "", label=style.label,
            marker="" if curves else style.marker,
        )
        for style in look.values()
    ]  # fmt: skip
    figure.legend(
        handles=handles, loc="lower left", ncols=2, bbox_to_anchor=(0.02, 0), handlelength=2.2,
        columnspacing=1.0, labelspacing=0.35, borderaxespad=0.2,
    )  # fmt: skip
    return figure, all_axes
