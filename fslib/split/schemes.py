"""Ways to divide rows into training and test rows, each seeded by its own name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fslib.run.errors import FslibError
from fslib.run.layout import REFIT
from fslib.run.seeds import seed


class SplitError(FslibError):
    """A scheme does not fit the data."""


@dataclass(frozen=True)
class Split:
    """One pair of row sets; training rows may repeat (sampling with replacement)."""

    split: int
    repeat: int
    ratio: float
    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Scheme:
    """A way to divide rows: how its splits are drawn, and how many there are."""

    description: str
    n_splits: Callable[[dict, int], int]
    """From a study's ``splits`` and the number of rows."""
    draw: Callable[..., Iterator[tuple[int, float, np.ndarray, np.ndarray]]]


#: Every scheme by the name that studies use; each is declared where it is implemented.
SCHEMES: dict[str, Scheme] = {}


def scheme(description: str, n_splits: Callable[[dict, int], int]):
    """Register a generator of (repeat, ratio, training rows, test rows) under its own name."""

    def declare(draw):
        SCHEMES[draw.__name__] = Scheme(description, n_splits, draw)
        return draw

    return declare


def make_splits(
    y: np.ndarray,
    scheme: dict,
    *,
    base_seed: int,
    dataset: str,
    fold: np.ndarray | None = None,
    class_names=None,
    final: bool = False,
) -> list[Split]:
    """All splits of a data set under a scheme.

    Every repeat has a seed of its own, so that fewer repeats give the first splits of more repeats.
    With ``final`` the last split is the refit: all rows train, none test.
    """
    class_names = [str(c) for c in (range(y.max() + 1) if class_names is None else class_names)]
    _check_classes(y, scheme, dataset, class_names)

    def rng(repeat: int) -> np.random.Generator:
        return np.random.default_rng(seed(base_seed, dataset, scheme["scheme"], repeat))

    made = list(SCHEMES[scheme["scheme"]].draw(y, scheme, rng, fold, dataset))
    splits = [
        Split(i, repeat, ratio, np.asarray(train), np.asarray(test))
        for i, (repeat, ratio, train, test) in enumerate(made)
    ]
    for s in splits:
        if len(np.unique(y[s.train])) < 2:
            raise SplitError(
                f"{dataset}: split {s.split} of scheme {scheme['scheme']!r} has training rows of "
                f"only one class; use more rows, another scheme, or stratified: true."
            )
        if not len(s.test):
            raise SplitError(f"{dataset}: split {s.split} has no test rows.")
    if final:
        everything = np.arange(len(y))
        splits.append(Split(REFIT, REFIT, 1.0, everything, everything[:0]))
    return splits


def _check_classes(y, scheme, dataset, class_names) -> None:
    if not scheme["stratified"] or scheme["scheme"] not in ("holdout", "kfold"):
        return
    counts = np.bincount(y, minlength=len(class_names))
    rarest = int(np.argmin(counts))
    needed = scheme["folds"] if scheme["scheme"] == "kfold" else 2
    if counts[rarest] < needed:
        what = f"{needed} folds" if scheme["scheme"] == "kfold" else "the two parts of a holdout"
        raise SplitError(
            f"{dataset}: class {class_names[rarest]!r} has {counts[rarest]} row(s), fewer than "
            f"{what}. Use fewer folds, or `stratified: false`."
        )


def _strata(y: np.ndarray, scheme: dict, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Shuffled rows of each class in turn, or of all classes together."""
    groups = [np.flatnonzero(y == c) for c in np.unique(y)]
    for rows in groups if scheme["stratified"] else [np.arange(len(y))]:
        yield rng.permutation(rows)


@scheme("a random share `test` of the rows held out, `repeats` times", lambda s, n: s["repeats"])
def holdout(y, scheme, rng, fold, dataset):
    for repeat in range(scheme["repeats"]):
        test = [
            rows[: min(max(1, round(scheme["test"] * len(rows))), len(rows) - 1)]
            for rows in _strata(y, scheme, rng(repeat))
        ]
        yield repeat, 1.0, *_rest(y, np.concatenate(test))


@scheme(
    "`folds` folds, each held out once, `repeats` times", lambda s, n: s["repeats"] * s["folds"]
)
def kfold(y, scheme, rng, fold, dataset):
    folds = scheme["folds"]
    if folds > len(y):
        raise SplitError(f"{dataset}: {folds} folds of {len(y)} rows.")
    for repeat in range(scheme["repeats"]):
        # Dealing the shuffled strata out in turn keeps fold sizes within one of each other.
        dealt = np.concatenate(list(_strata(y, scheme, rng(repeat))))
        for k in range(folds):
            yield repeat, 1.0, *_rest(y, dealt[k::folds])


@scheme("every row held out once", lambda s, n: n)
def loo(y, scheme, rng, fold, dataset):
    for row in range(len(y)):
        yield row, 1.0, *_rest(y, np.array([row]))


@scheme("rows drawn with replacement, tested on those left out", lambda s, n: s["repeats"])
def bootstrap(y, scheme, rng, fold, dataset):
    for repeat in range(scheme["repeats"]):
        yield from _samples(y, repeat, [1.0], rng)


@scheme(
    "a bootstrap and sub-samples of it, one for each of the `ratios`",
    lambda s, n: s["repeats"] * len(s["ratios"]),
)
def shrinking_bootstrap(y, scheme, rng, fold, dataset):
    for repeat in range(scheme["repeats"]):
        yield from _samples(y, repeat, scheme["ratios"], rng)


def _samples(y, repeat: int, ratios: list[float], rng):
    generator = rng(repeat)
    drawn = generator.integers(0, len(y), len(y))
    # One shuffled order for every ratio: smaller samples are nested in larger ones.
    shuffled = generator.permutation(drawn)
    outside = np.setdiff1d(np.arange(len(y)), drawn)
    for ratio in ratios:
        size = max(2, round(ratio * len(y)))
        yield repeat, ratio, np.sort(shuffled[:size]), outside


@scheme("the training and test rows that the data set came with", lambda s, n: s["repeats"])
def original(y, scheme, rng, fold, dataset):
    if fold is None:
        raise SplitError(f"{dataset} has no original fold; choose another split scheme.")
    # All repeats have the same rows; they differ in the seed that random methods get.
    for repeat in range(scheme["repeats"]):
        yield repeat, 1.0, np.flatnonzero(fold == "train"), np.flatnonzero(fold == "test")


def _rest(y: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    test = np.sort(test)
    return np.setdiff1d(np.arange(len(y)), test), test
