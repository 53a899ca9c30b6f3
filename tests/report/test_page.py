"""The page as text: complete, self-contained, escaped, with ids that do not clash."""

import base64
import json
import re
from html.parser import HTMLParser

import polars as pl
import pytest
from make_frames import Study, rich
from make_study import STAMP, contrast, study_for_page

from fslib.report.page import _summary, inline_svg, render

VOID = {"meta", "link", "input", "br"}


class Outline(HTMLParser):
    """Checks nesting and collects what the tests look at."""

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.links, self.loads, self.images = [], [], [], [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self._note(tag, attrs)

    def handle_startendtag(self, tag, attrs):
        self._note(tag, dict(attrs))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def _note(self, tag, attrs):
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "svg":
            self.images.append(attrs)
        if tag == "a":
            self.links.append(attrs["href"])
        self.loads += [attrs[a] for a in ("src", "srcset", "data", "action") if a in attrs]
        if tag == "link":
            self.loads.append(attrs["href"])


def test_ids_are_unique_and_links_lead_somewhere(html):
    page = Outline(html)
    assert len(page.ids) == len(set(page.ids))
    for link in page.links:
        assert link.startswith("data:") or link[1:] in page.ids
    used = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html)
    assert {a or b for a, b in used} <= set(page.ids)


def test_nothing_is_loaded_from_elsewhere(html):
    page = Outline(html)
    assert all(load.startswith("data:") for load in page.loads)
    assert not re.search(r"@import|url\((?!#)", html)
    assert "default-src 'none'" in html


def test_every_figure_has_a_text(html):
    images = Outline(html).images
    assert len(images) == (3 * 3 + 5) + (3 * 2 + 5)
    assert all(image["role"] == "img" and len(image["aria-label"]) > 20 for image in images)


def test_what_was_run_is_said(html):
    for text in ("abc1234", "Example CPU", "scikit-learn 1.7", "2 min 10 s", "name: quick"):
        assert text in html


def test_user_data_is_escaped(html):
    assert "<b>tag</b>" not in html
    assert "ValueError: &lt;b&gt;tag&lt;/b&gt; &amp; more" in html
    evil = '"><script>alert(1)</script>'
    study = study_for_page(Study([evil]).succeed(evil, evil, 0.9), evil, evil)
    check = json.dumps({"facts": evil, "warnings": [{"names": [evil], "text": evil}]})
    data = {evil: {"title": evil, "check": check}}
    study |= {"description": evil, "configuration": evil, "data": data}
    page = render([study], {"commit": evil, "versions": {evil: evil}})
    Outline(page)
    assert page.count("<script>") == 1


def test_notes_and_failures_are_shown(html):
    for text in (
        "signal_to_noise: skipped on breast_cancer: binary_only",
        "correlation = bw_ratio: same selections",
        "noise: worse than a random ranking",
        "2 of 6 splits did not finish",
        "no result within 20 s",
        "digits: Digits. The paper has more rows.",
        "wine: Wine recognition. To cite: Forina et al. (1991), PARVUS.",
        "Chosen by most splits: ",
    ):
        assert text in html, text


def test_parts_of_the_program_are_all_there(html):
    script = html[html.index('<script>"use strict"') :]
    for function in ("friedman", "sortBy", "readBack", "rankingOf", "readAddress"):
        assert f"function {function}(" in script


def test_answers_cannot_end_their_element():
    evil = "</script><b>"
    page = render([study_for_page(Study([evil]).succeed(evil, evil, 0.9))], STAMP)
    data = page[page.index('<script type="application/json"') :].partition(">")[2]
    assert json.loads(data.partition("</script>")[0])["methods"] == [evil]


def test_selected_features_can_be_taken_home(html):
    link = next(link for link in Outline(html).links if link.startswith("data:text/csv"))
    table = pl.read_csv(base64.b64decode(link.partition("base64,")[2]))
    assert table.columns[:5] == ["dataset", "method", "rank", "feature", "name"]
    assert table["rank"].to_list() == list(range(1, table.height + 1))


@pytest.mark.parametrize("n_datasets", [0, 1, 2])
def test_a_study_without_results_says_so(n_datasets):
    s = Study(["a", "b"][:n_datasets])
    for dataset in s.datasets:
        s.fail(dataset, "x", "error", "boom")
    page = render([study_for_page(s)], STAMP)
    Outline(page)
    assert "No method could be ranked." in page


def test_a_single_dataset_has_no_test_over_datasets():
    page = render([study_for_page(rich(["wine"]))], STAMP)
    assert "with so few there is no test over data sets" in page
    assert "No Friedman test" in page


def test_colours_of_text_have_contrast():
    from importlib.resources import files

    css = (files("fslib.report") / "templates" / "report.css").read_text()
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        for block in re.findall(r":root \{(.*?)\}", css, flags=re.S)[:2]
    )
    for colours in (light, dark):
        for text in ("ink", "muted", "accent", "bad"):
            for ground in ("card", "page", "tint"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
        assert contrast(colours["warn"], colours["warn-tint"]) >= 4.5


def test_what_the_check_found_stands_on_top():
    study = study_for_page(Study(["wine"]).succeed("wine", "a", 0.9))
    warning = {"names": ["Id"], "text": "'Id': a row number"}
    warned = {"facts": "9 rows; 3 numeric columns", "warnings": [warning]}
    first, *_ = study["data"]
    study["data"][first]["check"] = json.dumps(warned)
    cost = "about 5 min of one core besides the start of jobs, and 1.2 GB of memory a job"
    notes = study["tables"]["notes"]
    said = pl.DataFrame([("expected", first, "", cost)], schema=notes.schema, orient="row")
    study["tables"]["notes"] = pl.concat([notes, said])
    page = render([study], STAMP)
    top = page.index("9 rows; 3 numeric columns")
    assert page.count(cost) == 1
    assert top < page.index(f"expected to take, by measured growth, {cost}.")
    first_warning = page.index("Id&#39;: a row number")
    assert top < first_warning < page.index('id="study-1-recommendation"')


def test_a_test_without_a_pair_apart_says_so():
    """Friedman's test may find differences where Nemenyi's finds no two methods that differ."""
    ranked = pl.DataFrame({"method": ["a", "b"], "mean_rank": [1.2, 1.8]})
    told = {"n_datasets": 9, "n_methods": 2, "p": 0.03, "alpha": 0.05}
    counts = {"ok": 9, "skipped": 0}
    for difference, ending in ((0.7, ", though no two of them can be told apart ("), (0.5, " (")):
        said = _summary(ranked, told | {"critical_difference": difference}, counts)
        assert f"the methods differ significantly{ending}Friedman" in said


def test_a_wide_figure_is_drawn_to_the_scale_of_the_others():
    svg = inline_svg('<svg width="590.4pt" height="9pt"></svg>', "p", "x")
    assert 'class="wide" style="min-width: 590px; max-width: 54.0rem"' in svg
