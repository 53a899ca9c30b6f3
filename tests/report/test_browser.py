"""The page in a real browser: it sorts, filters, fits a phone, and asks for nothing."""

import shutil

import pytest

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

    def open_page(**settings):
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems
    assert set(requests) == {address}


def column(page, table, index):
    cells = page.locator(f'table[aria-label="{table}"]').first.locator(
        f"tbody tr:not([hidden]) > :nth-child({index})"
    )
    return cells.all_inner_texts()


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
    assert column(page, "Accuracy of methods", 2) == ["mrmr"]
    bar = page.locator('.table[data-name="Accuracy of methods"] output').first
    assert bar.inner_text().startswith("1 of ")
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
        "all => all.map(t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a)"
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
