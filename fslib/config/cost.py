"""What a fit and an accuracy curve are expected to cost, in CPU seconds of one core.

The law of each method and classifier, seconds at a reference size and the powers of rows and
features by which they grow, is measured by `benchmarks/growth.py` and kept in `growth.yaml`.
Batches are cut by it, so nothing here depends on the machine or on earlier runs; estimates for
people (`estimate.py`) do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf, log
from pathlib import Path
from statistics import quantiles

import yaml

from fslib.evaluate.classifier import name_of
from fslib.run.shares import number_of

GROWTH_FILE = Path(__file__).with_name("growth.yaml")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

#: The table and the curve that the laws refer to.
REFERENCE = {"rows": 400, "features": 200, "sizes": 20}

FOREST = "sklearn.ensemble:ExtraTreesClassifier"

#: Parameters that the laws were measured with, where these are not the defaults. A law is known by
#: its method, or by method and criterion (or kernel).
MEASURED_WITH: dict[str, dict] = {
    "random_subsets": {"n_subsets": 10},
    "bif/knn": {"criterion": "knn3"},
    "bif/nb": {"criterion": "nb"},
    "bif/svm_linear": {"criterion": "svm_linear"},
    "daf/knn": {"criterion": "knn3", "n_probes": 50},
    "daf/nb": {"criterion": "nb", "n_probes": 50},
    # With one C: choosing it takes as long as some probes, of which searches have thousands.
    "daf/svm_linear": {"criterion": "svm_linear", "criterion_params": {"C": 1.0}, "n_probes": 20},
    "daf/svm_rbf": {"criterion": "svm_rbf", "criterion_params": {"C": 1.0}, "n_probes": 20},
    "sffs/knn": {"criterion": "knn3", "n_features_to_select": 5},
    "sffs/nb": {"criterion": "nb", "n_features_to_select": 5},
    "genetic_search/knn": {"criterion": "knn3", "population": 20, "generations": 10},
    "genetic_search/nb": {"criterion": "nb", "population": 30, "generations": 20},
    "babd/linear": {},
    "babd/rbf": {"kernel": "rbf"},
    "boruta": {"n_trials": 5},
    "rfe": {"step": "half"},
    # Somebody else's, but in the default study.
    FOREST: {"n_estimators": 50},
}
# Laws of texts, most of which are alike as far as a few terms tell.
MEASURED_WITH["bif/svm_linear/text"] = MEASURED_WITH["bif/svm_linear"]
MEASURED_WITH["daf/svm_linear/text"] = MEASURED_WITH["daf/svm_linear"] | {"n_probes": 40}
#: Parameters that say how long a method searches, and the least with which the result still is
#: the method's rather than chance.
SEARCHES = {
    "amfes": ("n_subsets", 5),
    "daf": ("n_probes", 100),
    "irelief": ("max_iter", 3),
    "random_subsets": ("n_subsets", 5),
    "sffs": ("n_features_to_select", 2),
}
#: Methods that fit others: they cost what these cost.
COMPOSED = ("best_prefix", "select_by_validation", "stability_selection")

#: A subset method's size is known afterwards only; curves of its selection are taken as this long.
_SELECTED = 50
#: Iterations after which I-RELIEF has converged on the tables of the papers.
_ITERATIONS = 15
#: What one or several passes over increments cost against one batch search (measured on
#: 100 × 10,000, linear, and 281 × 34, RBF).
_PASSES = {"all": 0.15, "batch": 1.0, "one_pass": 3.0, "multi_pass": 7.0}
#: Seconds at least of a method of somebody else's, whose package has to be imported.
_IMPORTED = 0.05
#: Methods, criteria and classifiers that train a machine for each pair of classes.
_BY_PAIRS = re.compile(r"svm|amfes|random_subsets")


@dataclass(frozen=True)
class Shape:
    """What the cost of a fit depends on."""

    rows: float
    features: int
    classes: int = 2
    text: bool = False


@dataclass(frozen=True)
class Law:
    """``seconds`` at the reference size, and the powers by which they grow."""

    seconds: float
    powers: Mapping[str, float]
    twist: float = 0.0
    """By how much the power of the features grows with the logarithm of the rows."""

    def __call__(self, **size: float) -> float:
        """Seconds at a size.

        >>> Law(2.0, {"rows": 2.0, "features": 0.0})(rows=800, features=7)
        8.0
        """
        relative = {name: max(size[name], 1) / REFERENCE[name] for name in self.powers}
        value = self.seconds
        for name, power in self.powers.items():
            value *= relative[name] ** power
        return value * relative["features"] ** (self.twist * log(relative["rows"]))


@dataclass(frozen=True)
class Growth:
    """The measured laws by kind, and the start of each rule's script."""

    fits: dict[str, Law]
    curves: dict[str, Law]
    tuning: dict[str, Law]
    rankings: dict[str, Law]
    start: dict[str, float]

    # Fits

    def knows(self, use: str) -> bool:
        """Whether a method was measured; others are guessed from those that were."""
        return use in COMPOSED or any(key.partition("/")[0] == use for key in self.fits)

    def fit(self, use: str, params: Mapping, shape: Shape) -> float:
        """Expected seconds of one fit."""
        if use in COMPOSED:
            return self._composed(use, params, shape)
        if not self.knows(use):
            return self._guess(shape)
        key = self._key(use, params, shape.text)
        law = self.fits[key]
        width, amount = _work(use, params, shape.features)
        _, measured = _work(use, MEASURED_WITH.get(key, {}), shape.features)
        return (
            law(rows=shape.rows, features=width)
            * (amount / measured)
            * (1.0 if key.endswith("/text") else _by_pairs(key, shape, law.powers["rows"]))
        )

    def _guess(self, shape: Shape) -> float:
        """Expected seconds of a method that was never measured: the upper quartile of those that
        were, at this size, since few methods of other people are filters.
        """
        size = {"rows": shape.rows, "features": shape.features}
        return max(quantiles((law(**size) for law in self.fits.values()), n=4)[2], _IMPORTED)

    def _key(self, use: str, params: Mapping, text: bool = False) -> str:
        """The law of a method with its criterion or kernel; the dearest where that has none."""
        mine = [
            key for key in self.fits if key.partition("/")[0] == use and not key.endswith("/text")
        ]
        detail = str(params.get("kernel", "linear" if use == "babd" else params.get("criterion")))
        detail = re.sub(r"^knn\d+$", "knn", detail).replace("nb_categorical", "nb")
        if text and f"{use}/{detail}/text" in self.fits:
            return f"{use}/{detail}/text"
        if f"{use}/{detail}" in mine:
            return f"{use}/{detail}"
        if len(mine) > 1 and "criterion" not in params and f"{use}/knn" in mine:
            return f"{use}/{'nb' if use == 'genetic_search' else 'knn'}"  # the defaults
        return max(mine, key=lambda key: self.fits[key].seconds)

    def _composed(self, use: str, params: Mapping, shape: Shape) -> float:
        ranker = dict(params.get("ranker") or {"use": "correlation"})
        inner = ranker.pop("use")
        if use == "stability_selection":
            half = replace(shape, rows=shape.rows / 2)
            return 2 * params.get("n_pairs", 50) * self.fit(inner, ranker, half)
        largest = min(params.get("max_size") or shape.features, shape.features)
        if use == "best_prefix":
            times, share, classifier = params.get("cv", 5), 1.0, params.get("classifier", "nb")
            times, whole = times, self.fit(inner, ranker, shape)
            share = (times - 1) / times
        else:
            times, whole = params.get("n_pairs", 20), 0.0
            share = 1 - params.get("validation_size", 0.2)
            classifier = params.get("classifier", "svm_linear")
        if not isinstance(classifier, str):
            classifier = classifier["use"]  # somebody else's, which costs what our dearest does
        part = replace(shape, rows=share * shape.rows)
        curve = self.curve(classifier, part, range(1, largest + 1))
        return whole + times * (self.fit(inner, ranker, part) + curve)

    # Evaluation

    def curve(self, classifier: str, shape: Shape, sizes: Sequence[int]) -> float:
        """Expected seconds of one classifier's accuracy at some numbers of best features."""
        if not len(sizes):
            return 0.0
        law = self.curves.get(classifier) or max(self.curves.values(), key=lambda c: c.seconds)
        factor = _by_pairs(classifier, shape, law.powers["rows"])
        return factor * law(rows=shape.rows, features=sizes[-1], sizes=len(sizes))

    def tuned(self, classifier: str, shape: Shape) -> float:
        """Expected seconds of choosing a classifier's settings on one split."""
        law = self.tuning.get(classifier)
        if law is None:
            return 0.0
        factor = _by_pairs(classifier, shape, law.powers["rows"])
        return factor * law(rows=shape.rows, features=shape.features)

    def selection_measured(self, evaluate: Mapping, shape: Shape) -> float:
        """Expected seconds of the curves of one selection: wanted sizes, and all it selected."""
        d, sizes = shape.features, evaluate["sizes"]
        if sizes == "selected":
            wanted, whole = [], min(d, _SELECTED)
        else:
            wanted, whole = [k for k in _grid(sizes, d) if k < d], d
        return sum(
            self.curve(c, shape, wanted) + self.curve(c, shape, [whole])
            for c in map(name_of, evaluate["classifiers"])
        )

    def selections_measured(self, evaluate: Mapping, n_selections: int, shape: Shape) -> float:
        """Expected seconds of what classifiers tell of some selections on one split."""
        tuned = sum(self.tuned(c, shape) for c in map(name_of, evaluate["classifiers"]))
        return tuned + n_selections * self.selection_measured(evaluate, shape)

    def ranking_measured(self, shape: Shape) -> float:
        """Expected seconds of matching one ranking with another."""
        return self.rankings["su_matching pair"](rows=shape.rows, features=shape.features)

    def rankings_prepared(self, shape: Shape) -> float:
        """Expected seconds of the similarities of all pairs of features, once per data set."""
        return self.rankings["su_matching table"](rows=shape.rows, features=shape.features)


def _grid(sizes, d: int) -> Sequence[int]:
    return range(1, d + 1) if sizes == "all" else sizes


def _by_pairs(name: str, shape: Shape, power: float) -> float:
    """How much more several classes cost where each pair of them has a machine of its own."""
    k = shape.classes
    if k < 3 or not _BY_PAIRS.search(name):
        return 1.0
    return k * (k - 1) / 2 * (2 / k) ** power


def _work(use: str, params: Mapping, d: int) -> tuple[int, float]:
    """How many features a method works with, and how much it does, up to a constant."""
    if use in ("amfes", "random_subsets"):
        stages = log(0.5) / log(params.get("keep", 0.5)) if use == "amfes" else 1.0
        return d, params.get("n_subsets", 100) * stages
    if use in ("mrmr", "cmim", "jmi", "disr"):
        return d, min(number_of(params.get("n_features_to_select") or d, d), d) / d
    if use == "irelief":
        return d, min(params.get("max_iter", 100), _ITERATIONS)
    if use == "daf":
        largest = min(params.get("max_subset_size") or d, d)
        return largest, _probes(
            params.get("n_probes", 1000), params.get("min_coverage"), largest, d
        )
    if use == "sffs":
        wanted = params.get("n_features_to_select", "best")
        target = d if wanted == "best" else number_of(wanted, d) + params.get("overshoot", 0)
        return d, float(min(max(target, 1), d)) ** 1.5
    if use == "genetic_search":
        return d, params.get("population", 100) * params.get("generations", 50)
    if use == FOREST:
        return d, params.get("n_estimators", 100)
    if use == "babd":
        return d, _PASSES.get(params.get("mode", "batch"), 1.0)
    if use == "boruta":
        return d, params.get("n_trials", 100)
    if use == "rfe":
        return d, _models(params.get("step", 1), d)
    return d, 1.0


def _probes(most: int | None, coverage: int | None, largest: int, d: int) -> float:
    """About how many probes, of 1 to ``largest`` features, are evaluated before a limit ends them.

    >>> _probes(1000, None, 30, 500), _probes(20_000, 200, 30, 31), _probes(20_000, 200, 30, 1000)
    (1000, 400.0, 12903.2...)
    """
    most = inf if most is None else most
    if coverage is None:
        return most
    within = (1 + largest) / (2 * d)
    return min(most, coverage / min(within, 1 - within) if d > 1 else coverage)


def _models(step: int | float | str, d: int) -> float:
    """About how many models of all features an elimination in steps is worth.

    Where a share s of the survivors goes at a time, models of d, (1 - s) d, ... features are worth
    1 / s of all, though at most d / 2, as where one goes at a time.

    >>> [_models(step, 100) for step in (1, 10, 0.1, "half")]
    [50.0, 5.0, 10.0, 2.0]
    """
    share = 0.5 if step == "half" else step if step < 1 else 2 * step / d
    return max(1.0, min(1 / share, d / 2))


@cache
def growth(path: Path = GROWTH_FILE) -> Growth:
    """The laws of the checked-in table."""
    values = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    kinds = {
        kind: {
            name: Law(
                law["seconds"], {k: v for k, v in law.items() if k in REFERENCE}, law["twist"]
            )
            for name, law in values[kind].items()
        }
        for kind in ("fits", "curves", "tuning", "rankings")
    }
    return Growth(**kinds, start=values["start"])
