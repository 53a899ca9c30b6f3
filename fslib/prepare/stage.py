"""The prepare stage: what a preparation learned on each split, or the prepared table itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table, write_table
from fslib.prepare.levels import Levels
from fslib.prepare.steps import LARGEST, PreparationError, apply, fit, preparation_name, step
from fslib.run.artefacts import atomic_path, has_contract, read, refusing, stored, write
from fslib.run.layout import REFIT, preparation_file
from fslib.split.stage import read_splits

#: What becomes of categories before all other steps: codes for what counts values, else columns.
_CODES, _ONE_HOT = "codes", "one_hot"


def write_preparations(
    table: str,
    splits: str,
    folder: str,
    listed: str,
    *,
    preparations: list[list[str]],
    within_split: bool,
) -> None:
    """Write one file for each preparation of a study, all or none, and list their digests."""
    with atomic_path(folder) as temporary:
        for steps in preparations:
            out = preparation_file(temporary, preparation_name(steps))
            if within_split:
                write_fitted(table, splits, out, steps=steps)
            else:
                write_prepared(table, out, steps=steps)
    names = map(preparation_name, preparations)
    digests = {name: stored(preparation_file(folder, name)) for name in names}
    with atomic_path(listed) as temporary:
        temporary.write_text(json.dumps(digests, indent=2) + "\n")


def write_fitted(table: str, splits: str, out: str, *, steps: list[str]) -> None:
    """Fit a preparation on the training rows of each split and write what it learned."""
    with refusing(out, over=PreparationError):
        data = read_table(table)
        _check_values(data, steps)
        parts = [
            pl.DataFrame({"split": split.split, "step": name, **learned})
            for split in read_splits(splits).values()
            for name, learned in _learned(data, steps, split.train)
        ]
        write(pl.concat(parts), out, "fitted")


def _learned(data: Dataset, steps: list[str], rows: np.ndarray) -> Iterator[tuple[str, dict]]:
    """What each step learns on some rows: two numbers per column, or a code per category."""
    X, columns = data.X[rows], np.arange(data.X.shape[1])
    if data.categories:
        levels = Levels.fit(data, rows)
        kind = _CODES if any(step(s).discretises for s in steps) else _ONE_HOT
        learned = levels.level.astype(float), levels.code.astype(float)
        yield kind, {"feature": levels.feature, "low": learned[0], "high": learned[1]}
        if kind == _CODES:  # codes are discrete already: the steps are for the numbers
            columns = np.setdiff1d(columns, levels.columns)
            X = X[:, columns]
        else:
            X = levels.one_hot(X)
            columns = np.arange(X.shape[1])
    for name, low, high in fit(steps, X):
        yield name, {"feature": columns, "low": low, "high": high}


def write_prepared(table: str, out: str, *, steps: list[str]) -> None:
    """Prepare the whole table at once, as papers that scale before splitting did."""
    with refusing(out, over=PreparationError):
        data = read_table(table)
        _check_values(data, steps)
        if data.categories:
            raise PreparationError(
                f"{data.name} has categories (first: "
                f"{data.feature_names[min(data.categories)]!r}), which are encoded by the training "
                f"rows of each split: set `prepare.fitted: within_split` in the study."
            )
        write_table(replace(data, X=apply(fit(steps, data.X), data.X)), out)


class Prepared:
    """Training and test rows of any split under one preparation, as plain arrays."""

    def __init__(
        self,
        data: Dataset,
        fitted: dict[int, list] | None,
        levels: dict[int, tuple[str, Levels]] | None = None,
    ):
        self.data = data
        self._fitted = fitted
        self._levels = levels or {}

    def rows(self, split: int, rows: np.ndarray) -> np.ndarray:
        """Prepared values of some rows; a fresh array that its user may change."""
        X = self.data.X[rows]
        if self._fitted is None:
            return X
        return prepared_values(X, self._fitted[split], *self._levels.get(split, ()))

    def features(self, split: int) -> np.ndarray | None:
        """The feature that each prepared column belongs to; None where each has its own column."""
        kind, levels = self._levels.get(split, (None, None))
        return levels.features(self.data.X.shape[1]) if kind == _ONE_HOT else None

    @property
    def fitted(self) -> str:
        """The study's ``fitted``: ``within_split`` if learned on training rows alone."""
        return "before_split" if self._fitted is None else "within_split"

    @property
    def table(self) -> np.ndarray:
        """All rows, prepared; an error where each split has a preparation of its own."""
        if self._fitted is not None:
            raise PreparationError(
                f"{self.data.name}: what is asked of the whole prepared table needs "
                f"`fitted: before_split` in the study's `prepare`."
            )
        return self.data.X


def prepared_values(
    X: np.ndarray, fitted: list, kind: str | None = None, levels: Levels | None = None
) -> np.ndarray:
    """Rows under what a preparation learned: categories first, then its steps."""
    if kind == _CODES:
        X = levels.coded(X)
        numbers = np.setdiff1d(np.arange(X.shape[1]), levels.columns)
        X[:, numbers] = apply(fitted, X[:, numbers])
        return X
    return apply(fitted, X if kind is None else levels.one_hot(X))


def read_preparation(table: str, path: str) -> Prepared:
    """The rows that the select and evaluate stages see, from the files of this stage.

    The file ``path`` holds either two numbers per split, step and column or a whole prepared table;
    its columns tell which.
    """
    if not has_contract(path, "fitted"):
        return Prepared(read_table(path), None)
    fitted: dict[int, list] = {}
    levels: dict[int, tuple[str, Levels]] = {}
    groups = read(path, "fitted").group_by("split", "step", maintain_order=True)
    for (split, name), group in groups:
        _add_learned(name, group, fitted.setdefault(split, []), levels, split)
    return Prepared(read_table(table), fitted, levels)


def _add_learned(name: str, learned, fitted: list, levels: dict, split: int) -> None:
    """Put what one step learned where `prepared_values` looks for it."""
    columns = [np.asarray(learned[c]) for c in ("feature", "low", "high")]
    if name in (_CODES, _ONE_HOT):
        levels[split] = name, Levels(*(values.astype(np.int64) for values in columns))
    else:
        fitted.append((name, *columns[1:]))


def learned_on_all(data: Dataset, steps: list[str]) -> tuple:
    """What a preparation learns on all rows: the arguments of `prepared_values` behind the rows."""
    _check_values(data, steps)
    fitted, levels = [], {}
    for name, learned in _learned(data, steps, np.arange(len(data.y))):
        _add_learned(name, learned, fitted, levels, REFIT)
    return fitted, *levels.get(REFIT, ())


def _check_values(data: Dataset, steps: list[str]) -> None:
    too_large = np.flatnonzero((np.abs(data.X) > LARGEST).any(axis=0))
    if len(too_large):
        raise PreparationError(
            f"{data.name} has values beyond {LARGEST:g} in {len(too_large)} columns (first: "
            f"{data.feature_names[too_large[0]]!r}), whose squares are no numbers any more. "
            f"Rescale them, or leave the cells empty where they stand for `missing`."
        )
    missing = np.isnan(data.X)
    missing[:, list(data.categories)] = False  # a category of its own, or filled as such
    unfilled = list(takewhile(lambda s: s != "median", steps))
    if missing.any() and (
        len(unfilled) == len(steps) or any(step(s).discretises for s in unfilled)
    ):
        columns = np.flatnonzero(missing.any(axis=0))
        raise PreparationError(
            f"{data.name} has {int(missing.sum())} missing values in {len(columns)} columns "
            f"(first: {data.feature_names[columns[0]]!r}), and the preparation {steps} does not "
            f"fill them. Put `median` first: "
            f"[{', '.join(['median', *(s for s in steps if s not in ('none', 'median'))])}]."
        )
