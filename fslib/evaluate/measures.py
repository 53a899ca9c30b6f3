"""How well classes were predicted: every measure, declared once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measure:
    """A number for predictions of one classifier on one split."""

    name: str
    title: str
    greater_is_better: bool
    function: Callable

    @property
    def sign(self) -> int:
        """1 where greater is better, −1 where less is."""
        return 1 if self.greater_is_better else -1


def _accuracy(truth, predicted):
    return (predicted == truth).mean(axis=-1)


def _balanced_accuracy(truth, predicted):
    right = predicted == truth
    return np.mean([right[..., truth == c].mean(axis=-1) for c in np.unique(truth)], axis=0)


#: Every measure by the name that studies use.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", True, _accuracy),
        Measure("balanced_accuracy", "balanced accuracy", True, _balanced_accuracy),
    )
}
