"""What a comparison must know of a data set besides results: its classes and its splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.evaluate.decisions import Decisions
from fslib.evaluate.measures import Judged, Measure
from fslib.run.layout import REFIT

#: Rows whose part in the splits is looked at together.
_ROWS = 4096
#: With a class of more than this share of the rows, methods are judged by balanced accuracy: a
#: method that always names that class would have a high accuracy.
UNBALANCED = 0.75


@dataclass(frozen=True)
class Setting:
    """Classes and splits of one data set in one study."""

    n_features: int
    y: np.ndarray
    """Class code of each row."""
    splits: dict[int, tuple[float, np.ndarray, np.ndarray]]
    """By number: sampling ratio, training rows, test rows; without the refit."""
    asked: str | None = None
    """The measure that the study says to judge by; None leaves it to the classes."""
    table: Callable[[], Dataset] | None = None
    """Reads the table, for those who need its values."""

    @classmethod
    def of(cls, table: Callable[[], Dataset], splits: pl.DataFrame, asked: str | None) -> Setting:
        """From a table and the rows of its splits file."""
        data = table()
        parts = splits.filter(pl.col("split") != REFIT).partition_by(
            "split", "part", as_dict=True, maintain_order=True
        )
        rows = {key: part["row"].to_numpy() for key, part in parts.items()}
        return cls(
            data.X.shape[1],
            data.y,
            {
                split: (part["ratio"][0], rows[split, "train"], rows[split, "test"])
                for (split, name), part in parts.items()
                if name == "train"
            },
            asked,
            table,
        )

    @cached_property
    def share(self) -> float:
        """Test rows per training row, on average over the splits."""
        return float(np.mean([len(test) / len(train) for _, train, test in self.splits.values()]))

    @cached_property
    def largest_class(self) -> float:
        """Share of the rows that are of the most frequent class."""
        return float(np.bincount(self.y).max() / len(self.y))

    @property
    def judge_by(self) -> str:
        """The measure that ranks methods and decides the recommendation."""
        if self.asked is not None:
            return self.asked
        return "balanced_accuracy" if self.largest_class > UNBALANCED else "accuracy"

    @cached_property
    def numbers(self) -> list[int]:
        return list(self.splits)

    def majority(self, measure: Measure) -> float | None:
        """Mean over the splits of naming the most frequent training class for every test row.

        Its probabilities are the shares of the classes among the training rows.
        """
        values = []
        for _, train, test in self.splits.values():
            classes, counts = np.unique(self.y[train], return_counts=True)
            votes = np.broadcast_to(counts[:, None, None], (len(classes), 1, len(test)))
            judged = Judged(self.y[test], Decisions.by_votes(votes, classes))
            found = measure.function(judged)
            if found is not None:
                values.append(float(found[0]))
        return float(np.mean(values)) if values else None

    @property
    def whole_splits(self) -> list[int]:
        """Numbers of the splits of the largest ratio: smaller samples are not as stable."""
        most = max(ratio for ratio, _, _ in self.splits.values())
        return [number for number, (ratio, _, _) in self.splits.items() if ratio == most]

    @cached_property
    def choosers(self) -> np.ndarray:
        """Splits × splits: whether the second may choose for the first.

        Splits choose for a split of the same ratio where no test row is in both, so that what is
        chosen for a split never saw one of its test rows being predicted. Where all others share
        test rows with a split (holdouts, bootstraps), all others choose; where there is no other,
        the split itself. `remarks` tells of both.
        """
        ratios = np.array([ratio for ratio, _, _ in self.splits.values()])
        other = (ratios[:, None] == ratios) & ~np.eye(len(ratios), dtype=bool)
        apart = other & ~self._share_test_rows
        chosen = np.where(apart.any(axis=1, keepdims=True), apart, other)
        lonely = ~chosen.any(axis=1)
        chosen[lonely, lonely] = True
        return chosen

    @cached_property
    def _share_test_rows(self) -> np.ndarray:
        tests = [test for _, _, test in self.splits.values()]
        shared = np.eye(len(tests), dtype=bool)
        for first in range(0, len(self.y), _ROWS):
            if shared.all():
                break
            held = np.zeros((len(tests), _ROWS), dtype=np.float32)
            for line, test in zip(held, tests, strict=True):
                line[test[(test >= first) & (test < first + _ROWS)] - first] = 1.0
            shared |= held @ held.T > 0
        return shared

    @property
    def remarks(self) -> list[str]:
        """What a reader must know of how sets were chosen and judged."""
        found = []
        if len(self.splits) == 1:
            found.append(
                "a single split: sizes of rankings are chosen on the rows that judge them, so "
                "that their values are too good"
            )
        elif (self.choosers & self._share_test_rows).any():
            found.append(
                "splits share test rows: sizes of rankings are chosen by splits that predicted "
                "some of the same rows"
            )
        if self.asked is None and self.judge_by != "accuracy":
            found.append(
                f"the largest class has {self.largest_class:.0%} of the rows: judged by balanced "
                "accuracy"
            )
        return found
