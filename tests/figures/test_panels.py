"""Panels against what seaborn itself draws."""

import numpy as np
import polars as pl
import pytest
import seaborn as sns
from matplotlib.figure import Figure

from fslib.figures.panels import line_panels, pandas, points


@pytest.mark.parametrize(
    ("band", "estimator", "errorbar"),
    [("sd", "mean", "sd"), ("se", "mean", "se"), ("interval", "median", ("pi", 100))],
)
def test_bands_are_what_seaborn_draws(band, estimator, errorbar):
    values = np.random.default_rng(0).normal(size=(5, 3))
    curve = points("", "a", [1, 2, 3], values)
    if band != "interval":  # one value has no deviation
        curve = pl.concat([curve, points("", "a", [4], [0.5])])
    ours, theirs = line_panels("", curve, band=band).axes[0], Figure().subplots()
    sns.lineplot(pandas(curve), x="x", y="y", estimator=estimator, errorbar=errorbar, ax=theirs)
    assert ours.lines[0].get_xydata() == pytest.approx(theirs.lines[0].get_xydata())
    edges = [axes.collections[0].get_paths()[0].vertices for axes in (ours, theirs)]
    assert edges[0] == pytest.approx(edges[1])


@pytest.mark.parametrize(("n", "marks"), [(5, 5), (60, 60), (61, 21), (649, 30)])
def test_a_long_curve_has_few_marks_and_all_its_points(n, marks):
    (axes,) = line_panels("A curve", points("panel", "mrmr", range(n), np.arange(n))).axes
    (line,) = axes.lines
    assert len(line.get_xdata()) == n
    assert len(line.get_xdata()[:: line.get_markevery()]) == marks
