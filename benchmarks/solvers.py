"""What each special way of the kernels gains: whole fits with it and with it switched off.

One process, one thread, CPU seconds; all variants of a fit in turns, the best of each. A ratio is
the time without the way over the time with it: what stays below 1.25 on every table is not worth
its lines. ``benchmarks/results/solvers.md`` keeps what this printed, and what was deleted for it.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import argparse
import time
import warnings
from contextlib import ExitStack
from functools import partial
from unittest.mock import patch

import numpy as np

from fslib import AMFES, MRMR, SVMRFE, Correlation, IRelief
from fslib.data import load
from fslib.kernels import margins, pairs
from fslib.kernels.svm import interior, linear
from fslib.kernels.svm.curve import linear_curve
from fslib.prepare import equal_width, minmax

SCHEMES = [("MID", 0.5), ("MIQ", 0.5), *(("alpha", a / 4) for a in range(5))]
MICROARRAYS = ("colon", "leukemia", "lymphoma_malignant")
CHALLENGE = ("reged", "lucap", "marti", "synthetic_group1_500", "synthetic_group2_500")
STABILITY = ("wine", "ionosphere", "sonar", "musk1", "optdigits", "madelon", "mfeat")
SURVEY = ("lung_train", "leukemia_train", "sonar", "ionosphere", "arrhythmia", "segmentation")


def every_row(table):
    """In place of the search for equal rows: each row once."""
    return np.arange(len(table)), np.arange(len(table)), np.ones(len(table))


SVM_WAYS = {
    "active set": patch.object(linear, "WIDE", np.inf),
    "equal rows": patch.object(linear, "_FEW_FEATURES", 0),
    "rows taken out": patch.object(interior, "_WORTH_TAKING_OUT", 1.0),
}
COUNTING_WAYS = {
    "packed product": patch.object(pairs, "_by_product", pairs._by_counting),
    "equal rows": patch.object(pairs, "distinct_rows", every_row),
}
MARGIN_WAYS = {
    "stored differences": patch.object(margins, "_STORED", 0),
    "blocks of rows": patch.object(margins, "_MANY_PAIRS", 2**62),
    "float32": patch.object(margins, "_FEW", 2**62),
    "differences of pairs": patch.object(margins, "_MANY_PAIRS", -1),
}


def measure(title, work, ways, turns):
    """Print one line: the time of the code as it is, and how many times that without each way."""
    best = dict.fromkeys([None, *ways], np.inf)
    for _ in range(turns):
        for way in best:
            with ExitStack() as stack:
                if way is not None:
                    stack.enter_context(ways[way])
                begin = time.process_time()
                work()
                best[way] = min(best[way], time.process_time() - begin)
    whole = best.pop(None)
    ratios = " | ".join(f"{seconds / whole:.2f}" for seconds in best.values())
    print(f"| {title} | {whole:.3f} s | {ratios} |", flush=True)


def head(ways):
    print(f"\n| whole fit | as it is | {' | '.join('without ' + way for way in ways)} |")
    print("|" + "---|" * (len(ways) + 2))


def table(name):
    """Rows without gaps, and their classes; of generated sets the training rows."""
    data = load(name)
    X = np.where(np.isnan(data.X), np.nanmedian(data.X, axis=0), data.X)
    kept = data.fold == "train" if name.startswith("synthetic") else np.ones(len(X), dtype=bool)
    return X[kept], data.y[kept]


def svms(turns):
    """AMFES, SVM-RFE and the curve of the first 200 features on four fifths of the rows."""
    head(SVM_WAYS)
    for name in (*MICROARRAYS, *CHALLENGE):
        X, y = table(name)
        X = minmax(X)
        rows = np.random.default_rng(0).permutation(len(y))[: 4 * len(y) // 5]
        X, y = X[rows], y[rows]
        n, d = X.shape
        ranked, out = X[:, Correlation().fit(X, y).order_], np.arange(n) % 5 == 0
        train, test, sizes = ranked[~out], ranked[out], range(1, min(d, 200) + 1)
        works = {
            "AMFES": partial(AMFES(random_state=0).fit, X, y),
            "SVM-RFE": partial(SVMRFE().fit, X, y),
            "SVM curve": partial(linear_curve, train, y[~out], test, sizes),
        }
        for method, work in works.items():
            measure(f"{method}, {name} {n} × {d}", work, SVM_WAYS, turns)


def counting(turns):
    """mRMR alone, and the stability paper's seven schemes on a bootstrap."""
    head(COUNTING_WAYS)
    for name in STABILITY:
        X, y = table(name)
        X = equal_width(X, 10)
        n, d = X.shape
        rows = np.random.default_rng(1).integers(0, n, n)
        schemes = [MRMR(scheme, alpha) for scheme, alpha in SCHEMES]
        measure(f"mRMR, {name} {n} × {d}", partial(MRMR().fit, X, y), COUNTING_WAYS, 5 * turns)
        seven = partial(MRMR.fit_together, schemes, X[rows], y[rows])
        measure(f"seven schemes, bootstrap of {name}", seven, COUNTING_WAYS, 5 * turns)


def relief(turns):
    """I-RELIEF until it converges."""
    head(MARGIN_WAYS)
    for name in SURVEY:
        X, y = table(name)
        work = partial(IRelief().fit, X, y)
        measure(f"I-RELIEF, {name} {len(X)} × {X.shape[1]}", work, MARGIN_WAYS, 3 * turns)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {part.__name__: part for part in (svms, counting, relief)}
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(parts))
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for part in options.parts or parts:
        parts[part](options.turns)


if __name__ == "__main__":
    main()
