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
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from whole_runs import PROJECT, RESULTS, about

sys.path.append(str(PROJECT / "tests"))
from make_frames import YARDSTICKS, Study
from make_study import STAMP, study_for_page

from fslib.report.page import render

#: Data sets, methods and splits.
STUDIES = {"quick": (7, 18, 5), "grand": (26, 30, 10)}
FEATURES = 60
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


def measured(browser, page_file: Path) -> tuple[float, float, float]:
    """Megabytes, seconds until the page is ready, seconds until a choice is answered."""
    page = browser.new_page()
    page.goto(page_file.as_uri(), wait_until="load")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete") / 1000
    box = page.locator("form.choice input[type=checkbox]").first
    answer = box.evaluate(
        """box => { const start = performance.now(); box.click(); document.body.offsetHeight;
                    return performance.now() - start; }"""
    )
    page.close()
    return page_file.stat().st_size / 1e6, ready, answer / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path, help="finished pages to measure too")
    pages = parser.parse_args().pages
    told = []
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for name, shape in STUDIES.items():
            start = time.process_time()
            study = study_for_page(generated(*shape), name, "Generated")
            middle = time.process_time()
            made.append(Path(folder, f"size of {name}: {shape[0]} × {shape[1]}, generated.html"))
            made[-1].write_text(render([study], STAMP), encoding="utf-8")
            told.append(
                f"Size of {name}: comparing and drawing took {middle - start:.0f} s of CPU, laying "
                f"out the page {time.process_time() - middle:.1f} s."
            )
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            rows = [(p.stem, *measured(browser, p)) for p in [*made, *map(Path.resolve, pages)]]
            browser.close()
    lines = [
        "# The report's size and speed",
        "",
        *about("python benchmarks/page.py"),
        "| page | MB | s until ready | s to answer a choice |",
        "|---|---|---|---|",
        *(
            f"| {name} | {mb:.1f} | {ready:.2f} | {answer:.2f} |"
            for name, mb, ready, answer in rows
        ),
        "",
        *told,
    ]
    (RESULTS / "page.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
