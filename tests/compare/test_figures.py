"""Figures: always all of them, the same bytes, to scale, and legible whatever is drawn."""

import xml.etree.ElementTree as ET

import pytest
from make_frames import Study, rich
from make_study import STAMP, contrast, drawn, study_for_page

from fslib.figures.style import MOST_LABELLED, looks, svg_text
from fslib.report.page import render


@pytest.fixture(scope="module")
def many():
    return drawn(rich(["wine", "lucas"], n_extra=14))


def names_for(*datasets) -> list[str]:
    per_dataset = [f"{kind}_{d}" for kind in ("accuracy", "stability") for d in datasets]
    return [*per_dataset, "tradeoff", "critical_difference", "ranks"]


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


def test_twenty_methods_fit_the_legend(many):
    figures = many[1]
    for name in ("accuracy_wine", "stability_wine", "tradeoff"):
        shown = texts(figures[name])
        assert "8 lower-ranked methods" in shown, name
        legend = figures[name].figure.legends[0].get_texts()
        assert len(legend) <= MOST_LABELLED + 4


def test_looks_are_distinct_and_the_same_in_every_figure(many):
    tables, _ = many
    front = [look for look in looks(tables["ranks"]).values() if look.front]
    assert len(front) == MOST_LABELLED
    assert len({(look.colour, look.marker) for look in front}) == MOST_LABELLED
    assert len({(look.colour, str(look.line)) for look in front}) == MOST_LABELLED


def test_lines_stand_out_on_light_and_dark(many):
    for look in looks(many[0]["ranks"]).values():
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
    assert length / unit == pytest.approx(tables["friedman"]["critical_difference"].item())


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
    assert texts(figures["accuracy_a"]) == ["a: no method finished, no accuracy to show"]
    assert texts(figures["ranks"])


def test_odd_names_are_drawn_literally():
    s = Study(["$a$ <b>"])
    s.succeed("$a$ <b>", "_hidden", 0.9).succeed("$a$ <b>", "x & $y$", 0.8, order=range(30)[::-1])
    shown = texts(drawn(s)[1]["accuracy_$a$ <b>"])
    assert "$a$ <b>: accuracy" in shown
    assert {"\u200b_hidden", "x & $y$"} <= set(shown)
