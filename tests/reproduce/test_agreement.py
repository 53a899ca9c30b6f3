"""Published values beside ours, in one figure."""

from fslib.figures.style import drawing
from fslib.reproduce.agreement import agreement_figure
from fslib.reproduce.keep import read_kept
from fslib.run.paper_folders import OWN


def test_every_known_pair_is_in_the_scatter():
    cells = read_kept(OWN / "babd" / "outcome", "cells")
    with drawing():
        figure = agreement_figure(cells)
    drawn = sum(len(axes.collections[0].get_offsets()) for axes in figure.axes)
    assert drawn == cells.drop_nulls(["published", "ours"]).height
    assert agreement_figure(cells.clear()) is None
