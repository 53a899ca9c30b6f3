"""The results of a study's parts, as a paper's functions see them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.loading import load
from fslib.data.tables import read_table
from fslib.run.artefacts import read, stacked
from fslib.run.errors import FslibError
from fslib.run.layout import place_of


class Results:
    """Everything measured in a study, each kind as one table with a column ``part``.

    The tables have the columns of their contracts (`fslib.run.artefacts`): ``accuracy``,
    ``stability``, ``recovery``, ``runs``, ``selections`` and ``facts``. What was not run has no
    rows.

    Parameters
    ----------
    group : str
        Name of the study file; results lie in ``<group>-<part>/`` or, without parts, ``<group>/``.
    files : for each kind the paths ``…/<study>/<data set>/<entry>/<kind>.parquet``
    tables : paths ``…/data/<data set>/table.parquet``
    splits : paths ``…/<study>/<data set>/splits.parquet``
    kept : what earlier runs left by name: exhibits (`Paper.exhibit`), and kinds kept whole. Of each
        part, data set and method the run counts that has more rows; this one where both have as
        many.
    """

    def __init__(
        self,
        group: str,
        files: Mapping[str, Iterable[str]],
        tables: Iterable[str] = (),
        splits: Iterable[str] = (),
        kept: Mapping[str, pl.DataFrame] | None = None,
    ):
        self.group = group
        self._kept = dict(kept or {})
        self._exhibits: dict[str, pl.DataFrame] = {}
        self._readings: dict[tuple, Results] = {}
        self._files = {kind: list(paths) for kind, paths in files.items()}
        self._tables = {Path(path).parent.name: path for path in tables}
        self._splits = {Path(path).parts[-3:-1]: path for path in splits}
        self._frame = cache(lambda kind: self._with_kept(kind, self._read(kind)))

    def _read(self, kind: str) -> pl.DataFrame:
        frames = [
            read(path, kind).with_columns(part=pl.lit(self._part(path)))
            for path in self._files.get(kind, [])
        ]
        frame = stacked(frames, kind)
        return frame if frames else frame.with_columns(part=pl.lit(None, pl.String))

    def _part(self, path: str) -> str:
        return place_of(path).study.removeprefix(self.group).removeprefix("-")

    def read_as(self, parts: Mapping[str, str], without: Collection[str] = ()) -> Results:
        """These results with some parts in the place of others, and without some parts.

        ``parts`` says for a part whose place it takes; what had that place is left out.
        """
        key = frozenset(parts.items()), frozenset(without)
        return self._readings.setdefault(key, _Reading(self, parts, without))

    def exhibit(self, name: str, make: Callable[[Results], pl.DataFrame]) -> pl.DataFrame:
        """An exhibit from these results, made once, with what is kept of earlier runs below it."""
        if name not in self._exhibits:
            self._exhibits[name] = self._with_kept(name, make(self))
        return self._exhibits[name]

    def rows(self, kind: str) -> pl.DataFrame:
        """All rows of a kind of results, each with its part."""
        return self._frame(kind)

    def _with_kept(self, name: str, own: pl.DataFrame) -> pl.DataFrame:
        if name not in self._kept:
            return own
        kept = self._kept[name]
        if missing := [column for column in own.columns if column not in kept.columns]:
            raise FslibError(f"the kept exhibit {name!r} is of before it had {', '.join(missing)}")
        return _fuller(own, kept.select(own.columns))

    @property
    def everything(self) -> Results:
        """All parts as they were run, whatever reading this is."""
        return self

    @property
    def parts(self) -> set[str]:
        """Parts with at least one run, here or in an exhibit that is kept."""
        return set(self.runs["part"]).union(*(kept["part"] for kept in self._kept.values()))

    @property
    def accuracy(self) -> pl.DataFrame:
        return self.rows("accuracy")

    @property
    def stability(self) -> pl.DataFrame:
        return self.rows("stability")

    @property
    def recovery(self) -> pl.DataFrame:
        return self.rows("recovery")

    @property
    def runs(self) -> pl.DataFrame:
        """Runs with status ``ok``."""
        return self.rows("runs").filter(pl.col("status") == "ok")

    @property
    def selections(self) -> pl.DataFrame:
        return self.rows("selections")

    @property
    def facts(self) -> pl.DataFrame:
        return self.rows("facts")

    @property
    def datasets(self) -> list[str]:
        return list(self._tables)

    def table(self, dataset: str) -> Dataset:
        """A data set as the run has it, or from its source where only exhibits speak of it."""
        return read_table(self._tables[dataset]) if dataset in self._tables else load(dataset)

    def training_rows(self, part: str, dataset: str) -> dict[int, np.ndarray]:
        """The training rows of every split of a data set in a part, by the split's number."""
        study = "-".join(filter(None, (self.group, part)))
        rows = read(self._splits[study, dataset], "splits").filter(part="train")
        by_split = rows.group_by("split", maintain_order=True).agg("row")
        return {split: np.array(own) for split, own in by_split.iter_rows()}


def _fuller(own: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """Of each part, data set and method the rows of the run that has more of them."""
    key = [name for name in ("part", "dataset", "method") if name in own.columns]
    n_own, n_kept = (frame.group_by(key).agg(n=pl.len()) for frame in (own, kept))
    both = n_kept.join(n_own, on=key, how="left")
    fuller = both.filter(pl.col("n") > pl.col("n_right").fill_null(0))
    return pl.concat([own.join(fuller, on=key, how="anti"), kept.join(fuller, on=key, how="semi")])


class _Reading(Results):
    """Results with some parts in the place of others."""

    def __init__(self, base: Results, parts: Mapping[str, str], without: Collection[str]):
        super().__init__(base.group, {})
        self._base, self._places = base, dict(parts)
        self._left_out = (set(without) | set(parts.values())) - set(parts)

    def _read(self, kind: str) -> pl.DataFrame:
        return self._as_read(self._base.rows(kind))

    def _as_read(self, frame: pl.DataFrame) -> pl.DataFrame:
        part = pl.col("part")
        kept = frame.filter(~part.is_in(list(self._left_out)).fill_null(False))
        return kept.with_columns(part.replace(self._places))

    def exhibit(self, name: str, make: Callable[[Results], pl.DataFrame]) -> pl.DataFrame:
        return self._as_read(self._base.exhibit(name, make))

    @property
    def parts(self) -> set[str]:
        return {self._places.get(p, p) for p in self._base.parts if p not in self._left_out}

    @property
    def everything(self) -> Results:
        return self._base

    @property
    def datasets(self) -> list[str]:
        return self._base.datasets

    def table(self, dataset: str) -> Dataset:
        return self._base.table(dataset)

    def training_rows(self, part: str, dataset: str) -> dict[int, np.ndarray]:
        taken = {place: own for own, place in self._places.items()}
        return self._base.training_rows(taken.get(part, part), dataset)
