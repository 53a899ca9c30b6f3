"""How large the report is and how fast it answers, for studies of the size of quick and grand.

`python benchmarks/page.py [report.html …]` makes results as tests do, lays out their pages,
opens them and any named page in Chromium, and writes `results/page.md`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from dataclasses import astuple
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from whole_runs import PROJECT, RESULTS, about

sys.path.append(str(PROJECT / "tests"))
from make_frames import YARDSTICKS, Study
from make_study import STAMP

from fslib.compare.figures import figures
from fslib.compare.study import compare
from fslib.figures.files import Picture
from fslib.report.page import render

#: Data sets, methods and splits.
STUDIES = {"quick": (7, 18, 5), "grand": (26, 30, 5)}
FEATURES = 50
#: Data sets that are drawn; the figures of all others are theirs under other names.
DRAWN = 2
SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def generated(n_datasets: int, n_methods: int, n_splits: int) -> Study:
    """Every method on every data set, each with an order of its own."""
    made = Study([f"dataset_{i:02d}" for i in range(n_datasets)], n_splits, FEATURES)
    rng = np.random.default_rng(0)
    names = [f"method_{i:02d}" for i in range(n_methods)]
    for dataset in made.datasets:
        for name in [*names, *(y for y in YARDSTICKS if y != "oracle")]:
            made.succeed(
                dataset, name, 0.7 + 0.25 * rng.random(), order=rng.permutation(FEATURES),
                sizes=(FEATURES,) if name == "all_features" else SIZES, stability=rng.random(),
                seconds=float(10 ** rng.uniform(-3, 2)),
            )  # fmt: skip
    return made


def study_like(name: str, shape: tuple[int, int, int]) -> dict:
    """A study as the report's stage hands it over."""
    made = generated(*shape)
    tables = compare(made.frames(), datasets=made.datasets, settings=made.settings)
    drawn = figures(tables, made.datasets[:DRAWN])
    pictures = [d.picture(name) for name, d in drawn.items()]
    repeated = [
        Picture(*(text.replace(p.dataset, dataset) for text in astuple(p)))
        for i, dataset in enumerate(made.datasets)
        for p in pictures
        if p.dataset == made.datasets[i % DRAWN]
    ]
    return {
        "name": name, "title": "Generated", "part": "", "description": "", "tables": tables,
        "figures": repeated + [p for p in pictures if not p.dataset], "configuration": "",
        "data": {},
    }  # fmt: skip


#: Sets `ready` once everything is computed, laid out and painted: two frames after loading.
PAINTED = """addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(
    () => { window.ready = performance.now(); })));"""
#: Clicks a box, and waits until the answer is painted.
ANSWERED = """box => new Promise(done => { const start = performance.now(); box.click();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start))); })"""
REPEATS = 5


def measured(browser, page_file: Path) -> list[float]:
    """Megabytes, then seconds until the page is painted and until it answers a choice.

    Both twice: by the clock, and of CPU by the thread of the page, which other work does not slow;
    medians of some openings.
    """
    times = np.median([opened(browser, page_file) for _ in range(REPEATS)], axis=0)
    return [page_file.stat().st_size / 1e6, *times]


def opened(browser, page_file: Path) -> tuple[float, float, float, float]:
    """Seconds of one opening and of one answer, each by the clock and of CPU."""
    page = browser.new_page()
    page.add_init_script(PAINTED)
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cpu() -> float:
        found = tools.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in found if metric["name"] == "TaskDuration")

    page.goto(page_file.as_uri(), wait_until="load")
    page.wait_for_function("window.ready")
    ready, spent = page.evaluate("window.ready") / 1000, cpu()
    box = page.locator("form.choice input[type=checkbox]").first
    answer = box.evaluate(ANSWERED) / 1000
    found = ready, spent, answer, cpu() - spent
    page.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="finished pages to measure too")
    pages = parser.parse_args().pages
    told = []
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for name, shape in STUDIES.items():
            start = time.process_time()
            study = study_like(name, shape)
            middle = time.process_time()
            made.append(Path(folder, f"size of {name}: {shape[0]} × {shape[1]}, generated.html"))
            made[-1].write_text(render([study], STAMP), encoding="utf-8")
            told.append(
                f"Size of {name}: comparing, and drawing {DRAWN} data sets, took "
                f"{middle - start:.0f} s of CPU, laying out the page "
                f"{time.process_time() - middle:.1f} s."
            )
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            rows = [(p.stem, *measured(browser, p)) for p in [*made, *map(Path.resolve, pages)]]
            browser.close()
    lines = [
        "# The report's size and speed",
        "",
        about("")[0],
        "",
        f"Made by `python benchmarks/page.py`: medians of {REPEATS} openings in Chromium, by "
        "the clock until the page is painted with its ranking, and from a click on a data set "
        "until the new ranking is painted.",
        "",
        "| page | MB | s until ready | of CPU | s to answer a choice | of CPU |",
        "|---|---|---|---|---|---|",
        *(f"| {name} | {' | '.join(f'{n:.2f}' for n in numbers)} |" for name, *numbers in rows),
        "",
        *told,
    ]
    (RESULTS / "page.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
