"""Papers on the page: their tables as printed, verdicts by sign and colour, decisions in one place.

The outcomes are those kept in the papers' folders.
"""

import re

import polars as pl
import pytest
from make_frames import Study
from make_study import STAMP, study_for_page

from fslib.report.page import render
from fslib.report.papers import STANDINGS, VERDICTS, paper_tables, paragraphs
from fslib.reproduce import compare
from fslib.reproduce.agreement import agreement_pictures
from fslib.reproduce.compare import score_line
from fslib.reproduce.keep import read_kept
from fslib.reproduce.paper import VERDICTS as ALL_VERDICTS
from fslib.reproduce.paper import paper_in
from fslib.reproduce.remarks import remarks
from fslib.run.paper_folders import OWN

WITH_CELLS = ["amfes", "babd", "daf", "stability"]


def kept(name) -> dict:
    """A paper as the report's stage would read it."""
    folder = OWN / name
    cells = read_kept(folder / "outcome", "cells").drop("commit")
    cells = cells.with_columns(pl.col("condition", "note").fill_null(""))
    claims = read_kept(folder / "outcome", "claims").drop("commit").fill_null("")
    paper = paper_in(folder)
    return {
        "name": name,
        "citation": paper.citation,
        "score": score_line(cells, claims),
        "layouts": paper.layouts,
        "remarks": remarks(folder),
        "cells": cells,
        "claims": claims,
        "findings": [
            {
                "name": "beside",
                "title": "A finding <b>",
                "text": "First.\n\nSecond.",
                "numbers": {"cells": 3},
                "table": {"columns": ["a", "b"], "rows": [[1, None]]},
            }
        ],
        "figures": agreement_pictures(cells),
    }


@pytest.fixture(scope="module")
def page():
    return render(
        [study_for_page(Study(["wine"]).succeed("wine", "x", 0.9))],
        STAMP,
        [kept(name) for name in ("amfes", "survey")],
    )


def texts(table) -> list[list[str]]:
    return [[name for name, _ in level] for level in table["heads"]]


def test_every_outcome_has_a_sign_of_its_own_colour():
    assert set(VERDICTS) == set(ALL_VERDICTS)
    assert set(STANDINGS) == set(compare.STANDINGS)
    for marks in (VERDICTS, STANDINGS):
        judged = [sign for sign, kind in marks.values() if kind != "open"]
        assert len(judged) == len(set(judged))


@pytest.mark.parametrize("name", WITH_CELLS)
def test_every_cell_is_in_the_papers_tables_once(name):
    paper = kept(name)
    tables = paper_tables(paper["cells"], paper["layouts"])
    shown = [cell for t in tables for row in t["rows"] for cell in row["cells"] if cell]
    assert len(shown) == paper["cells"].height
    counts = {sign: sum(cell["standing"] == sign for cell in shown) for sign in STANDINGS}
    assert counts == {s: paper["cells"].filter(standing=s).height for s in STANDINGS}
    for table in tables:
        for level in table["heads"]:
            assert sum(span for _, span in level) == len(table["rows"][0]["cells"])


def test_tables_have_the_layout_of_print():
    amfes = kept("amfes")
    tables = {t["name"]: t for t in paper_tables(amfes["cells"], amfes["layouts"])}
    # Table 5 has a column per data set, a row per method and quantity; table 9 two procedures.
    assert texts(tables["Table 5"])[0][:3] == ["colon", "lymphoma malignant", "leukemia"]
    assert [name for name, _ in tables["Table 5"]["rows"][1]["heads"]] == ["amfes", "peak value"]
    assert [again for _, again in tables["Table 5"]["rows"][1]["heads"]] == [True, False]
    assert tables["Table 9"]["heads"][0][1:3] == [("amfes", 2), ("svm rfe", 2)]
    assert texts(tables["Table 9"])[1][1:3] == ["omega", "omega pi"]
    stability = kept("stability")
    third = paper_tables(stability["cells"], stability["layouts"])[0]
    assert third["caption"] == "Table 3: musk1, stability rank."
    assert [row["heads"][0][0] for row in third["rows"]] == ["0.1", "0.25", "0.5", "0.75"]
    assert third["rows"][0]["cells"][0]["published"].startswith("1.70")


def test_a_table_without_a_layout_still_shows_every_cell():
    cells = kept("babd")["cells"]
    tables = paper_tables(cells, {})
    assert sum(bool(c) for t in tables for row in t["rows"] for c in row["cells"]) == cells.height


def test_the_page_has_bars_claims_tables_and_decisions(page):
    claims = kept("amfes")["claims"]
    holds = claims.filter(verdict="holds").height
    assert f'<span class="good" style="flex-grow: {holds}">✓ {holds} holds</span>' in page
    first = page[page.index('<ol class="claims">') :]
    item = first[first.index("<li") : first.index("</li>")]
    # The verdict comes first, then the claim, the paper's words, what was seen.
    order = [item.index(mark) for mark in ('class="verdict"', "<strong>", "<q>")]
    assert order == sorted(order)
    assert page.count('class="table as-published"') == 9
    assert re.search(
        r'<td class="number (good|bad|part|open)" title="[^"]+"><span class="publ', page
    )
    assert "Published against ours" in page
    assert "Equal numbers of pairs say nothing" in page
    assert "A finding &lt;b&gt;" in page
    assert "The paper gives its results in figures only" in page


def test_remarks_become_plain_paragraphs():
    text = "First\nline.\n\n- `code` one\n- two\n\n| a | b |\n|---|---|"
    assert paragraphs(text) == ["First line.", "code one", "two"]
