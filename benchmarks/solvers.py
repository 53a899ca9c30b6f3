"""What each special way of the kernels gains: whole fits with it and with it switched off.

One process, one thread, CPU seconds; all variants of a fit in turns, the best of each. A ratio is
the time without the way over the time with it: what stays below 1.25 on every table is not worth
its lines.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import sys
import time
import warnings
from contextlib import ExitStack
from functools import partial
from unittest.mock import patch

import numpy as np

from fslib import AMFES, CMIM, JMI, MRMR, SVMRFE, Correlation, IRelief
from fslib.data import load
from fslib.evaluate.curves import predict_curve
from fslib.kernels import margins, pairs, svm_linear
from fslib.prepare import equal_width, minmax

SCHEMES = [("MID", 0.5), ("MIQ", 0.5), *(("alpha", a / 4) for a in range(5))]


def nothing(*_):
    """A solver that never finds anything."""


class Stateless(svm_linear.LinearSolver):
    """The same solvers, but each SVM as if it were the first."""

    def solve(self, features, signs, gram=None):
        fresh = svm_linear.LinearSolver(self.C, self.tol)
        solution = fresh.solve(features, signs, gram)
        self.n_fallbacks += fresh.n_fallbacks
        return solution


class ShapeAlone(svm_linear.LinearSolver):
    """LIBSVM or the interior point, by the shape alone."""

    def solve(self, features, signs, gram=None):
        n_features, n = features.shape
        solution = None
        if n > 128 and n_features < n:
            solution = svm_linear.solve_interior(features, signs, self.C)
        if solution is None:
            if gram is None:
                gram = (features.T @ features).astype(np.float64, copy=False)
            solution = svm_linear.solve_gram(gram, signs, self.C, self.tol)
        return solution


class RowsBeyondStored(margins.PairMargins):
    """Differences stored where they fit; else, and for the last sum, row by row."""

    def exactly(self):
        of_pairs, (first, second) = self._of_pairs, self._pairs
        totals = np.zeros(self._X.shape[1])
        for begin in range(0, len(first), 256):
            part = slice(begin, begin + 256)
            totals += of_pairs[part] @ np.abs(self._X[first[part]] - self._X[second[part]])
        return totals


def without_made(X, y, sigma):
    n_values = len(X) * (len(X) - 1) // 2 * X.shape[1]
    small = 4 * n_values <= margins._STORED
    return (RowsBeyondStored if small else margins.RowMargins)(X, y, sigma)


def linear_solver(solver):
    """Patches of every module that makes one."""
    from fslib.kernels import svm_curve, svm_elimination, svm_path, svm_subsets

    return [
        patch.object(module, "LinearSolver", solver)
        for module in (svm_curve, svm_elimination, svm_path, svm_subsets)
    ]


SVM = {
    "newton": [patch.object(svm_linear, "solve_newton", nothing)],
    "exchange": [patch.object(svm_linear, "solve_by_exchange", nothing)],
    "equal rows": [patch.object(svm_linear, "_SOME_FEATURES", 0)],
    "all three": [
        patch.object(svm_linear, "solve_newton", nothing),
        patch.object(svm_linear, "solve_by_exchange", nothing),
        patch.object(svm_linear, "_SOME_FEATURES", 0),
    ],
    "history": linear_solver(Stateless),
    "history, equal rows": [
        *linear_solver(Stateless),
        patch.object(svm_linear, "_SOME_FEATURES", 0),
    ],
    "all but shape": linear_solver(ShapeAlone),
}
PAIRS = {
    "packed product": [patch.object(pairs, "_by_product", pairs._by_counting)],
    "equal rows": [
        patch.object(
            pairs,
            "_distinct_rows",
            lambda codes: (np.arange(codes.shape[1]), np.ones(codes.shape[1], np.float32)),
        )
    ],
}
MARGINS = {
    "stored": [patch.object(margins, "_STORED", 0)],
    "made": [patch("fslib.methods.irelief.margins_of_rows", without_made)],
    "row blocks": [patch.object(margins, "_MANY_PAIRS", 2**62)],
    "float32": [patch.object(margins, "_FEW", 2**62)],
    "pairs at once": [patch.object(margins, "_FAR", -1.0)],
    "all but row blocks": [patch.object(margins, "_MANY_PAIRS", -1)],
}


def measure(title, work, variants, turns):
    """Print one line: the present code's time, and how many times as long without each way."""
    works = {"present": [], **variants}
    best = dict.fromkeys(works, np.inf)
    for _ in range(turns):
        for name, patches in works.items():
            with ExitStack() as stack:
                for one in patches:
                    stack.enter_context(one)
                begin = time.process_time()
                work()
                best[name] = min(best[name], time.process_time() - begin)
    present = best.pop("present")
    ratios = " | ".join(f"{seconds / present:.2f}" for seconds in best.values())
    print(f"| {title} | {present:.3f} s | {ratios} |", flush=True)


def head(first, variants):
    print(f"\n| {first} | present | {' | '.join('without ' + name for name in variants)} |")
    print("|" + "---|" * (len(variants) + 2))


def table(name):
    data = load(name)
    X = np.where(np.isnan(data.X), np.nanmedian(data.X, axis=0), data.X)
    kept = data.fold == "train" if name.startswith("synthetic") else np.ones(len(X), dtype=bool)
    return X[kept], data.y[kept]


def svms():
    head("SVMs", SVM)
    names = "colon leukemia lymphoma_malignant reged lucap marti".split()
    for name in [*names, "synthetic_group1_500", "synthetic_group2_500"]:
        X, y = table(name)
        X = minmax(X)
        rows = np.random.default_rng(0).permutation(len(y))[: 4 * len(y) // 5]
        X, y = X[rows], y[rows]
        n, d = X.shape
        turns = 5 if n < 100 else 3 if d < 2000 else 2
        fits = {
            "AMFES": partial(AMFES(random_state=0).fit, X, y),
            "SVM-RFE": partial(SVMRFE().fit, X, y),
        }
        ordered, out = X[:, Correlation().fit(X, y).order_], np.arange(n) % 5 == 0
        fits["curve to 200"] = partial(
            predict_curve,
            "svm_linear",
            ordered[~out],
            y[~out],
            ordered[out],
            range(1, min(d, 200) + 1),
        )
        for method, fit in fits.items():
            measure(f"{method}, {name} {n} × {d}", fit, SVM, turns)


def information():
    head("counts", PAIRS)
    for name in "wine parkinsons ionosphere sonar gtzan musk1 optdigits madelon mfeat".split():
        X, y = table(name)
        X = equal_width(X, 10)
        n, d = X.shape
        schemes = [MRMR(scheme, alpha) for scheme, alpha in SCHEMES]
        rows = np.random.default_rng(1).integers(0, n, n)
        turns = 3 if n * d > 5e5 else 15
        fits = {
            "mRMR": partial(MRMR().fit, X, y),
            "mRMR, seven schemes, bootstrap": partial(MRMR.fit_together, schemes, X[rows], y[rows]),
        }
        for method, fit in fits.items():
            measure(f"{method}, {name} {n} × {d}", fit, PAIRS, turns)
        if name in ("musk1", "madelon"):
            for method in (CMIM, JMI):
                fit = partial(method(n_features_to_select=50).fit, X, y)
                measure(f"{method.__name__}, {name} {n} × {d}", fit, PAIRS, turns)


def relief():
    head("I-RELIEF", MARGINS)
    names = "lung_train leukemia_train sonar ionosphere arrhythmia segmentation waveform".split()
    for name in names:
        X, y = table(name)
        for what, Z in ((name, X), (f"{name}, 3 bins", equal_width(X, 3))):
            turns = 1 if name == "waveform" else 2 if name == "segmentation" else 7
            fit = partial(IRelief().fit, Z, y)
            measure(f"{what} {X.shape[0]} × {X.shape[1]}", fit, MARGINS, turns)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or ("svms", "information", "relief"):
        globals()[part]()
