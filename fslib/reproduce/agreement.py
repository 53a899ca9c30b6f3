"""Published numbers against ours as one figure."""

from __future__ import annotations

import polars as pl
import seaborn as sns
from matplotlib import pyplot
from matplotlib.figure import Figure

from fslib.figures.colours import CROWD, MUTED, PAPER, WIDTH
from fslib.figures.files import Picture
from fslib.figures.panels import pandas
from fslib.figures.style import Drawn, drawing

#: Colour and marker of each standing that has both numbers.
_LOOKS = {
    "within": ("#009e73", "o"),
    "outside": ("#d55e00", "X"),
    "no deviation": (CROWD, "s"),
}

_CAPTION = "Published against ours, a panel per quantity: on the line both are equal."


def agreement_pictures(cells: pl.DataFrame) -> list[Picture]:
    """The figure as it is on a page, if there is anything to compare."""
    with drawing():
        figure = agreement_figure(cells)
        return [] if figure is None else [Drawn(figure, _CAPTION, "cells").picture("agreement")]


def agreement_figure(cells: pl.DataFrame) -> Figure | None:
    """A panel per quantity: the published value across, ours up; on the line they are equal."""
    known = cells.drop_nulls(["published", "ours"]).with_columns(
        pl.col("quantity").str.replace_all("_", " ")
    )
    if known.is_empty():
        return None
    shown = [name for name in _LOOKS if name in set(known["standing"])]
    n_columns = min(2, known["quantity"].n_unique())
    grid = sns.relplot(
        pandas(known), x="published", y="ours", col="quantity", col_wrap=n_columns,
        hue="standing", hue_order=shown, palette={name: _LOOKS[name][0] for name in shown},
        style="standing", style_order=shown, markers={name: _LOOKS[name][1] for name in shown},
        s=26, alpha=0.8, edgecolor=PAPER, linewidth=0.4, height=WIDTH / n_columns, aspect=1,
        facet_kws={"sharex": False, "sharey": False, "legend_out": False},
    )  # fmt: skip
    grid.set_titles("{col_name}")
    for axes, name in zip(grid.axes.flat, grid.col_names, strict=True):
        own = known.filter(quantity=name).select("published", "ours").to_numpy()
        limits = [*axes.get_xlim(), *axes.get_ylim()]
        if own.min() > 0 and own.max() > 100 * own.min():
            limits = [own.min() / 2, own.max() * 2]
            axes.set(xscale="log", yscale="log")
        ends = (min(limits), max(limits))
        axes.plot(ends, ends, color=MUTED, linewidth=0.8, zorder=1)
        axes.set(xlim=ends, ylim=ends)
        if axes.get_xscale() == "linear":
            axes.locator_params(nbins=4)
    sns.move_legend(grid, "outside lower left", ncols=3, title=None, frameon=False)
    grid.figure.set_layout_engine("constrained")
    pyplot.close(grid.figure)
    return grid.figure
