"""A selection as the evaluate stage measures it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ranked:
    """Columns of one selection, best first, and the prefix lengths at which it is measured.

    The lengths are those of the study's grid below the number of selected columns, and that number.
    """

    order: np.ndarray
    sizes: list[int]
    facts: dict[str, float]

    @classmethod
    def of(cls, order: list[int], selected: list[bool], grid: list[int], facts=()) -> Ranked:
        n_selected = sum(selected)
        sizes = sorted({k for k in grid if k < n_selected} | {n_selected})
        return cls(np.array(order, dtype=np.intp), sizes, dict(facts))

    def top(self, k: int) -> np.ndarray:
        return self.order[: min(k, self.sizes[-1])]
