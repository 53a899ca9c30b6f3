"""Figures: always all of them, the same bytes, to scale, and legible whatever is drawn."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pytest
from make_frames import Study, rich
from make_study import STAMP, contrast, drawn, study_for_page
from matplotlib.figure import Figure

from fslib.compare.diagram import critical_difference_diagram
from fslib.compare.statistics import critical_difference
from fslib.figures.files import read_pictures
from fslib.figures.style import MOST_LABELLED, looks, method_mark, svg_text
from fslib.report.page import render
from fslib.run.artefacts import write_any


@pytest.fixture(scope="module")
def many():
    return drawn(rich(["wine", "lucas"], n_extra=14))


def names_for(*datasets) -> list[str]:
    kinds = ("accuracy", "stability", "features")
    per_dataset = [f"{kind}_{d}" for d in datasets for kind in kinds]
    return [*per_dataset, "tradeoff", "critical_difference", "ranks", "heat"]


def texts(drawn, name="figure"):
    root = ET.fromstring(svg_text(drawn.figure, name))
    return ["".join(e.itertext()).strip() for e in root.iter("{http://www.w3.org/2000/svg}text")]


def test_names_are_known_beforehand(many):
    assert list(many[1]) == names_for("wine", "lucas")


def test_bytes_are_the_same_again():
    # The page holds every figure, so that equal pages are equal figures too.
    first, second = (render([study_for_page(rich(["lucas"]))], STAMP) for _ in range(2))
    assert first == second
    assert not any("<dc:date>" in p.svg for p in study_for_page(rich(["lucas"]))["figures"])


DRAW = """
import sys
from fslib.compare.figures import write_figures
folder, workers = sys.argv[1], int(sys.argv[2])
tables = {name: f"{folder}/{name}.parquet" for name in sys.argv[3:]}
out = f"{folder}/figures-{workers}", f"{folder}/figures-{workers}.json"
write_figures(tables, *out, datasets=["wine", "lucas"], workers=workers)
"""


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_number_of_workers(many, tmp_path):
    """In processes of their own, as jobs are: what has used polars cannot be forked."""
    for name, table in many[0].items():
        write_any(table, str(tmp_path / f"{name}.parquet"))
    for workers in ("1", "3"):
        subprocess.run([sys.executable, "-c", DRAW, tmp_path, workers, *many[0]], check=True)
    one, three = (read_pictures(tmp_path / f"figures-{n}.json") for n in (1, 3))
    assert [picture.name for picture in one] == names_for("wine", "lucas")
    assert one == three


def test_twenty_methods_fit_the_legend(many):
    figures = many[1]
    for name in ("accuracy_wine", "stability_wine", "tradeoff"):
        shown = texts(figures[name])
        assert any(text.endswith(" lower-ranked methods") for text in shown), name
        legend = figures[name].figure.legends[0].get_texts()
        assert len(legend) <= MOST_LABELLED + 4


def test_looks_are_distinct_and_the_same_in_every_figure(many):
    tables, _ = many
    front = [
        look
        for look in looks(tables["ranks"].filter(question="set", field="")).values()
        if look.front
    ]
    assert len(front) == MOST_LABELLED
    assert len({look.colour for look in front}) == MOST_LABELLED
    assert len({look.marker for look in front}) == MOST_LABELLED


def test_lines_are_marked_with_their_methods_and_the_best_is_on_top(many):
    """What a page highlights and reads values from is what was drawn."""
    tables, figures = many
    best = tables["ranks"]["method"][0]
    for axes in figures["accuracy_wine"].figure.axes:
        marks = [line.get_gid() for line in axes.lines]
        assert len(marks) == len(set(marks))
        assert marks[-1] == method_mark(best)
    panel = tables["curves"].filter(dataset="wine", classifier="knn3", method=best)
    means = panel.group_by("k").agg(pl.col("accuracy").mean()).sort("k")["accuracy"]
    first = figures["accuracy_wine"].figure.axes[0]
    assert first.get_title(loc="left") == "3 nearest neighbours"
    assert first.lines[-1].get_ydata() == pytest.approx(means.to_numpy())
    bands = {band.get_gid() for band in first.collections}
    assert bands == {
        method_mark(m, "band") for m, look in looks(tables["ranks"]).items() if look.front
    }


@pytest.mark.parametrize("measure", ["nogueira", "kuncheva"])
def test_stability_is_drawn_by_the_measure_that_the_study_asks_for(measure):
    s = Study(["a"])
    s.succeed("a", "x", 0.9).succeed("a", "y", 0.8, order=range(s.d)[::-1])
    s.rows["stability"] = [row for row in s.rows["stability"] if row[4] == measure]
    axes = drawn(s)[1]["stability_a"].figure.axes[0]
    assert {line.get_gid() for line in axes.lines} >= {method_mark("x"), method_mark("y")}
    assert axes.get_ylabel() == f"stability: {measure}"


def test_heat_map_shows_points_behind_the_best(many):
    tables, figures = many
    axes = figures["heat"].figure.axes[0]
    shown = {tick.get_text(): i for i, tick in enumerate(axes.get_yticklabels())}
    columns = [tick.get_text() for tick in axes.get_xticklabels()]
    cells = np.array([float(text.get_text()) for text in axes.texts])
    scores = tables["scores"].filter(question="set", classifier="all", role="competitor")
    scores = scores.drop_nulls("accuracy")
    assert len(cells) == len(scores)
    assert sum(cells == 0.0) >= len(columns) == 2
    assert cells.max() == 0.0
    worst = scores.filter(dataset="wine").sort("accuracy")["method"][0]
    assert shown[worst] > shown[tables["ranks"]["method"][0]]


def test_lines_stand_out_on_light_and_dark(many):
    for look in looks(many[0]["ranks"].filter(question="set", field="")).values():
        if look.front:
            assert contrast(look.colour, "#ffffff") >= 3
            assert contrast(look.colour, "#171c24") >= 3


def test_critical_difference_is_drawn_to_scale(many):
    tables, figures = many
    axes = figures["critical_difference"].figure.axes[0]
    lines = {line.get_gid(): line.get_xdata() for line in axes.lines if line.get_gid()}
    ticks = {int(t.get_text()): t.get_position()[0] for t in axes.texts if t.get_text().isdigit()}
    first, second = sorted(ticks)[:2]
    unit = (ticks[second] - ticks[first]) / (second - first)
    length = lines["cd"][1] - lines["cd"][0]
    assert length / unit == pytest.approx(tables["friedman"]["critical_difference"][0])


@pytest.mark.parametrize("spread", [0.5, 2.5, 4.0])
def test_bars_join_the_methods_that_scikit_posthocs_joins(spread):
    """Nemenyi's test of another program gives the same groups as those that are drawn."""
    posthocs = pytest.importorskip("scikit_posthocs")
    values = np.random.default_rng(3).normal(size=(12, 7)) + np.linspace(0, spread, 7)
    ranks = pd.DataFrame(7 - values.argsort(axis=1).argsort(axis=1), columns=list("abcdefg"))
    means = dict(ranks.mean().sort_values().items())
    axes = critical_difference_diagram(means, critical_difference(7, 12)).axes[0]
    at = {name: axes_line(axes, method_mark(name))[0] for name in means}
    drawn_groups = {
        frozenset(name for name, x in at.items() if left <= x <= right)
        for line in axes.lines
        if str(line.get_gid()).startswith("group-")
        for left, right in [line.get_xdata()]
    }
    apart = posthocs.posthoc_nemenyi_friedman(values)
    apart.index = apart.columns = ranks.columns
    theirs = posthocs.critical_difference_diagram(means, apart, ax=Figure().subplots(), alpha=0.05)[
        "crossbars"
    ]
    ends = {frozenset(np.round(bar[0].get_xdata(), 9)) for bar in theirs}
    ours = {frozenset(np.round([means[name] for name in g], 9)) for g in drawn_groups}
    assert ours == ends
    assert ours


def axes_line(axes, gid):
    return next(line.get_xdata() for line in axes.lines if line.get_gid() == gid)


def test_two_methods_on_two_datasets_fit_the_diagram():
    s = Study(["a", "b"])
    for dataset in s.datasets:
        s.succeed(dataset, "x", 0.9)
        s.succeed(dataset, "y", 0.8, order=range(s.d - 1, -1, -1))
    axes = drawn(s)[1]["critical_difference"].figure.axes[0]
    low, high = axes.get_xlim()
    for line in axes.lines:
        assert min(line.get_xdata()) >= low
        assert max(line.get_xdata()) <= high


@pytest.mark.parametrize("datasets", [["a"], ["a", "b"]])
def test_nothing_finished_still_gives_figures_that_say_so(datasets):
    s = Study(datasets)
    for dataset in datasets:
        s.fail(dataset, "x", "error", "boom")
    figures = drawn(s)[1]
    assert list(figures) == names_for(*datasets)
    assert figures["accuracy_a"].caption == "a: no method finished."
    assert texts(figures["accuracy_a"]) == ["a: no accuracy to show"]
    assert texts(figures["ranks"])


def test_odd_names_are_drawn_literally():
    s = Study(["$a$ <b>"])
    s.succeed("$a$ <b>", "_hidden", 0.9).succeed("$a$ <b>", "x & $y$", 0.8, order=range(30)[::-1])
    shown = texts(drawn(s)[1]["accuracy_$a$ <b>"])
    assert "$a$ <b>: accuracy" in shown
    assert {"\u200b_hidden", "x & $y$"} <= set(shown)
