"""How the cost of a fit and of an accuracy curve grows with rows and features.

Every registered method and classifier is timed on generated tables of a few sizes (the noise and
the fifteen essential features of AMFES's synthetic sets, which are hard for SVMs: microarrays cost
less). A power law through the measured points is what `fslib/config/growth.yaml` keeps; batches
and requests are cut by it, so it is made on purpose, never on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

os.environ.update(dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1"))

import numpy as np
import yaml
from overhead import start_and_imports
from whole_runs import PROJECT, RESULTS, about

from fslib.config.cost import COMPOSED, GROWTH_FILE, MEASURED_WITH, REFERENCE
from fslib.data.generate.amfes import draw_model, draw_rows
from fslib.evaluate.classifier import CLASSIFIERS, predict_curve, tuned_settings
from fslib.evaluate.matching import SUMatching
from fslib.prepare.discretise import equal_width
from fslib.prepare.scale import minmax
from fslib.registry import METHODS
from fslib.select.resolve import Recipe

#: Rows and features of the tables, smaller ones before those that contain them.
SIZES = [(60, 60), (60, 500), (60, 4000), (250, 60), (400, 250), (400, 1000), (1200, 60)]
SIZES += [(1200, 500), (3000, 60), (1200, 2000), (100, 10_000)]
#: Documents and terms of texts; of a search the terms of its largest probe, among `TERMS`.
TEXTS = {"bif": [(n, d) for n in (500, 1500, 4500) for d in (500, 2000)]}
TEXTS["daf"] = [(n, d) for n in (500, 1500, 4500) for d in (50, 200, 1000, 4000)]
TERMS = 10_000
#: Training rows, best features and whether every size up to them is asked for.
CURVES = [(60, 20, 1), (60, 200, 1), (300, 20, 1), (300, 50, 0), (300, 200, 1), (1200, 20, 1)]
CURVES += [(1200, 50, 0), (1200, 200, 1), (3000, 50, 0)]
SPARSE = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]
#: A measurement that would take longer, by linear growth from the largest table within, is none.
LONGEST = 20.0
#: A classifier whose first curve takes longer trains a model per size: it has no dense long ones.
MODELS = 1.0
#: Measurements below are start-up rather than growth, and left out of the law where others are.
SHORTEST = 0.003
#: How much the power of the features may grow with the logarithm of the rows.
TWISTS = (0.0, 0.1, 0.2, 0.3)


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([n, d])
    X = draw_rows(rng, draw_model(rng, n_differing=7), n, max(d, 15))[:, :d]
    return minmax(X), np.arange(n) % 2


def texts(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of terms as in Reuters-21578: some 40 different ones in a document, by Zipf's law;
    33 topics of very different sizes, each with terms that it favours."""
    rng = np.random.default_rng([n, d])
    share, frequency = np.arange(1.0, 34) ** -1.5, 1 / np.arange(5.0, d + 5)
    y = rng.choice(33, n, p=share / share.sum())
    favoured = rng.choice(d, (33, d // 50))
    X = np.zeros((n, d))
    for row, topic in zip(X, y, strict=True):
        length = 1 + int(20 * np.exp(rng.normal(scale=0.8)))
        np.add.at(row, rng.choice(d, length, p=frequency / frequency.sum()), 1.0)
        np.add.at(row, rng.choice(favoured[topic], 1 + length // 3), 1.0)
    return X, y


def seconds(action) -> float:
    """CPU seconds, the better of two tries where one is short."""
    best = float("inf")
    for _ in range(2):
        begin = time.process_time()
        action()
        best = min(best, time.process_time() - begin)
        if best > 1:
            break
    return best


def fits_of(key: str, known: list) -> list[tuple[tuple[float, ...], float]]:
    """Measured seconds of a method by (rows, features); known points are kept."""
    name, is_text = key.partition("/")[0], key.endswith("/text")
    settings = MEASURED_WITH.get(key, {})
    points = [(tuple(size), took) for size, took in known]
    for n, d in TEXTS[name] if is_text else SIZES:
        if (n, d) in dict(points):
            continue
        within = [(m * e, s) for (m, e), s in points if m <= n and e <= d]
        size, took = max(within, default=(n * d, 0.0))
        if took * n * d / size > LONGEST:
            continue
        in_probes = is_text and name == "daf"
        recipe = Recipe(name, settings)
        if in_probes:
            more = {"max_subset_size": d, "n_probes": settings["n_probes"] + 1}
            recipe = Recipe(name, settings | more)
        X, y = texts(n, TERMS if in_probes else d) if is_text else table(n, d)
        if recipe.tags.discrete_only:
            X = equal_width(X, 5)

        def fit(X=X, y=y, recipe=recipe):
            recipe.build(random_state=0, essential=[0, 1, 2]).fit(X, y)

        took = seconds(fit)
        if in_probes:  # a table of texts takes as long to prepare as many probes do
            one = Recipe(name, recipe.params | {"n_probes": 1})
            took -= seconds(lambda fit=fit, one=one: fit(recipe=one))
        points.append(((n, d), took))
        print(key, *points[-1], flush=True)
    return points


def curves_of(name: str, known: list) -> list[tuple[tuple[float, ...], float]]:
    """Measured seconds of a classifier's curve by (training rows, best features, sizes)."""
    points = []
    if known:
        return known
    for n, k, dense in CURVES:
        if points and points[0][1] > MODELS and dense * k > CURVES[0][1]:
            continue
        sizes = list(range(1, k + 1)) if dense else [s for s in SPARSE if s <= k]
        X, y = table(n + n // 4, k)
        if name == "nb_categorical":
            X = equal_width(X, 5)
        settings = {"C": 1.0, "gamma": 1.0 / k} if name == "svm_rbf_tuned" else None

        def curve(X=X, y=y, n=n, sizes=sizes, settings=settings):
            predict_curve(name, X[:n], y[:n], X[n:], sizes, settings)

        points.append(((n, k, len(sizes)), seconds(curve)))
        print(name, *points[-1], flush=True)
    return points


def tuning_of(name: str, known: list) -> list[tuple[tuple[float, ...], float]]:
    points = []
    if known:
        return known
    for n, d in ((60, 500), (250, 60), (400, 250), (1000, 60)):
        X, y = table(n, d)
        points.append(((n, d), seconds(lambda X=X, y=y: tuned_settings(name, X, y))))
        print("tuning", name, *points[-1], flush=True)
    return points


def matching(name: str, known: dict) -> dict[str, list]:
    """Seconds of the similarity of rankings: its table once, and one pair of rankings."""
    if known:
        return known
    once, pairs = [], []
    rng = np.random.default_rng(0)
    for n, d in ((200, 60), (500, 166), (2000, 166), (2000, 650)):
        X = equal_width(table(n, d)[0], 10).astype(np.int64)
        once.append(((n, d), seconds(lambda X=X: SUMatching(X))))
        match = SUMatching(X)
        near = np.argsort(np.arange(d) + rng.normal(scale=d / 4, size=d))
        pairs.append(((n, d), seconds(lambda m=match, a=near, d=d: m(np.arange(d), a))))
        print(name, once[-1], pairs[-1], flush=True)
    return {f"{name} table": once, f"{name} pair": pairs}


def law(points: list, names: list[str]) -> dict:
    """The power law nearest to the points in logarithms, long ones counting for more.

    Where the power of the features grows with the rows (SVMs: many features separate a few rows at
    once), a ``twist`` says by how much; only where the worst point is then a third better.
    """
    used = [p for p in points if p[1] >= SHORTEST]
    used = used if len(used) > len(names) + 1 else points
    laws = [_law(used, names, twist) for twist in TWISTS]
    best = min(laws, key=lambda found: found["worst_factor"])
    return best if best["worst_factor"] < 0.67 * laws[0]["worst_factor"] else laws[0]


def _law(points: list, names: list[str], twist: float) -> dict:
    at = np.array([p for p, _ in points], float)
    took = np.log(np.maximum([s for _, s in points], 1e-5))
    relative = np.log(at / [REFERENCE[name] for name in names])
    twisted = twist * relative[:, 0] * relative[:, 1]
    weight = np.exp((took - took.max()) / 2) + 0.1
    A = np.column_stack([np.ones(len(at)), relative])
    solved = np.linalg.lstsq(A * weight[:, None], (took - twisted) * weight, rcond=None)[0]
    powers = np.clip(solved[1:], 0, 3)
    expected = relative @ powers + twisted
    level = np.average(took - expected, weights=weight)
    return {
        "seconds": float(f"{np.exp(level):.3g}"),
        **{name: round(float(e), 2) for name, e in zip(names, powers, strict=True)},
        "twist": twist,
        "points": len(points),
        "worst_factor": float(f"{np.exp(np.abs(expected + level - took).max()):.2g}"),
    }


def laws_wanted() -> list[str]:
    """Every registered method, those with several laws once for each; composed ones have none."""
    several = {key.partition("/")[0] for key in MEASURED_WITH if "/" in key}
    return sorted({*METHODS.names(), *MEASURED_WITH} - several - {*COMPOSED})


def measure(only: list[str] | None, points: Path) -> dict:
    """Points of all laws by kind and name; with ``only``, the others as far as they were taken."""
    measured = json.loads(points.read_text()) if only is not None else {}

    def take(kind: str, name: str, measuring) -> None:
        of_kind = measured.setdefault(kind, {})
        known = of_kind.get(name, []) if only is not None and name not in only else []
        of_kind[name] = measuring(name, known)
        points.write_text(json.dumps(measured) + "\n")

    for key in laws_wanted():
        take("fits", key, fits_of)
    for name in CLASSIFIERS.names():
        take("curves", name, curves_of)
        if "tuned" in vars(CLASSIFIERS[name]):
            take("tuning", name, tuning_of)
    take("rankings", "su_matching", matching)
    return measured


def text_of(measured: dict) -> str:
    by = ["rows", "features"]
    growth = {
        "fits": {name: law(points, by) for name, points in measured["fits"].items()},
        "curves": {name: law(p, [*by, "sizes"]) for name, p in measured["curves"].items()},
        "tuning": {name: law(points, by) for name, points in measured["tuning"].items()},
        "rankings": {n: law(p, by) for n, p in measured["rankings"]["su_matching"].items()},
        "start": {
            script.stem: round(start_and_imports(script.stem), 1)
            for script in sorted((PROJECT / "scripts").glob("*.py"))
        },
    }
    head = [
        f"CPU seconds at {REFERENCE}, the powers by which they grow, from how many measurements,",
        "and by which factor the worst of these is off. `start`: a rule's process and imports.",
        *about("python benchmarks/growth.py"),
    ]
    return "".join(f"# {line}\n" for line in head if line) + yaml.safe_dump(growth, sort_keys=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="measure these again, and whatever is new")
    parser.add_argument("--out", type=Path, default=GROWTH_FILE)
    parser.add_argument("--points", type=Path, default=RESULTS / "growth.json")
    options = parser.parse_args()
    text = text_of(measure(options.only, options.points))
    options.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
