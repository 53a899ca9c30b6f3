"""What decision values and further measures cost, beside predicted classes alone as they were.

`before` is the last commit whose curves gave classes only; its package is taken from git. Processes
of both packages measure the same curves in turns, one thread each, CPU seconds, the best of all
turns. ``benchmarks/results/measures.md`` keeps what this printed.

    python benchmarks/measures.py [--turns 3] [--before 7db7619]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
RESULTS = PROJECT / "benchmarks" / "results" / "measures.md"
#: Training rows, test rows, features, classes.
TABLES = [(100, 50, 2000, 2), (400, 200, 200, 2), (400, 200, 60, 5)]
CLASSIFIERS = ["knn1", "knn3", "lssvm", "nb", "nb_categorical", "svm_linear", "svm_rbf"]
SIZES = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]

#: Run by either package: CPU seconds of each curve, once with classes and once with values.
WORKER = """
import json, sys, time
import numpy as np
import fslib.evaluate.classifier as classifier
tables, names, sizes = json.loads(sys.argv[1])
values_too = hasattr(classifier, "decision_curve")
if values_too:
    from fslib.evaluate.measures import MEASURES, Judged
found = {}

def timed(work, budget=0.25):
    work()
    best, spent = np.inf, 0.0
    while spent < budget:
        start = time.process_time()
        work()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
    return best

def old_measures(predicted, truth):
    right = predicted == truth
    np.mean([right[:, truth == c].mean(axis=1) for c in np.unique(truth)], axis=0)
    right.mean(axis=1)

for n, m, d, c in tables:
    rng = np.random.default_rng(0)
    y = np.arange(n + m) % c
    X = rng.standard_normal((n + m, d))
    X[:, :20] += 0.5 * y[:, None]
    codes = np.clip(np.round(X + 2), 0, 5)
    for name in names:
        if name == "lssvm" and c > 2:
            continue
        Z = codes if name == "nb_categorical" else X
        data = Z[:n], y[:n], Z[n:], sizes
        truth = y[n:]
        key = f"{name} {n} {d} {c}"
        if not values_too:
            found[key] = timed(lambda: old_measures(classifier.predict_curve(name, *data), truth))
            continue
        def measured(names, values=False):
            decisions = classifier.decision_curve(name, *data)
            if values:
                decisions.scores()
            judged = Judged(truth, decisions)
            for measure in names:
                MEASURES[measure].function(judged)
        two = ["accuracy", "balanced_accuracy"]
        found[key] = [
            timed(lambda: measured(two)),
            timed(lambda: measured(two, values=True)),
            timed(lambda: measured(MEASURES)),
        ]
print(json.dumps(found))
"""


def run(package: Path) -> dict:
    threads = {f"{n}_NUM_THREADS": "1" for n in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")}
    done = subprocess.run(
        [sys.executable, "-c", WORKER, json.dumps([TABLES, CLASSIFIERS, SIZES])],
        env=os.environ | threads | {"PYTHONPATH": str(package)},
        cwd=package,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--before", default="7db7619")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", asked.before, "fslib"], cwd=PROJECT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        turns = [(run(Path(folder)), run(PROJECT)) for _ in range(asked.turns)]
    lines = [
        "# Decision values and measures",
        "",
        f"`python benchmarks/measures.py --turns {asked.turns}`, "
        f"{datetime.date.today()}, {platform.machine()}, Python {platform.python_version()}. "
        f"Curves at sizes {SIZES}. *before*: classes only, accuracy and balanced accuracy, at "
        f"commit {asked.before}. The other columns are ratios to it: the same measures now; with "
        "decision values; with all six measures. Wanted of decision values: at most 1.20.",
        "",
        "| classifier | rows | features | classes | before, ms | classes | values | six measures |",
        "|---|---|---|---|---|---|---|---|",
    ]
    ratios = []
    for key in turns[0][0]:
        before = min(old[key] for old, _ in turns)
        now = [min(new[key][i] for _, new in turns) / before for i in range(3)]
        name, n, d, c = key.split()
        ratios.append(now)
        lines.append(
            f"| {name} | {n} | {d} | {c} | {1000 * before:.2f} | "
            + " | ".join(f"{ratio:.2f}" for ratio in now)
            + " |"
        )
    over = sum(values > 1.2 for _, values, _ in ratios)
    lines += ["", f"Decision values over 1.20: {over} of {len(ratios)}."]
    RESULTS.write_text("\n".join(lines) + "\n")
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()
