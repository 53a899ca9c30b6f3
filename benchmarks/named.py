"""Methods that people look for by name beside their reference implementations, whole fits.

One process, one thread, CPU seconds; ours and theirs in turns, the best of each. Tables are
generated: two classes, every tenth feature shifted in one of them. ``benchmarks/results/named.md``
keeps what this printed.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import argparse
import time
import warnings

import numpy as np
import skrebate
from boruta import BorutaPy
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE as ScikitRFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from whole_runs import RESULTS, about

from fslib import FCBF, RFE, Boruta, MultiSURF, ReliefF
from fslib.prepare import equal_width

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


def pairs():
    """Title, rows, features, ours, theirs, and whether the results are equal."""
    for n, d in ((200, 50), (500, 50), (200, 500)):
        X, y = table(n, d)
        yield (
            f"ReliefF, 10 neighbours | {n} × {d} | skrebate",
            lambda X=X, y=y: ReliefF(10).fit(X, y).scores_,
            lambda X=X, y=y: skrebate.ReliefF(n_neighbors=10).fit(X.copy(), y).feature_importances_,
            lambda ours, theirs: f"scores differ by {np.abs(ours - theirs).max():.0e}",
        )
        yield (
            f"MultiSURF | {n} × {d} | skrebate",
            lambda X=X, y=y: MultiSURF().fit(X, y).scores_,
            lambda X=X, y=y: skrebate.MultiSURF().fit(X.copy(), y).feature_importances_,
            lambda ours, theirs: f"scores differ by {np.abs(ours - theirs).max():.0e}",
        )
    for n, d in ((200, 100), (1000, 300)):
        X, y = table(n, d)
        codes = equal_width(X, 5)
        yield (
            f"FCBF | {n} × {d}, 5 bins | definition",
            lambda X=codes, y=y: FCBF().fit(X, y).order_.tolist(),
            lambda X=codes, y=y: plain_fcbf(X, y),
            lambda ours, theirs: "same features" if ours == theirs else "features differ",
        )
    X, y = table(200, 40)
    yield (
        "Boruta, 20 trials of 50 trees | 200 × 40 | BorutaPy",
        lambda: Boruta(FOREST, n_trials=20, random_state=0).fit(X, y).decisions_ == 1,
        lambda: BorutaPy(FOREST, n_estimators=50, max_iter=21, random_state=0).fit(X, y).support_,
        lambda ours, theirs: (
            f"{ours.sum()} and {theirs.sum()} confirmed, {(ours & theirs).sum()} by both"
        ),
    )
    for step in (1, 5):
        yield (
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


def timed(action) -> tuple[float, object]:
    begin = time.process_time()
    result = action()
    return time.process_time() - begin, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "# Methods by name, beside their reference implementations",
        "",
        *(f"{line}  " for line in about("python benchmarks/named.py") if line),
        "",
        "| fit | table | beside | ours | theirs | theirs / ours | results |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for title, ours, theirs, verdict in pairs():
        best, results = [np.inf, np.inf], [None, None]
        for _ in range(options.turns):
            for side, action in enumerate((ours, theirs)):
                seconds, results[side] = timed(action)
                best[side] = min(best[side], seconds)
        shown = " | ".join(f"{seconds:.3g} s" for seconds in best)
        line = f"| {title} | {shown} | {best[1] / best[0]:.1f} | {verdict(*results)} |"
        lines.append(line)
        print(line, flush=True)
    (RESULTS / "named.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
