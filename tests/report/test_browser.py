"""The page in a real browser: it answers choices, sorts, fits a phone, and asks for nothing."""

import csv
import io
import shutil
import xml.etree.ElementTree as ET
from urllib.parse import quote

import polars as pl
import pytest

from fslib.compare import ranking, statistics

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def address(html, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser():
    # Playwright starts Chromium headless with a user-data-dir of its own.
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, address):
    """Opens the page with settings; at the end there was no error and no request but the file."""
    problems, requests, contexts = [], [], []

    def open_page(at="", **settings):
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address + at)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems
    assert {url.partition("#")[0] for url in requests} == {address}


def column(page, table, index):
    cells = page.locator(f'table[aria-label="{table}"]').first.locator(
        f"tbody tr:not([hidden]) > :nth-child({index})"
    )
    return cells.all_text_contents()


def in_python(tables, question, measure, classifier, datasets):
    """Methods with mean rank and letters, Friedman's p and the critical difference, by Python."""
    chosen = tables["answers"].filter(
        pl.col("classifier") == classifier,
        pl.col("judged") if measure == "" else pl.col("measure") == measure,
        pl.col("dataset").is_in(datasets),
    )
    scores = chosen.with_columns(classifier=pl.lit("all"), judge_by="measure")
    cells = chosen.select("dataset", "method", "role", reason=pl.lit("")).unique()
    entered = ranking.fields(question, scores, cells, datasets)[0]
    ranks = ranking.dataset_ranks(scores, entered)
    test = ranking.friedman_table(ranks, entered).row(0, named=True)
    means = ranks.group_by("method").agg(pl.col("rank").mean())
    means = means.sort(pl.col("rank").round(12), "method")
    runs = statistics.groups_within(means["rank"], test["critical_difference"])
    together = [
        {means["method"][i] for i in range(first, last + 1)} for first, last in runs
    ]  # fmt: skip
    return dict(means.rows()), together, test


CHOICES = [
    ("set", "", "all", ["wine", "lucas"]),
    ("order", "", "nb", ["wine", "breast_cancer", "lucas"]),
    ("set", "balanced_accuracy", "svm_linear", ["breast_cancer", "lucas"]),
    ("set", "", "all", ["wine", "breast_cancer", "lucas"]),
]


@pytest.mark.parametrize(("question", "measure", "classifier", "datasets"), CHOICES)
def test_a_choice_is_ranked_as_python_ranks_it(
    opened, shown, question, measure, classifier, datasets
):
    page = opened()
    form = page.locator("form.choice").first
    form.get_by_label("Question").select_option(question)
    form.get_by_label("Measure").select_option(measure)
    form.get_by_label("Classifier").select_option(classifier)
    form.get_by_role("button", name="none", exact=True).click()
    for dataset in datasets:
        form.get_by_label(dataset, exact=True).check()
    means, together, test = in_python(shown[0]["tables"], question, measure, classifier, datasets)
    rows = page.locator("#study-1 .table.ranking tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(c => c.dataset.value ?? c.textContent))"
    )
    found = {row[0]: (float(row[1]), row[2]) for row in rows if row[1]}
    assert {name: rank for name, (rank, _) in found.items()} == pytest.approx(means)
    assert list(found) == list(means)
    letters = {letter for _, own in found.values() for letter in own}
    groups = [{name for name, (_, own) in found.items() if letter in own} for letter in letters]
    assert sorted(map(sorted, together)) == sorted(sorted(g) for g in groups if len(g) > 1)
    outcome = page.locator("#study-1 .outcome").inner_text()
    assert f"Critical difference {test['critical_difference']:.2f}" in outcome
    told = "p < 0.001" if test["p"] < 0.001 else f"p = {test['p']:.3f}"
    assert told in outcome


def test_statistics_agree_with_scipy(opened):
    page = opened()
    for k, n in ((2, 5), (17, 7), (30, 26), (60, 100)):
        ours = page.evaluate(f"criticalDifference({k}, {n}, 0.05)")
        assert ours == pytest.approx(statistics.critical_difference(k, n), rel=1e-9)
    for f, a, b in ((0.3, 4, 60), (2.3, 29, 725), (40.0, 3, 9)):
        tail = float(statistics.stats.f.sf(f, a, b))
        assert page.evaluate(f"fTail({f}, {a}, {b})") == pytest.approx(tail, rel=1e-9)


def test_what_is_not_chosen_disappears(opened):
    page = opened()
    first = page.locator("#study-1")
    assert first.locator('figure[data-dataset="wine"]').first.is_visible()
    page.locator("form.choice").first.get_by_label("wine", exact=True).uncheck()
    assert not first.locator('figure[data-dataset="wine"]').first.is_visible()
    assert set(column(page, "Accuracy of methods", 1)) == {"breast_cancer", "lucas"}
    assert first.locator("figure.live").is_visible()
    assert not first.locator("figure.of-own-choice").first.is_visible()
    # The other study keeps its own choice.
    assert page.locator('#study-2 figure[data-dataset="wine"]').first.is_visible()


def test_a_method_lights_up_everywhere(opened):
    page = opened()
    line = page.locator('#study-1 figure[data-name="accuracy_wine"] [data-method="mrmr"]').first
    assert "on" not in (line.get_attribute("class") or "")
    chip = page.locator("form.choice").first.get_by_role("button", name="mrmr", exact=True)
    chip.focus()
    page.keyboard.press("Enter")
    assert chip.get_attribute("aria-pressed") == "true"
    assert "on" in line.get_attribute("class")
    other = page.locator('#study-1 figure[data-name="accuracy_wine"] [data-method="daf"]').first
    assert float(other.evaluate("g => getComputedStyle(g).opacity")) < 0.5
    for table in ("Ranking of methods", "Accuracy of methods", "Cost of one selection"):
        row = page.locator(f'table[aria-label="{table}"] tr[data-method="mrmr"]').first
        assert "on" in row.get_attribute("class")
    page.locator('#study-1 .table.ranking tr[data-method="mrmr"] th').click()
    assert chip.get_attribute("aria-pressed") == "false"


def test_a_pointer_reads_the_value_that_was_drawn(opened, shown):
    page = opened(viewport={"width": 1200, "height": 900})
    figure = page.locator('#study-1 figure[data-name="accuracy_lucas"]')
    figure.hover()  # which waits until the page no longer moves under the pointer
    where = figure.locator('[data-axes] > [data-method="mrmr"] > path').first.evaluate(
        """line => {
          const [x, y] = line.getAttribute("d").trim().split(/[ML ]+/).slice(-2);
          const at = new DOMPoint(+x, +y).matrixTransform(line.getScreenCTM());
          return [at.x, at.y];
        }"""
    )
    page.mouse.move(*where)
    curve = shown[0]["tables"]["curves"].filter(
        dataset="lucas", method="mrmr", classifier="knn3", k=20
    )
    said = page.locator(".tip", has_text="mrmr: ").inner_text()
    assert said.startswith("mrmr: ")
    value = float(said.rpartition("accuracy ")[2])
    assert value == pytest.approx(curve["accuracy"].mean(), abs=0.001)
    assert "number of features 20" in said


def taken(page, button):
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, waiting.value.path().read_text("utf-8")


def test_tables_and_figures_can_be_taken_home(opened):
    page = opened()
    page.get_by_label("Filter rows of: Accuracy of methods").first.fill("wine mrmr")
    box = page.locator('.table[data-name="Accuracy of methods"]').first
    name, text = taken(page, box.get_by_role("button", name="Download as CSV"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert name == "accuracy_of_methods.csv"
    assert {row["method"] for row in rows} == {"mrmr"}
    assert 0.5 < float(rows[0]["accuracy"]) < 1
    _, text = taken(page, box.get_by_role("button", name="Download as LaTeX"))
    assert text.startswith("\\begin{tabular}{ll")
    assert "wine & mrmr &" in text
    assert "\\%" in text
    figure = page.locator('#study-1 figure[data-name="accuracy_wine"]')
    name, text = taken(page, figure.get_by_role("button", name="Download as SVG"))
    assert name == "accuracy_wine.svg"
    assert ET.fromstring(text.partition("?>")[2]).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in text


def test_the_address_keeps_the_choice(opened):
    page = opened()
    form = page.locator("form.choice").first
    form.get_by_label("Question").select_option("order")
    form.get_by_label("lucas", exact=True).uncheck()
    label = "correlation = bw_ratio"
    form.get_by_role("button", name=label, exact=True).click()
    page.locator('nav a[href="#study-1-cost"]').click()
    kept = page.evaluate("location.hash")
    assert kept.startswith("#study-1-cost&")
    assert "1.question=order" in kept
    again = opened(at=kept)
    form = again.locator("form.choice").first
    assert form.get_by_label("Question").input_value() == "order"
    assert not form.get_by_label("lucas", exact=True).is_checked()
    assert f"method={quote(label)}" in kept
    chip = form.get_by_role("button", name=label, exact=True)
    assert chip.get_attribute("aria-pressed") == "true"
    assert column(again, "Ranking of methods", 1) == column(page, "Ranking of methods", 1)


def test_a_broken_address_shows_the_study_as_it_is(opened):
    page = opened(at="#nowhere&1.question=what&1.data=none&9.measure=x&method=nobody")
    assert "ranks best" in page.locator("#study-2 .outcome").inner_text()
    assert page.locator("form.choice").first.get_by_label("Question").input_value() == "set"


def test_every_control_has_a_name(opened):
    page = opened()
    nameless = page.locator("button, input, select, [role=region]").evaluate_all(
        "all => all.filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).length"
    )
    assert nameless == 0


def test_a_click_sorts_up_and_down_with_missing_values_last(opened):
    page = opened()
    head = page.locator('table[aria-label="Ranking of methods"]').first.locator("th").nth(1)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    ranks = [text for text in column(page, "Ranking of methods", 2) if text != "–"]
    assert ranks == sorted(ranks, key=float)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    everything = column(page, "Ranking of methods", 2)
    assert everything[: len(ranks)] == ranks[::-1]
    assert set(everything[len(ranks) :]) == {"–"}


def test_the_keyboard_sorts_too(opened):
    page = opened()
    button = page.locator('table[aria-label="Ranking of methods"]').first.locator("button").first
    button.focus()
    page.keyboard.press("Enter")
    names = column(page, "Ranking of methods", 1)
    assert names == sorted(names, key=str.lower)


def test_numbers_sort_by_value_not_by_text(opened):
    page = opened()
    table = page.locator('table[aria-label="Cost of one selection"]').first
    table.locator("th").nth(2).locator("button").click()
    values = table.locator("tbody tr > :nth-child(3)").evaluate_all(
        "cells => cells.map(cell => Number(cell.dataset.value))"
    )
    assert values == sorted(values)


def test_a_filter_shows_matching_rows_only(opened):
    page = opened()
    page.get_by_label("Filter rows of: Accuracy of methods").first.fill("wine MRMR")
    assert column(page, "Accuracy of methods", 2) == ["mrmr"] * 2
    bar = page.locator('.table[data-name="Accuracy of methods"] output').first
    assert bar.inner_text().startswith("2 of ")
    page.get_by_label("Filter rows of: Accuracy of methods").first.fill("")
    assert len(column(page, "Accuracy of methods", 2)) > 20


@pytest.mark.parametrize("width", [360, 768, 1200])
def test_the_page_never_scrolls_sideways(opened, width):
    page = opened(viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_text_in_figures_is_legible_on_a_phone(opened):
    page = opened(viewport={"width": 360, "height": 800})
    heights = page.locator("figure svg text").evaluate_all(
        """all => all.map(t => {
          const { a, b } = t.getScreenCTM();
          return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(a, b);
        })"""
    )
    assert min(h for h in heights if h) >= 7.5


def test_dark_figures_take_the_dark_colours(opened):
    def ground(page):
        return page.locator("figure svg path").first.evaluate("p => getComputedStyle(p).fill")

    assert ground(opened(color_scheme="light")) == "rgb(255, 255, 255)"
    assert ground(opened(color_scheme="dark")) == "rgb(23, 28, 36)"


def test_without_javascript_everything_is_there(opened):
    page = opened(java_script_enabled=False)
    assert page.locator('table[aria-label="Ranking of methods"]').first.is_visible()
    assert page.locator("thead button").count() == 0
    assert page.locator(".bar").count() == 0


def test_paper_holds_every_table(opened):
    # The width that A4 leaves between Chromium's margins; ink is dark even in dark mode.
    page = opened(viewport={"width": 720, "height": 1000}, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.pdf(format="A4").startswith(b"%PDF")
