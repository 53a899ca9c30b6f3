"""Wrappers: time of their criteria and searches against scikit-learn, mlxtend and plain solving.

Everything is measured in one process with one BLAS thread, in CPU seconds, the best of several
runs, peers side by side. Tables are the real ones where FSLIB_MIRROR has them, else random ones of
the same size. mlxtend is optional: where it is missing its cell says so.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import argparse
import datetime
import multiprocessing
import platform
import resource
import time
import warnings
from pathlib import Path

import numpy as np
import scipy
import sklearn
from plots import write_growth
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import (
    PredefinedSplit,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from fslib import BABD, DAF, SFFS
from fslib.criteria.base import fixed_folds
from fslib.criteria.lssvm import LSSVMCriterion
from fslib.criteria.named import criterion_for
from fslib.figures.panels import points
from fslib.prepare import minmax, standard

RESULTS = Path(__file__).parent / "results"


def seconds(work, repeats: int = 3) -> float:
    """CPU seconds of the best of several runs."""
    best = np.inf
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def table(name: str | None, n: int, d: int, prepare) -> tuple[np.ndarray, np.ndarray, str]:
    """n rows of a real data set in two classes, or a random table of that size."""
    random = np.random.default_rng(0)
    if name is not None and os.environ.get("FSLIB_MIRROR"):
        from fslib.data import load

        loaded = load(name)
        X = loaded.X[:, ~np.isnan(loaded.X).all(axis=0)]
        X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        rows = np.sort(random.permutation(len(X))[:n])
        if len(rows) == n and len(np.unique(loaded.y[rows])) == 2:
            X = prepare(X[rows])
            return X, np.unique(loaded.y[rows], return_inverse=True)[1], f"{name}"
    y = np.arange(n) % 2
    X = random.normal(size=(n, d))
    X[:, : min(20, d)] += 0.3 * y[:, None]
    return prepare(X), y, "random"


def row(work: str, X, data: str, ours: float, peer: float, target: float, unit: str) -> list[str]:
    scale = {"ms": 1e3, "s": 1.0}[unit]
    size = f"{X.shape[0]} × {X.shape[1]} ({data})"
    times = f"{ours * scale:.3g} {unit}", f"{peer * scale:.3g} {unit}"
    return [work, size, *times, f"{peer / ours:.1f}", f"{target:g}"]


def probes(quick: bool) -> list[list[str]]:
    """J of random subsets of up to 150 of 500 features, three folds."""
    X, y, data = table("madelon", 1000, 500, standard)
    folds = PredefinedSplit(fixed_folds(y, 3))
    random = np.random.default_rng(1)
    gamma = 1.0 / 500
    cases = [
        ("knn3", {}, KNeighborsClassifier(3), 7, [random.integers(1, 151) for _ in range(40)]),
        ("svm_linear", {"C": 1.0}, SVC(kernel="linear"), 8, [20] if quick else [20, 80, 140]),
        ("svm_rbf", {"C": 1.0, "gamma": gamma}, SVC(gamma=gamma), 3, [20, 80, 140]),
    ]
    rows = []
    for name, params, model, target, sizes in cases:
        subsets = [np.sort(random.choice(500, size, replace=False)) for size in sizes]
        J = criterion_for(name, X, y, 3, params)
        groups = [subsets] if name == "knn3" else [[subset] for subset in subsets]
        for group in groups:
            ours = seconds(lambda J=J, group=group: J.many(group), 5) / len(group)
            begin = time.process_time()
            for subset in group:
                cross_val_score(model, X[:, subset], y, cv=folds)
            peer = (time.process_time() - begin) / len(group)
            size = "size ≤ 150" if len(group) > 1 else f"size {len(group[0])}"
            rows.append(row(f"DAF probe, {name}, {size}", X, data, ours, peer, target, "ms"))
    return rows


def texts(quick: bool) -> list[list[str]]:
    """J of random terms on half of the Reuters texts in 33 classes, or on texts like them."""
    random = np.random.default_rng(0)
    if os.environ.get("FSLIB_MIRROR"):
        from fslib.data import load

        loaded = load("reuters21578")
        X, _, y, _ = train_test_split(
            loaded.X, loaded.y, test_size=0.5, stratify=loaded.y, random_state=0
        )
        data = "reuters21578"
    else:
        y, data = np.sort(random.geometric(0.3, 4470).clip(max=20)) - 1, "random"
        often = random.gamma(0.05, 0.1, (20, 2000))
        X = random.poisson(often[y]).astype(float)
    J = criterion_for("svm_linear", X, y, 3, {"C": 1.0})
    sizes = random.integers(1, 201, 5 if quick else 40)
    subsets = [random.choice(X.shape[1], size, replace=False) for size in sizes]
    ours = seconds(lambda: J.many(subsets), 2) / len(subsets)
    sample, folds = subsets[: 1 if quick else 3], PredefinedSplit(J.fold_of)
    peer = seconds(
        lambda: [cross_val_score(SVC(kernel="linear"), X[:, s], y, cv=folds) for s in sample], 1
    )
    return [row("DAF probe, svm_linear, size ≤ 200", X, data, ours, peer / len(sample), 10, "ms")]


def floating(quick: bool) -> list[list[str]]:
    """SFFS with 3-NN to ten features, end to end."""
    try:
        from mlxtend.feature_selection import SequentialFeatureSelector
    except ImportError:
        return [["SFFS, 3-NN", "", "", "mlxtend is not installed", "", "8"]]
    wdbc = load_breast_cancer()
    tables = [(minmax(wdbc.data), wdbc.target, "wdbc"), table("spambase", 2300, 57, minmax)]
    rows = []
    for X, y, data in tables:
        size = 3 if quick else 10
        ours = seconds(lambda X=X, y=y, size=size: SFFS("knn3", size).fit(X, y), 2)
        peer = SequentialFeatureSelector(
            KNeighborsClassifier(3),
            k_features=size,
            floating=True,
            scoring="accuracy",
            cv=StratifiedKFold(3),
        )
        theirs = seconds(lambda X=X, y=y, peer=peer: peer.fit(X, y), 1)
        rows.append(row(f"SFFS, 3-NN, {size} features", X, data, ours, theirs, 8, "s"))
    return rows


def solve_folds(J: LSSVMCriterion, subset) -> float:
    """MAE of the left-out rows, one linear system per fold."""
    y, folds, Z = np.where(J.y == 0, 1.0, -1.0), J.fold_of, J.X[:, subset]
    K = Z @ Z.T
    if J.kernel == "rbf":
        squares = K.diagonal()
        K = np.exp(-J.gamma / len(subset) * (squares[:, None] + squares - 2 * K))
    error = 0.0
    for fold in range(J.n_folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        n = len(train)
        system = np.ones((n + 1, n + 1))
        system[:n, :n] = K[train[:, None], train] + np.eye(n) / J.C
        system[n, n] = 0.0
        solution = np.linalg.solve(system, np.append(y[train], 0.0))
        error += np.abs(y[test] - K[test[:, None], train] @ solution[:n] - solution[n]).sum()
    return error / len(y)


def candidates(quick: bool) -> list[list[str]]:
    """The error of adding each feature to a set of ten, five folds."""
    cases = [
        ("hedenfalk_brca1", 14, 3226, "linear", 200),
        ("colon", 40, 2000, "linear", 200),
        ("vantveer_measured", 78, 24188, "linear", 200),
        ("prostate", 102, 12600, "linear", 200),
        ("ionosphere", 281, 34, "rbf", 2.5),
        ("wdbc", 455, 30, "rbf", 2.5),
    ]
    rows = []
    for name, n, d, kernel, target in cases[: 2 if quick else None]:
        X, y, data = table(name, n, d, minmax)
        C, gamma = (1.0, None) if kernel == "linear" else (10.0, 1.0)
        J = LSSVMCriterion(X, y, fixed_folds(y, 5), "mae", kernel, C, gamma)
        current, rest = np.arange(10), np.arange(10, X.shape[1])
        sample = rest[:20]
        ours = seconds(lambda J=J, a=current, b=rest: J.plus_each(a, b), 5)
        peer = seconds(lambda J=J, a=current, b=sample: [solve_folds(J, [*a, c]) for c in b], 3)
        peer *= len(rest) / len(sample)
        rows.append(row(f"BABD, all candidates, {kernel}", X, data, ours, peer, target, "ms"))
    return rows


def generations(quick: bool) -> list[list[str]]:
    """One generation of 100 chromosomes, Gaussian naive Bayes, ten folds."""
    rows = []
    for name, n, d in [("arrhythmia_binary", 452, 279), ("sonar", 208, 60)]:
        X, y, data = table(name, n, d, minmax)
        J = criterion_for("nb", X, y, 10)
        random = np.random.default_rng(0)
        chromosomes = [np.flatnonzero(random.random(X.shape[1]) < 0.5) for _ in range(100)]
        ours = seconds(lambda J=J, chromosomes=chromosomes: J.many(chromosomes), 7)
        sample, folds = chromosomes[:10], PredefinedSplit(J.fold_of)
        peer = seconds(
            lambda X=X, y=y, folds=folds, sample=sample: [
                cross_val_score(GaussianNB(), X[:, c], y, cv=folds) for c in sample
            ],
            2,
        )
        rows.append(row("GA generation, NB", X, data, ours, peer * 10, 200, "ms"))
    return rows


def _batch(queue) -> None:
    X, y, data = table("vantveer_measured", 78, 24188, minmax)
    begin = time.process_time()
    fitted = BABD("mae").fit(X, y)
    spent = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    queue.put((X.shape, data, spent, peak, len(fitted.order_), fitted.error_))


def whole_batch() -> str:
    """Batch BABD on the largest microarray, in a process of its own for its memory."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_batch, args=(queue,))
    process.start()
    (n, d), data, spent, peak, size, error = queue.get()
    process.join()
    return (
        f"Batch BABD, MAE, {n} × {d} ({data}): {spent:.1f} s (paper 3557 s; at most 60 s), "
        f"peak memory of the whole process {peak:.0f} MB (at most 1000 MB), "
        f"{size} features, MAE {error:.4f} (paper, mean of 100 splits: 115.8 and 0.1547)."
    )


def growth(path: Path, quick: bool) -> None:
    """Time against rows, features and probes, on logarithmic axes."""
    random = np.random.default_rng(0)
    top = 3 if quick else 5
    lines = []
    rows = [250 * 2**i for i in range(top)]
    for name, params in (("knn3", {}), ("svm_linear", {"C": 1.0}), ("nb", {})):
        times = []
        for n in rows:
            X, y, _ = table(None, n, 100, standard)
            J = criterion_for(name, X, y, 3, params)
            subsets = [random.choice(100, 50, replace=False) for _ in range(3)]
            times.append(seconds(lambda J=J, subsets=subsets: J.many(subsets)) / 3 * 1e3)
        lines.append(points("ms per probe of 50 features, by rows", name, rows, times))

    widths = [1000 * 2**i for i in range(top)]
    for n in (20, 80):
        times = []
        for d in widths:
            X, y, _ = table(None, n, d, minmax)
            J = LSSVMCriterion(X, y, fixed_folds(y, 5))
            times.append(seconds(lambda J=J, d=d: J.plus_each([0, 1], np.arange(2, d))) * 1e3)
        panel = "ms for all BABD candidates, by features"
        lines.append(points(panel, f"{n} rows", widths, times))

    counts = [100 * 2**i for i in range(top)]
    X, y, _ = table(None, 300, 500, standard)
    times = [
        seconds(
            lambda k=k: DAF(max_subset_size=150, n_probes=k, random_state=0).fit(X, y), repeats=1
        )
        for k in counts
    ]
    lines.append(points("s for DAF, by probes", "knn3, 300 × 500", counts, times))
    write_growth("Growth of the wrappers, 3 or 5 folds", lines, path, ylabel="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, nothing is written")
    parser.add_argument("--only", choices=["growth"], help="draw the growth and nothing else")
    options = parser.parse_args()
    quick = options.quick
    warnings.simplefilter("ignore")
    if options.only == "growth":
        return growth(RESULTS / "wrappers_growth.svg", quick)
    rows = [
        line for part in (probes, texts, floating, candidates, generations) for line in part(quick)
    ]
    lines = [
        "# Wrappers",
        "",
        f"{datetime.date.today()}, {platform.machine()} with {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}. One BLAS thread, CPU time, best of several runs, "
        "peers in the same run; command: `python benchmarks/wrappers.py` with FSLIB_MIRROR set.",
        "",
        "Peers: `cross_val_score` of the same classifier (probes, GA), mlxtend's floating search "
        "(SFFS, to the same number of features), one LS-SVM system per candidate and fold (BABD).",
        "",
        "| work | size | ours | peer | ratio | at least |",
        "|---|---|---|---|---|---|",
        *("| " + " | ".join(line) + " |" for line in rows),
        "",
    ]
    if not quick:
        lines += [whole_batch(), "", "![growth](wrappers_growth.svg)", ""]
        growth(RESULTS / "wrappers_growth.svg", quick)
        (RESULTS / "wrappers.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
