"""Ways to divide rows into training and test rows, each seeded by its own name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fslib.run.errors import FslibError
from fslib.run.layout import REFIT
from fslib.run.numbers import count
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
class Rows:
    """What is known of the rows of a data set before they are divided."""

    dataset: str
    y: np.ndarray
    fold: np.ndarray | None = None
    group: np.ndarray | None = None
    time: np.ndarray | None = None
    class_names: Sequence[str] | None = None
    seed_name: str | None = None
    """The name that seeds derive from (default: the data set's)."""

    def resolved(self, scheme: dict) -> dict:
        """A study's ``splits`` with the scheme that `auto` stands for."""
        has = {kind: getattr(self, kind) is not None for kind in ("time", "group")}
        return scheme | {"scheme": structured(scheme["scheme"], **has)}


@dataclass(frozen=True)
class Scheme:
    """A way to divide rows: how its splits are drawn, and what is known before they are."""

    description: str
    n_splits: Callable[[dict, int], int]
    """From a study's ``splits`` and the number of rows."""
    share: Callable[[dict, int, float], float]
    """Training rows of a split as a share of all rows, from a study's ``splits``, the number of the
    split and the share of training rows that the data set came with."""
    draw: Callable[..., Iterator[tuple[int, float, np.ndarray, np.ndarray]]] | None
    fewest: Callable[[dict], int] | None = None
    """Rows of each class (groups, with ``by_group``) that a stratified draw needs, from a study's
    ``splits``; None where no draw is stratified."""
    by_group: bool = False
    """Whether rows of one group are held out together."""
    note: Callable[[Rows], str] | None = None
    """What a reader must know of the splits, as a sentence without full stop."""


#: Every scheme by the name that studies use; each is declared where it is implemented.
SCHEMES: dict[str, Scheme] = {}


def scheme(
    n_splits: Callable[[dict, int], int], share: Callable[[dict, int, float], float], **known
):
    """Register a generator of (repeat, ratio, training rows, test rows) under its own name.

    The docstring of the generator is its description, which documentation alone shows: rewording it
    re-runs nothing.
    """

    def declare(draw):
        description = " ".join(draw.__doc__.split())
        SCHEMES[draw.__name__] = Scheme(description, n_splits, share, draw, **known)
        return draw

    return declare


def make_splits(rows: Rows, scheme: dict, *, base_seed: int, final: bool = False) -> list[Split]:
    """All splits of a data set under a scheme.

    Every repeat has a seed of its own, so that fewer repeats give the first splits of more repeats.
    With ``final`` the last split is the refit: all rows train, none test. Of a split with more than
    ``scheme["most_rows"]`` rows a sample stands for the whole (`sampled`).
    """
    scheme = rows.resolved(scheme)
    names = base_seed, rows.seed_name or rows.dataset, scheme["scheme"]
    y = rows.y
    _check_classes(rows, scheme)

    def rng(repeat: int) -> np.random.Generator:
        return np.random.default_rng(seed(*names, repeat))

    made = list(SCHEMES[scheme["scheme"]].draw(rows, scheme, rng))
    splits = [
        Split(i, repeat, ratio, np.asarray(train), np.asarray(test))
        for i, (repeat, ratio, train, test) in enumerate(made)
    ]
    for s in splits:
        if len(np.unique(y[s.train])) < 2:
            raise SplitError(
                f"{rows.dataset}: split {s.split} of scheme {scheme['scheme']!r} has training rows "
                f"of only one class; use more rows, another scheme, or stratified: true."
            )
        if not len(s.test):
            raise SplitError(f"{rows.dataset}: split {s.split} has no test rows.")
    if final:
        everything = np.arange(len(y))
        splits.append(Split(REFIT, REFIT, 1.0, everything, everything[:0]))
    return [
        sampled(s, y, scheme["most_rows"], np.random.default_rng(seed(*names, "rows", s.split)))
        for s in splits
    ]


def sampled(split: Split, y: np.ndarray, most: int | None, rng: np.random.Generator) -> Split:
    """The split itself, or at most about ``most`` of its rows where it has more.

    Training rows and test rows keep their shares, and so do the classes within them; of every class
    one row stays at least.
    """
    total = len(split.train) + len(split.test)
    if most is None or total <= most:
        return split

    def sample(rows: np.ndarray) -> np.ndarray:
        chosen = [
            rng.permutation(own)[: max(1, round(most / total * len(own)))]
            for own in (np.flatnonzero(y[rows] == c) for c in np.unique(y[rows]))
        ]
        return rows[np.sort(np.concatenate(chosen))] if chosen else rows

    return replace(split, train=sample(split.train), test=sample(split.test))


def _check_classes(rows: Rows, scheme: dict) -> None:
    kind = SCHEMES[scheme["scheme"]]
    if not scheme["stratified"] or kind.fewest is None:
        return
    y = rows.y
    if kind.by_group and rows.group is not None:  # groups of each class; a group may have several
        y = np.unique(np.column_stack([y, np.unique(rows.group, return_inverse=True)[1]]), axis=0)
        y = y[:, 0]
    names = rows.class_names or [str(c) for c in range(rows.y.max() + 1)]
    counts = np.bincount(y, minlength=len(names))
    rarest = int(np.argmin(counts))
    few = int(counts[rarest])
    needed = kind.fewest(scheme)
    if few < needed:
        what = "the two sides of a split" if needed == 2 else f"{needed} folds"
        thing = "group" if kind.by_group else "row"
        remedy = f"Set `splits.folds: {few}`" if few > 1 else "Leave the class out"
        raise SplitError(
            f"{rows.dataset}: class {names[rarest]!r} has {few} {thing}(s),"
            f" fewer than {what}. {remedy}, or `stratified: false`."
        )


def _strata(y: np.ndarray, scheme: dict, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Shuffled rows of each class in turn, or of all classes together."""
    groups = [np.flatnonzero(y == c) for c in np.unique(y)]
    for rows in groups if scheme["stratified"] else [np.arange(len(y))]:
        yield rng.permutation(rows)


def _folds_and_repeats(scheme: dict, n_rows: int | None) -> int:
    return scheme["repeats"] * scheme["folds"]


def _all_rows(scheme: dict, split: int, fold: float) -> float:
    return 1.0


def _all_but_a_fold(scheme: dict, split: int, fold: float) -> float:
    return 1 - 1 / scheme["folds"]


def _groups_stay_together(rows: Rows) -> str:
    groups = count(len(np.unique(rows.group)), "group")
    return f"rows of one group stay on one side of every split ({groups} of {len(rows.y):,} rows)"


@scheme(
    lambda s, n: s["repeats"],
    share=lambda s, split, fold: 1 - s["test"],
    fewest=lambda s: 2,
)
def holdout(rows, scheme, rng):
    """a random share `test` of the rows held out, `repeats` times"""
    for repeat in range(scheme["repeats"]):
        test = [
            part[: min(max(1, round(scheme["test"] * len(part))), len(part) - 1)]
            for part in _strata(rows.y, scheme, rng(repeat))
        ]
        yield repeat, 1.0, *_rest(rows.y, np.concatenate(test))


@scheme(_folds_and_repeats, share=_all_but_a_fold, fewest=lambda s: s["folds"])
def kfold(rows, scheme, rng):
    """`folds` folds, each held out once, `repeats` times"""
    folds, y = scheme["folds"], rows.y
    if folds > len(y):
        raise SplitError(f"{rows.dataset}: {folds} folds of {len(y)} rows.")
    for repeat in range(scheme["repeats"]):
        # Dealing the shuffled strata out in turn keeps fold sizes within one of each other.
        dealt = np.concatenate(list(_strata(y, scheme, rng(repeat))))
        for k in range(folds):
            yield repeat, 1.0, *_rest(y, dealt[k::folds])


@scheme(
    _folds_and_repeats,
    share=_all_but_a_fold,
    fewest=lambda s: 2,
    by_group=True,
    note=_groups_stay_together,
)
def group_kfold(rows, scheme, rng):
    """`kfold` in which rows of one group are held out together; classes as even as groups allow"""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    folds = scheme["folds"]
    if rows.group is None:
        raise SplitError(
            f"{rows.dataset} has no groups: name the column in config.yaml "
            f"(`datasets: {rows.dataset}: group`), or use the scheme `kfold` or `auto`."
        )
    n_groups = len(np.unique(rows.group))
    if folds > n_groups:
        raise SplitError(
            f"{rows.dataset}: {folds} folds of {n_groups} groups. Set `splits.folds: "
            f"{max(n_groups, 2)}` or fewer."
        )
    kind = StratifiedGroupKFold if scheme["stratified"] else GroupKFold
    for repeat in range(scheme["repeats"]):
        state = int(rng(repeat).integers(2**32))
        parts = kind(folds, shuffle=True, random_state=state)
        with warnings.catch_warnings():
            # Fewer groups of a class than folds: some folds lack it, which the groups decide.
            warnings.simplefilter("ignore", UserWarning)
            for train, test in parts.split(rows.y, rows.y, rows.group):
                yield repeat, 1.0, train, test


@scheme(
    lambda s, n: s["folds"],
    share=lambda s, split, fold: (split + 1) / (s["folds"] + 1),
    note=lambda rows: "every split is tested on rows that are later than its training rows",
)
def time(rows, scheme, rng):
    """rows in the order of their time: each of `folds` later blocks is predicted from all before
    it
    """
    if rows.time is None:
        raise SplitError(
            f"{rows.dataset} has no time: name the column in config.yaml "
            f"(`datasets: {rows.dataset}: time`), or use the scheme `kfold` or `auto`."
        )
    folds, n = scheme["folds"], len(rows.y)
    # The block of a row is that of the first row of its time, so that equal times stay together.
    before = np.searchsorted(np.sort(rows.time), rows.time)
    block = before * (folds + 1) // n
    for k in range(folds):
        train, test = np.flatnonzero(block <= k), np.flatnonzero(block == k + 1)
        if not len(train) or not len(test):
            raise SplitError(
                f"{rows.dataset}: {len(np.unique(rows.time))} distinct times, or too many equal "
                f"ones, for {folds} folds after a first block. Set `splits.folds` lower."
            )
        if rows.group is not None:
            train = train[~np.isin(rows.group[train], rows.group[test])]
        yield k, 1.0, train, test


SCHEMES["auto"] = Scheme(
    "`time` for a data set with times, `group_kfold` for one with groups, `kfold` for any other",
    _folds_and_repeats,
    _all_rows,
    draw=None,  # one of the three draws, as `structured` says
)


def structured(scheme: str, *, time: bool, group: bool) -> str:
    """The scheme that a data set is split by: that of the study, or what `auto` means for it."""
    if scheme != "auto":
        return scheme
    return "time" if time else "group_kfold" if group else "kfold"


@scheme(lambda s, n: n, share=_all_rows)
def loo(rows, scheme, rng):
    """every row held out once"""
    for row in range(len(rows.y)):
        yield row, 1.0, *_rest(rows.y, np.array([row]))


@scheme(lambda s, n: s["repeats"], share=_all_rows)
def bootstrap(rows, scheme, rng):
    """rows drawn with replacement, tested on those left out"""
    for repeat in range(scheme["repeats"]):
        yield from _samples(rows.y, repeat, [1.0], rng)


@scheme(
    lambda s, n: s["repeats"] * len(s["ratios"]),
    share=lambda s, split, fold: s["ratios"][split % len(s["ratios"])],
)
def shrinking_bootstrap(rows, scheme, rng):
    """a bootstrap and sub-samples of it, one for each of the `ratios`"""
    for repeat in range(scheme["repeats"]):
        yield from _samples(rows.y, repeat, scheme["ratios"], rng)


def _samples(y, repeat: int, ratios: list[float], rng):
    generator = rng(repeat)
    drawn = generator.integers(0, len(y), len(y))
    # One shuffled order for every ratio: smaller samples are nested in larger ones.
    shuffled = generator.permutation(drawn)
    outside = np.setdiff1d(np.arange(len(y)), drawn)
    for ratio in ratios:
        size = max(2, round(ratio * len(y)))
        yield repeat, ratio, np.sort(shuffled[:size]), outside


@scheme(lambda s, n: s["repeats"], share=lambda s, split, fold: fold)
def original(rows, scheme, rng):
    """the training and test rows that the data set came with"""
    if rows.fold is None:
        raise SplitError(f"{rows.dataset} has no original fold; choose another split scheme.")
    # All repeats have the same rows; they differ in the seed that random methods get.
    for repeat in range(scheme["repeats"]):
        yield repeat, 1.0, np.flatnonzero(rows.fold == "train"), np.flatnonzero(rows.fold == "test")


@scheme(lambda s, n: s["repeats"], share=lambda s, split, fold: (1 - s["test"]) * fold)
def original_holdout(rows, scheme, rng):
    """a random share `test` of the training rows that the data set came with held out, `repeats`
    times; the test rows that it came with are not touched
    """
    if rows.fold is None:
        raise SplitError(f"{rows.dataset} has no original fold; use the scheme `holdout`.")
    known = np.flatnonzero(rows.fold == "train")
    for repeat, ratio, train, test in holdout(replace(rows, y=rows.y[known]), scheme, rng):
        yield repeat, ratio, known[train], known[test]


def _rest(y: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tested = np.zeros(len(y), dtype=bool)
    tested[test] = True
    return np.flatnonzero(~tested), np.sort(test)
