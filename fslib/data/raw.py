"""What a reader or generator hands over: values and labels as they are in the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Raw:
    """A table before its labels are coded and its counts are checked."""

    X: np.ndarray
    labels: np.ndarray
    """The class of each row as text, in the spelling of the registry."""
    feature_names: list[str]
    fold: np.ndarray | None = None
    group: np.ndarray | None = None
    essential: np.ndarray | None = None


def numbered(prefix: str, count: int) -> list[str]:
    """Numbered names for ``count`` columns, padded with zeros so that they sort in column order.

    >>> numbered("f", 10)[:2], numbered("f", 10)[-1]
    (['f01', 'f02'], 'f10')
    """
    width = len(str(count))
    return [f"{prefix}{i:0{width}d}" for i in range(1, count + 1)]
