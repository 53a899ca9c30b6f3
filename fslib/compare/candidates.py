"""Sets that may be recommended for a data set, what splits say of them, and the choice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from fslib.compare.labels import is_competitor
from fslib.compare.setting import Setting
from fslib.compare.statistics import corrected_standard_error
from fslib.evaluate.measures import MEASURES
from fslib.run.artefacts import EVERY


@dataclass(frozen=True)
class Candidates:
    """The sets of one data set: of a ranking every measured size, of other methods their own."""

    table: pl.DataFrame
    """One row per set: ``method`` (its label), ``k`` (null for a method's own set), ``size``,
    ``stability``, ``whole``; sorted by size, then the more stable first, then by method."""
    values: dict[str, np.ndarray]
    """By classifier, splits × sets by the judging measure, greater is better; NaN if unknown."""
    setting: Setting

    @classmethod
    def of(
        cls, measured: pl.DataFrame, cells: pl.DataFrame, stability: pl.DataFrame, setting: Setting
    ) -> Candidates:
        """From what was measured of one data set's methods, under their labels.

        Parameters
        ----------
        measured : ``method``, ``split``, ``classifier``, ``k`` (null for a method's own set) and
            every measure.
        cells : how the runs of each method went.
        stability : ``method``, ``k`` as above, ``stability``.
        """
        methods = cells.filter(is_competitor()).select(
            "method",
            "n_selected",
            (pl.col("refit_ok") & (pl.col("ok") == pl.col("splits"))).alias("whole"),
        )
        table = (
            measured.select("method", "k").unique()
            .join(methods, on="method")
            .with_columns(pl.min_horizontal("k", "n_selected").cast(pl.Int32).alias("size"))
            .join(stability, on=["method", "k"], how="left", nulls_equal=True)
            .sort(
                "size", "stability", "method", "k",
                descending=[False, True, False, False], nulls_last=True,
            )
        )  # fmt: skip
        if table["whole"].any():
            table = table.filter("whole")
        table = table.with_row_index("at")
        measure = MEASURES[setting.judge_by]
        row_of = {split: i for i, split in enumerate(setting.numbers)}
        placed = measured.join(
            table.select("method", "k", "at"), on=["method", "k"], nulls_equal=True
        )
        values = {}
        for (classifier,), part in placed.group_by("classifier", maintain_order=True):
            grid = np.full((len(row_of), len(table)), np.nan)
            rows = [row_of[split] for split in part["split"]]
            grid[rows, part["at"].to_numpy()] = (
                measure.sign * part[measure.name].cast(pl.Float64).fill_null(np.nan).to_numpy()
            )
            values[classifier] = grid
        return cls(table.drop("at"), values, setting)

    def near_best(self, values: np.ndarray) -> tuple[np.ndarray, int | None]:
        """Sets within one standard error of the best by some splits' values, and the best."""
        known = np.isfinite(values)
        complete = known.sum(axis=0) == max(known.sum(axis=0), default=0)
        usable = complete & known.any(axis=0)
        if not usable.any():
            return usable, None
        with np.errstate(invalid="ignore"):
            sums = np.where(known, values, 0.0).sum(axis=0)
            means = np.where(usable, np.round(sums / np.maximum(known.sum(axis=0), 1), 12), -np.inf)
        # The table is sorted by size: of equal means the smallest set comes first.
        best = int(means.argmax())
        error = corrected_standard_error(values[known[:, best], best], self.setting.share)
        return usable & (means >= means[best] - np.nan_to_num(error)), best

    def chosen(self, values: np.ndarray) -> int | None:
        """The smallest set within one standard error of the best; the more stable of two as small,
        then the better one.
        """
        near, best = self.near_best(values)
        if best is None:
            return None
        at = np.flatnonzero(near)
        sizes, stability = self.table["size"].to_numpy(), self.table["stability"].to_numpy()
        means = np.round(np.nanmean(values[:, at], axis=0), 12)
        unstable = -np.nan_to_num(stability[at].astype(float), nan=-np.inf, neginf=-np.inf)
        return int(at[np.lexsort((at, -means, unstable, sizes[at]))[0]])

    def honest(self, classifier: str = EVERY) -> np.ndarray:
        """Per split the value of the set that other splits recommend; NaN where there is none.

        No value of a split has a say in which set is measured on it, so that most of what a search
        over all sets gains by chance is not in the mean of these values. What remains: the other
        splits were trained with this split's test rows. On pure noise (60 rows, 5 folds, 75 sets)
        the best set's mean is 0.63, the recommended set's 0.60 and the mean of these values 0.53,
        where 0.50 is the truth; only fits within fits would remove that.

        References
        ----------
        Tsamardinos, Greasidou & Borboudakis (2018), Machine Learning 107, 1895–1922, on the bias of
        the best of many cross-validated configurations.
        """
        own = self.values[classifier]
        found = np.full(len(own), np.nan)
        for split, at in enumerate(self._chosen_by_others):
            if at is not None:
                found[split] = own[split, at]
        return found

    @cached_property
    def _chosen_by_others(self) -> list[int | None]:
        overall = self.values[EVERY]
        return [self.chosen(overall[who]) for who in self.setting.choosers]
