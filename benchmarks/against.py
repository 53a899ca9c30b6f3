"""Whole fits of AMFES and SVM-RFE by another checkout and by this one, in turns.

One process for each checkout with one thread; CPU seconds, the best of a few turns where a fit is
short. `git archive COMMIT | tar -x -C FOLDER` makes the other checkout. The table says whether the
fifty best features are in the same order, and how many of all ranks are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

# ruff: noqa: E402 (thread counts must be set before numpy is imported)
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))

import numpy as np

HERE = Path(__file__).resolve().parent
SYNTHETIC = [f"synthetic_group{g}_{n}" for g in (1, 2) for n in (500, 1000, 1500)]
PAPERS = ["colon", "lymphoma", "leukemia", "reged", "marti", "lucap", "gina"]
#: A fit longer than this is not repeated.
LONG = 3.0


def correlated(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns that share twenty factors, as pixels of a picture do; five tell the classes apart."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((n, 20))
    X = factors @ rng.standard_normal((20, d)) + 2.0 * rng.standard_normal((n, d))
    return X, (factors[:, :5].sum(axis=1) + rng.standard_normal(n) > 0).astype(int)


def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A paper's training part as in `svm.py`; of generated sets four fifths of the rows."""
    from svm import table as of_a_paper

    from fslib.data import load
    from fslib.prepare import minmax

    if name == "gina":  # only its size: nobody may pass the table on
        X, y = correlated(3153, 970)
        return minmax(X), y
    if name not in SYNTHETIC:
        return of_a_paper(name)[:2]
    data = load(name)
    X, y = minmax(data.X[data.fold == "train"]), data.y[data.fold == "train"]
    rows = np.random.default_rng(0).permutation(len(y))[: 4 * len(y) // 5]
    return X[rows], y[rows]


def answer() -> None:
    """Fit what standard input asks for with the fslib that Python finds."""
    from fslib import AMFES, SVMRFE, RandomSubsets

    methods = {
        "AMFES": AMFES(random_state=0),
        "RandomSubsets": RandomSubsets(random_state=0),
        "SVM-RFE": SVMRFE(),
    }
    for line in sys.stdin:
        method, file = line.split()
        X, y = np.load(file).values()
        begin = time.process_time()
        fitted = methods[method].fit(X, y)
        took = time.process_time() - begin
        print(json.dumps([took, fitted.order_.tolist(), fitted.n_fallbacks_]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="folder of the other checkout")
    parser.add_argument("--methods", nargs="*", default=["AMFES", "SVM-RFE"])
    parser.add_argument("--only", nargs="*", default=[*PAPERS, *SYNTHETIC], help="these tables")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    sides = []
    for folder in (options.other.resolve(), HERE.parent):
        command = [sys.executable, "-W", "ignore", __file__, "--answer"]
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        sides.append(subprocess.Popen(command, cwd=folder, env=environment, **pipes))

    def fit(side, method, file):
        side.stdin.write(f"{method} {file}\n")
        side.stdin.flush()
        return json.loads(side.stdout.readline())

    print("| whole fit | other | this | ratio | fifty best | same ranks | left to LIBSVM |")
    print("|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as folder:
        file = Path(folder, "table.npz")
        for method, name in product(options.methods, options.only):
            X, y = table(name)
            np.savez(file, X, y)
            best = [float("inf"), float("inf")]
            for turn in range(options.turns):
                if turn and max(best) > LONG:
                    break
                told = [fit(side, method, file) for side in sides]
                best = [min(b, took) for b, (took, *_) in zip(best, told, strict=True)]
            (_, before, other_left), (_, after, left) = told
            same = np.mean(np.equal(before, after))
            top = "same" if before[:50] == after[:50] else "differ"
            print(
                f"| {method}, {name} {len(X)} × {len(X.T)} | {best[0]:.2f} s | {best[1]:.2f} s "
                f"| {best[0] / best[1]:.2f} | {top} | {100 * same:.1f} % | {other_left}, {left} |",
                flush=True,
            )
    for side in sides:
        side.stdin.close()
        side.wait()


if __name__ == "__main__":
    answer() if sys.argv[1:] == ["--answer"] else main()
