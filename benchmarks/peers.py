"""Whole fits beside those of other people's packages, all in one run.

One process, one thread, CPU seconds; ours and theirs in turns, the best of each. Tables are the
papers' own (`FSLIB_MIRROR` may provide their files) and generated ones: two classes, every tenth
feature shifted in one of them. boruta, mlxtend and skrebate come with the test requirements;
mrmr_selection and FEAST (the package ``fstoolbox``) are looked for, and praznik where R is.
``benchmarks/results/peers.md`` keeps what this printed.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import metadata
from itertools import chain
from typing import NamedTuple

import filters_plain as plain
import numpy as np
import pandas as pd
import skrebate
from boruta import BorutaPy
from mlxtend.feature_selection import SequentialFeatureSelector
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE as ScikitRFE
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from whole_runs import RESULTS, about

from fslib import (
    CMIM,
    FCBF,
    JMI,
    MRMR,
    RFE,
    SFFS,
    SVMRFE,
    Boruta,
    IRelief,
    MultiSURF,
    ReliefF,
    StabilitySelection,
)
from fslib.data import load
from fslib.prepare import equal_width, minmax

REMARKS = """
Both sides do the same work, except where the table says otherwise: mrmr_selection ranks by F
and correlations, which takes no counting, and I-RELIEF iterates over all pairs of rows where
ReliefF looks at ten neighbours. scikit-learn's RFE of LIBSVM at its tolerance of 0.001 and
SVM-RFE, which is exact, part where two features are almost equally weak; with a tolerance of
1e-9 all 50 are in both. A share per step is one of the surviving features here and one of all
features in scikit-learn, which trains fewer models for it. The package stability-selection is
archived, no index of ours has it: the definition ranks the same halves by F, without the
checks that each of our fits makes. mrmr_selection and fstoolbox were installed for this run alone,
into a folder of their own. praznik is an R package that neither Debian nor the Python index has;
what its loops took in an earlier run is in [filters](filters.md).
"""
#: A pair with a side that takes longer is measured once.
LONG = 5.0
FOREST = RandomForestClassifier(n_estimators=50, max_depth=5)


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng, y = np.random.default_rng([n, d]), np.arange(n) % 2
    X = rng.normal(size=(n, d))
    X[:, ::10] += 0.7 * y[:, None]
    return X, y


def plain_fcbf(X: np.ndarray, y: np.ndarray) -> list[int]:
    """FCBF by its definition, pair by pair, with scikit-learn's mutual information."""
    entropy = [mutual_info_score(x, x) for x in X.T]

    def su(a, b, of_a, of_b):
        return 2 * mutual_info_score(a, b) / (of_a + of_b)

    of_class = mutual_info_score(y, y)
    with_class = [su(x, y, h, of_class) for x, h in zip(X.T, entropy, strict=True)]
    left = sorted((f for f in range(X.shape[1]) if with_class[f] > 0), key=lambda f: -with_class[f])
    kept = []
    while left:
        p = left.pop(0)
        kept.append(p)
        left = [q for q in left if su(X[:, p], X[:, q], entropy[p], entropy[q]) < with_class[q]]
    return kept


def plain_rfe(X: np.ndarray, y: np.ndarray, share: float) -> list[int]:
    """RFE that removes a share of the surviving features, with scikit-learn's model."""
    left, removed = list(range(X.shape[1])), []
    while left:
        weight = LogisticRegression().fit(X[:, left], y).coef_[0] ** 2
        weakest = [left[i] for i in np.argsort(weight)[: max(1, int(share * len(left)))]]
        removed += weakest
        left = [f for f in left if f not in weakest]
    return removed[::-1]


def plain_stability_selection(X: np.ndarray, y: np.ndarray, n_top: int) -> np.ndarray:
    """How often scikit-learn's F has a feature among its best, on both halves of 50 divisions."""
    halves = StratifiedShuffleSplit(50, train_size=0.5, test_size=0.5, random_state=0).split(X, y)
    counts = np.zeros(X.shape[1])
    for rows in chain.from_iterable(halves):
        counts[np.argsort(-f_classif(X[rows], y[rows])[0])[:n_top]] += 1
    return counts / 100


class Pair(NamedTuple):
    """Two fits of one table: what they are, both as functions, and how alike their results are."""

    title: str
    ours: Callable
    theirs: Callable
    alike: Callable


def overlap(ours, theirs) -> str:
    return f"{len({*ours} & {*theirs})} of {len(theirs)} features in both"


def on_generated_tables() -> Iterator[Pair]:
    for n, d in ((200, 50), (500, 50), (200, 500)):
        X, y = table(n, d)
        yield Pair(
            f"ReliefF, 10 neighbours | {n} × {d} | skrebate",
            lambda X=X, y=y: ReliefF(10).fit(X, y).scores_,
            lambda X=X, y=y: skrebate.ReliefF(n_neighbors=10).fit(X.copy(), y).feature_importances_,
            lambda ours, theirs: f"scores differ by {np.abs(ours - theirs).max():.0e}",
        )
        yield Pair(
            f"MultiSURF | {n} × {d} | skrebate",
            lambda X=X, y=y: MultiSURF().fit(X, y).scores_,
            lambda X=X, y=y: skrebate.MultiSURF().fit(X.copy(), y).feature_importances_,
            lambda ours, theirs: f"scores differ by {np.abs(ours - theirs).max():.0e}",
        )
    for n, d in ((200, 100), (1000, 300)):
        X, y = table(n, d)
        codes = equal_width(X, 5)
        yield Pair(
            f"FCBF | {n} × {d}, 5 bins | definition",
            lambda X=codes, y=y: FCBF().fit(X, y).order_.tolist(),
            lambda X=codes, y=y: plain_fcbf(X, y),
            lambda ours, theirs: "same features" if ours == theirs else "features differ",
        )
    for n, d in ((200, 40), (200, 500)):
        X, y = table(n, d)
        yield Pair(
            f"Stability selection, 100 halves, best 10 | {n} × {d} | definition",
            lambda X=X, y=y: StabilitySelection(n_top=10, random_state=0).fit(X, y).scores_,
            lambda X=X, y=y: plain_stability_selection(X, y, 10),
            lambda ours, theirs: f"shares differ by {np.abs(ours - theirs).max():.0g}",
        )
    X, y = table(200, 40)
    yield Pair(
        "Boruta, 20 trials of 50 trees | 200 × 40 | BorutaPy",
        lambda: Boruta(FOREST, n_trials=20, random_state=0).fit(X, y).decisions_ == 1,
        lambda: BorutaPy(FOREST, n_estimators=50, max_iter=21, random_state=0).fit(X, y).support_,
        lambda ours, theirs: (
            f"{ours.sum()} and {theirs.sum()} confirmed, {(ours & theirs).sum()} by both"
        ),
    )
    for step in (1, 5):
        yield Pair(
            f"RFE, logistic regression, step {step} | 200 × 40 | scikit-learn",
            lambda step=step: RFE(LogisticRegression(), step=step).fit(X, y).order_,
            lambda step=step: (
                ScikitRFE(LogisticRegression(), n_features_to_select=1, step=step)
                .fit(X, y)
                .ranking_
            ),
            lambda ours, theirs: (
                "same order" if (np.diff(theirs[ours]) >= 0).all() else "orders differ"
            ),
        )
    share = 0.25
    fit = f"RFE, logistic regression, step {share} | 200 × 40"
    yield Pair(
        f"{fit} | definition",
        lambda: RFE(LogisticRegression(), step=share).fit(X, y).order_.tolist(),
        lambda: plain_rfe(X, y, share),
        lambda ours, theirs: "same order" if ours == theirs else "orders differ",
    )
    yield Pair(
        f"{fit} | scikit-learn (a share of all features)",
        lambda: RFE(LogisticRegression(), step=share).fit(X, y).order_[:10],
        lambda: np.argsort(
            ScikitRFE(LogisticRegression(), n_features_to_select=1, step=share).fit(X, y).ranking_
        )[:10],
        overlap,
    )


def on_tables_of_papers() -> Iterator[Pair]:
    colon = load("colon")
    X, y = minmax(colon.X), colon.y
    yield Pair(
        f"SVM-RFE, one feature a step | colon {_size(X)} | scikit-learn RFE of SVC",
        lambda X=X, y=y: SVMRFE().fit(X, y).order_[:50],
        lambda X=X, y=y: np.argsort(
            ScikitRFE(SVC(kernel="linear"), n_features_to_select=1).fit(X, y).ranking_
        )[:50],
        overlap,
    )
    madelon = load("madelon")
    X, y = madelon.X, madelon.y
    codes = equal_width(X, 10)
    if mrmr := _mrmr_selection():
        frame, labels = pd.DataFrame(X), pd.Series(y)
        yield Pair(
            f"mRMR, 50 features | madelon {_size(X)} | mrmr_selection (F and correlations)",
            lambda: MRMR(n_features_to_select=50).fit(codes, y).order_[:50],
            lambda: mrmr(frame, labels, 50, n_jobs=1, show_progress=False),
            overlap,
        )
    if feast := plain.feast():
        for name, ours, theirs in (
            ("mRMR", MRMR, feast.mRMR_D),
            ("CMIM", CMIM, feast.CMIM),
            ("JMI", JMI, feast.JMI),
        ):
            yield Pair(
                f"{name}, 50 features | madelon {_size(X)}, 10 bins | FEAST (C)",
                lambda ours=ours: ours(n_features_to_select=50).fit(codes, y).order_[:50],
                lambda theirs=theirs: np.asarray(theirs(codes, y, 50)[0], dtype=int),
                overlap,
            )
    for name in ("sonar", "musk1"):
        data = load(name)
        X, y = minmax(data.X), data.y
        where = f"{name} {_size(X)} | skrebate ReliefF"

        def theirs(X=X, y=y):
            return skrebate.ReliefF(n_neighbors=10).fit(X.copy(), y).top_features_[:20]

        yield Pair(
            f"ReliefF, 10 neighbours | {where}",
            lambda X=X, y=y: ReliefF(10).fit(X, y).order_[:20],
            theirs,
            overlap,
        )
        yield Pair(
            f"I-RELIEF (another algorithm) | {where}",
            lambda X=X, y=y: IRelief().fit(X, y).order_[:20],
            theirs,
            overlap,
        )
    sonar = load("sonar")
    X, y = minmax(sonar.X), sonar.y
    yield Pair(
        f"SFFS to 8 features, 3-NN, 3 folds | sonar {_size(X)} | mlxtend",
        lambda: SFFS("knn3", 8).fit(X, y).order_[:8],
        lambda: (
            SequentialFeatureSelector(KNeighborsClassifier(3), 8, floating=True, cv=3)
            .fit(X, y)
            .k_feature_idx_
        ),
        overlap,
    )


def _size(X: np.ndarray) -> str:
    return f"{X.shape[0]} × {X.shape[1]}"


def _mrmr_selection() -> Callable | None:
    try:
        from mrmr import mrmr_classif
    except ImportError:
        return None
    return mrmr_classif


def versions() -> str:
    """The peers that are here with their versions, and those that are not."""
    here, missing = [], []
    for name in ("scikit-learn", "boruta", "mlxtend", "skrebate", "mrmr_selection", "fstoolbox"):
        try:
            here.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if plain.praznik_seconds("MRMR", np.eye(4, dtype=int), [0, 1, 0, 1], 2, 1) is None:
        missing.append("praznik")
    return f"Peers: {', '.join(here)}; not here: {', '.join(missing) or 'none'}."


def timed(action) -> tuple[float, object]:
    begin = time.process_time()
    result = action()
    return time.process_time() - begin, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    turns = f"The best of {options.turns} turns each; of one where a fit takes over {LONG:g} s."
    head = [*about("python benchmarks/peers.py"), versions(), turns]
    lines = [
        "# Beside other people's packages",
        "",
        *(f"{line}  " for line in head if line),
        "",
        "| fit | table | beside | ours | theirs | theirs / ours | results |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for title, ours, theirs, alike in chain(on_tables_of_papers(), on_generated_tables()):
        best, results = [np.inf, np.inf], [None, None]
        for turn in range(options.turns):
            if turn and max(best) > LONG:
                break
            for side, action in enumerate((ours, theirs)):
                seconds, results[side] = timed(action)
                best[side] = min(best[side], seconds)
        shown = " | ".join(f"{seconds:.3g} s" for seconds in best)
        line = f"| {title} | {shown} | {best[1] / best[0]:.1f} | {alike(*results)} |"
        lines.append(line)
        print(line, flush=True)
    (RESULTS / "peers.md").write_text("\n".join(lines) + "\n" + REMARKS)


if __name__ == "__main__":
    main()
