"""Filters, information theory and stability: time against peers and the obvious way, and growth.

Everything is measured in one process with one BLAS thread, in CPU seconds, best of several runs.
Peers (praznik in R, FEAST and scikit-feature from the package index) are optional: where one is
missing its cell says so. Tables are the real ones where FSLIB_MIRROR has them, else random ones of
the same size.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import argparse
import datetime
import platform
import time
import tracemalloc
import warnings
from functools import partial
from pathlib import Path

import filters_plain as plain
import numpy as np
import scipy
import sklearn
from plots import write_growth
from sklearn.metrics import mutual_info_score

from fslib import CMIM, JMI, MRMR, Interact, IRelief
from fslib.evaluate.matching import SUMatching
from fslib.figures.panels import points
from fslib.kernels.information import mutual_information
from fslib.prepare import binarise_by_mean, equal_width, minmax

RESULTS = Path(__file__).parent / "results"
SCHEMES = [("MID", 0.5), ("MIQ", 0.5), *(("alpha", a / 4) for a in range(5))]
ABSENT = "not installed"
REMARKS = """
"Wanted" holds the project's own targets; rows without one are for information.

I-RELIEF is compared with three loops over the samples: one that sums as the formula is written,
which is the one meant by "wanted", one that sums by matrix products, and a lean one that copies
nothing besides; each until it converges at the default tolerance, and for twenty iterations. fslib
reads all differences of pairs of rows twice per iteration, in float32 where they leave the cache,
and sums the last margins again in float64; so the more iterations, the less the differences and
that last sum count. Beyond 32 MB the differences are made again block by block, and with more than
2,000 rows margins are summed over blocks of rows. On the three tables the weights differ from those
of an all-float64 run by at most 1e-8, and the rankings do not differ. Reading the 25 MB of
differences of 32 × 12533 fourteen times is more than half of the seven iterations' time, the
differences and the sum in float64 a sixth each (7.6 to 9.0 times the loop in nine runs on two
days).

The obvious stability protocol is estimated from samples of its parts (pairs, one ranking,
prefixes), with mutual information shared by its seven criteria, and information by scikit-learn's
`mutual_info_score` or by a few lines of numpy; its rankings take the mean redundancy of one
candidate after the other. That is the loop the targets were set against (43 and 1390 s where
praznik's full ranking took 1.03 s). Written without it the obvious way is less far behind; fslib's
is run in full. On 476 × 166 two fifths of fslib's time are contingency tables of pairs, a third is
matching (two thirds of it in scipy's assignment itself, 44,500 of about ten features each), an
eighth the seven rankings, and the rest checks.
"""


def seconds(work, repeats: int = 3) -> float:
    """CPU seconds of the best of several runs."""
    best = np.inf
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def peak_mb(work) -> float:
    """Peak of the memory that numpy allocated, in megabytes."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def schemes() -> list[MRMR]:
    return [MRMR(scheme, alpha) for scheme, alpha in SCHEMES]


def table(name: str, rows: int, features: int, classes: int):
    """The named data set, or random numbers of its size, and which of the two it is."""
    if os.environ.get("FSLIB_MIRROR"):
        from fslib.data import load

        d = load(name)
        train = d.fold == "train" if name == "lung" else np.ones(len(d.y), dtype=bool)
        X = np.where(np.isnan(d.X), np.nanmedian(d.X, axis=0), d.X)[train]
        return X, np.unique(d.y[train], return_inverse=True)[1], name
    rng = np.random.default_rng(rows)
    y = np.arange(rows) % classes
    X = rng.normal(size=(rows, features)) + np.outer(y, rng.normal(size=features) / classes)
    return X, y, "random"


class Report:
    """Rows of the result table, printed as they come."""

    def __init__(self):
        self.rows = []

    def add(self, work, ours, reference, theirs, wanted=None):
        """``wanted``: how many times faster than the reference, at least."""
        if theirs is None:
            cells = [ABSENT, "", "" if wanted is None else f"{wanted:.2g}", ""]
        else:
            ratio = theirs / ours
            cells = [f"{theirs:.3g} s", f"{ratio:.3g}", "", ""]
            if wanted is not None:
                cells[2:] = f"{wanted:.2g}", "yes" if ratio >= wanted else "**no**"
        self.rows.append([work, f"{ours:.3g} s", reference, *cells])
        print(" | ".join(self.rows[-1]), flush=True)

    def markdown(self) -> list[str]:
        head = ["work", "fslib", "reference", "its time", "times faster", "wanted", "met"]
        return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *self.rows)]


def mrmr_and_cmim(report: Report, repeats: int, quick: bool) -> None:
    X, y, _ = table("mfeat", 2000, 649, 10)
    X = equal_width(X, 10)
    if quick:
        X = X[:, ::6].copy()
    n, d = X.shape
    size = f"{n} × {d}, 10 bins"
    feast, scikit_feature = plain.feast(), plain.scikit_feature_mrmr()

    one = seconds(lambda: MRMR().fit(X, y), repeats)
    theirs = plain.praznik_seconds("MRMR", X, y, d, repeats)
    report.add(f"mRMR MID, full ranking, {size}", one, "praznik (C)", theirs, 1)
    theirs = seconds(lambda: feast.mRMR_D(X, y, d), 1) if feast else None
    report.add("the same", one, "FEAST (C)", theirs)
    sampled = None
    if scikit_feature:
        # scikit-feature evaluates every remaining feature at each step, so that the time of three
        # steps is scaled up to d steps by the number of evaluations.
        three = seconds(lambda: scikit_feature(X, y, n_selected_features=3), 1)
        sampled = three * (d * (d + 1) / 2) / (d + (d - 1) + (d - 2))
    report.add("the same", one, "scikit-feature, from 3 steps", sampled, 100)

    seven = seconds(lambda: MRMR.fit_together(schemes(), X, y), repeats)
    report.add("MID, MIQ and five alphas together", seven, "MID alone", one, 1 / 1.2)

    top = seconds(lambda: MRMR(n_features_to_select=50).fit(X, y), repeats)
    theirs = plain.praznik_seconds("MRMR", X, y, 50, repeats)
    report.add(f"mRMR MID, top 50, {size}", top, "praznik (C)", theirs, 1 / 1.3)

    tables = [(X, y, size, repeats)]
    rng = np.random.default_rng(0)
    wide = (rng.random((2000, 1000 if quick else 10000)) < 0.5).astype(int)
    wide[:, ::7] |= wide[:, :1]
    noise = rng.integers(0, 12, len(wide))
    tables.append(
        (wide, (wide[:, :30].sum(1) + noise > 24).astype(int), f"2000 × {wide.shape[1]}, binary", 1)
    )
    for Z, labels, what, praznik_repeats in tables:
        ours = seconds(lambda Z=Z, c=labels: CMIM(n_features_to_select=50).fit(Z, c), repeats)
        theirs = seconds(lambda Z=Z, c=labels: feast.CMIM(Z, c, 50), repeats) if feast else None
        report.add(f"CMIM, top 50, {what}", ours, "FEAST (C)", theirs, 1 / 3)
        theirs = plain.praznik_seconds("CMIM", Z, labels, 50, praznik_repeats)
        report.add("the same", ours, "praznik (C)", theirs, 1)
    ours = seconds(lambda: JMI(n_features_to_select=50).fit(X, y), repeats)
    theirs = seconds(lambda: feast.JMI(X, y, 50), repeats) if feast else None
    report.add(f"JMI, top 50, {size}", ours, "FEAST (C)", theirs)


def stability_protocol(report: Report, name: str, rows: int, features: int, classes: int, wanted):
    """Gulgezen et al.: 10 bootstraps, sub-samples of 5 ratios, 7 criteria, all prefix lengths."""
    X, y, _ = table(name, rows, features, classes)
    X = equal_width(X, 10)
    rng = np.random.default_rng(1)
    samples = [rng.integers(0, len(X), len(X)) for _ in range(10)]
    ratios = (0.1, 0.25, 0.5, 0.75)  # the fifth, 1, is the bootstrap itself
    matching = None

    def ours():
        nonlocal matching
        matching = SUMatching(X)
        for rows in samples:
            whole = MRMR.fit_together(schemes(), X[rows], y[rows])
            for ratio in ratios:
                part = rows[: int(ratio * len(rows))]
                for a, b in zip(whole, MRMR.fit_together(schemes(), X[part], y[part]), strict=True):
                    matching(a.order_, b.order_)

    mine = seconds(ours, 3 if len(X) < 1000 else 1)
    d = X.shape[1]
    relevance, pairs = mutual_information(X, y), matching.su
    part = samples[0][: len(X) // 4]
    a, b = (MRMR().fit(X[rows], y[rows]).order_ for rows in (samples[0], part))
    lengths = np.arange(1, d + 1, max(1, d // 60))
    prefix = seconds(lambda: plain.assignment_per_prefix(pairs, a, b, lengths), 1)
    matchings = 280 * prefix * d / len(lengths)
    rankings = {
        redundancies: 350
        * seconds(lambda r=redundancies: plain.greedy(relevance, pairs, np.subtract, r), 2)
        for redundancies in (plain.one_by_one, plain.all_at_once)
    }
    by_numpy = partial(plain.information, bins=10)
    for information, redundancies, what, aim in (
        (mutual_info_score, plain.one_by_one, "scikit-learn per pair, loops", wanted),
        (by_numpy, plain.one_by_one, "numpy per pair, loops", wanted),
        (by_numpy, plain.all_at_once, "numpy per pair, no loop over candidates", None),
    ):
        obvious = matchings + rankings[redundancies]
        for ratio in (*ratios, 1.0):
            part = samples[0][: int(ratio * len(X))]
            some = rng.integers(0, d, (400, 2))
            per_pair = seconds(
                lambda f=information, p=part, s=some: [f(X[p, a], X[p, b]) for a, b in s], 2
            )
            obvious += 10 * per_pair / len(some) * d * (d + 1) / 2
        report.add(f"stability protocol, {len(X)} × {d}", mine, f"{what}, sampled", obvious, aim)


def su_matching(report: Report, quick: bool) -> None:
    X, y, name = table("mfeat", 2000, 649, 10)
    X = equal_width(X, 10)[:, :: 6 if quick else 1]
    matching = SUMatching(X)
    rng = np.random.default_rng(2)
    part = rng.permutation(len(X))[: len(X) // 4]
    whole, other = MRMR().fit(X, y).order_, MRMR().fit(X[part], y[part]).order_
    share = matching.certified.mean()
    d = X.shape[1]
    for what, order, wanted in (
        ("of a quarter of the rows", other, 4),
        ("at random", rng.permutation(d), 4),
    ):
        ours = seconds(lambda o=order: matching(whole, o))
        theirs = seconds(
            lambda o=order: plain.assignment_per_prefix(matching.su, whole, o, range(1, d + 1)), 1
        )
        work = f"SU matching, all prefixes, d = {d} ({name}), certified {share:.0%}, order {what}"
        report.add(work, ours, "an assignment per prefix", theirs, wanted)


def relief_and_interact(report: Report, quick: bool) -> None:
    for name, size, wanted in (
        ("sonar", (208, 60, 2), 5),
        ("arrhythmia", (452, 279, 13), 3),
        ("lung", (32, 12533, 2), 8),
    ):
        X, y, source = table(name, *size)
        scaled = minmax(X)
        work = f"I-RELIEF, {len(X)} × {X.shape[1]} ({source})"
        short, long = IRelief().fit(X, y), IRelief(max_iter=20, tol=0.0)
        loops = {
            "numpy loop": partial(plain.irelief, weighted_sum=plain.sum_as_written),
            "numpy loop with matrix products": plain.irelief,
            "lean numpy loop": plain.irelief_lean,
        }
        works = [
            partial(short.fit, X, y),
            partial(long.fit, X, y),
            *(partial(loop, scaled, y, short.sigma_, short.n_iter_) for loop in loops.values()),
        ]
        best = np.full(len(works), np.inf)
        for _ in range(2 if quick else 6):  # in turns, as the machine's speed varies
            best = np.minimum(best, [seconds(one, 3) for one in works])
        for what, theirs in zip(loops, best[2:], strict=True):
            for method, ours in zip((short, long), best, strict=False):
                report.add(
                    f"{work}, {method.n_iter_} iterations",
                    ours,
                    f"{what} over samples",
                    theirs * method.n_iter_ / short.n_iter_,
                    wanted if what == "numpy loop" else None,
                )
    for name, size in (("waveform", (5000, 21, 3)), ("arrhythmia", (452, 279, 13))):
        X, y, source = table(name, *size)
        X = equal_width(X, 3)
        order = np.argsort(-mutual_information(X, y), kind="stable").tolist()
        ours = seconds(lambda X=X, y=y: Interact().fit(X, y))
        theirs = seconds(lambda X=X, y=y, o=order: plain.interact(X, y, o, 1e-4), 1)
        report.add(
            f"INTERACT, {len(X)} × {X.shape[1]} ({source})", ours, "dictionary of rows", theirs
        )


def memory() -> list[str]:
    X, y, _ = table("mfeat", 2000, 649, 10)
    codes = equal_width(X, 10)
    wide = binarise_by_mean(np.random.default_rng(0).normal(size=(2000, 10000)))
    lung, labels, _ = table("lung", 32, 12533, 2)
    tall, classes, _ = table("waveform", 5000, 21, 3)
    works = {
        "mRMR, full ranking, 2000 × 649": lambda: MRMR().fit(codes, y),
        f"CMIM, top 50, 2000 × {wide.shape[1]} binary": lambda: CMIM(n_features_to_select=50).fit(
            wide, y % 2
        ),
        "SU matching, 649 features": lambda: SUMatching(codes),
        "I-RELIEF, 32 × 12533": lambda: IRelief(max_iter=3).fit(lung, labels),
        "I-RELIEF, 5000 × 21": lambda: IRelief(max_iter=2).fit(tall, classes),
    }
    lines = ["| work | peak of numpy's memory |", "| --- | --- |"]
    return lines + [f"| {what} | {peak_mb(work):.0f} MB |" for what, work in works.items()]


def growth() -> None:
    """Time against rows, features and bins, one panel each, as one small picture."""
    rng = np.random.default_rng(0)
    methods = {
        "mRMR, full": lambda X, y, b: MRMR(bins=b).fit(X, y),
        "mRMR, top 50": lambda X, y, b: MRMR(bins=b, n_features_to_select=50).fit(X, y),
        "CMIM, top 50": lambda X, y, b: CMIM(bins=b, n_features_to_select=50).fit(X, y),
        "I-RELIEF, 5 iterations": lambda X, y, b: IRelief(max_iter=5, tol=0).fit(X, y),
    }
    n, d, b = 500, 200, 10
    panels = {
        "rows": ([125, 250, 500, 1000, 2000], lambda v: (v, d, b)),
        "features": ([50, 100, 200, 400, 800], lambda v: (n, v, b)),
        "bins": ([2, 3, 5, 10, 20, 40], lambda v: (n, d, v)),
    }
    lines = []
    for what, (values, size) in panels.items():
        for label, work in methods.items():
            if what == "bins" and label.startswith("I-RELIEF"):
                continue
            times = []
            for value in values:
                rows, features, bins = size(value)
                y = np.arange(rows) % 4
                X = rng.normal(size=(rows, features)) + np.outer(y, rng.normal(size=features))
                times.append(seconds(lambda X=X, y=y, k=bins, w=work: w(X, y, k), 2))
            lines.append(points(what, label, values, times))
    title = f"Otherwise {n} rows, {d} features, {b} bins"
    write_growth(title, lines, RESULTS / "filters_growth.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small tables, a minute in all")
    parser.add_argument(
        "--only",
        choices=("relief", "protocol", "growth"),
        help="print the rows of I-RELIEF and INTERACT, or of the stability protocol; draw growth",
    )
    parser.add_argument("--note", default="", help="a sentence about this run for the result file")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=sklearn.exceptions.ConvergenceWarning)
    if options.only == "growth":
        return growth()
    quick, report = options.quick, Report()
    if options.only is None:
        mrmr_and_cmim(report, 1 if quick else 5, quick)
        su_matching(report, quick)
    if options.only != "protocol":
        relief_and_interact(report, quick)
    if options.only != "relief":
        stability_protocol(report, "musk1", 476, 166, 2, 40)
        if not quick:
            stability_protocol(report, "mfeat", 2000, 649, 10, 30)
    if quick or options.only:
        return
    growth()
    lines = [
        "# Filters, information theory and stability",
        "",
        f"{datetime.date.today()}, {_processor()}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}; "
        "`python benchmarks/filters.py`. CPU seconds of whole `fit` calls, validation included, "
        "one thread, best of several runs. FEAST is the package `fstoolbox`, scikit-feature the "
        f"package `skfeature-chappers`. {options.note}",
        "",
        *report.markdown(),
        "",
        "## Memory",
        "",
        *memory(),
        "",
        "## Growth",
        "",
        "![time against rows, features and bins](filters_growth.svg)",
        "",
        "## Remarks",
        REMARKS.rstrip(),
    ]
    (RESULTS / "filters.md").write_text("\n".join(lines) + "\n")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
