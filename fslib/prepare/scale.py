"""Scaling of a whole table by its own statistics."""

from __future__ import annotations

import numpy as np


def minmax(X) -> np.ndarray:
    """Each column to [0, 1]; constant columns become 0.

    >>> minmax([[1.0, 7.0], [3.0, 7.0]]).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    X = np.asarray(X, dtype=np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = X - low
    scaled /= np.where(high > low, high - low, 1.0)
    return scaled


def standard(X) -> np.ndarray:
    """Each column to mean 0 and standard deviation 1; constant columns become 0.

    >>> standard([[1.0, 7.0], [3.0, 7.0]]).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    X = np.asarray(X, dtype=np.float64)
    deviation = X.std(axis=0)
    scaled = X - X.mean(axis=0)
    scaled /= np.where(deviation > 0, deviation, 1.0)
    return scaled
