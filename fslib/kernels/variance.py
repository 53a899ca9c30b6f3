"""Sums of squares between and within classes, one value per feature."""

from __future__ import annotations

import numpy as np


def class_moments(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class sizes, and per class and feature the mean and the sum of squares about it."""
    classes = [X[y == c] for c in range(y.max() + 1)]
    means = np.stack([members.mean(axis=0) for members in classes])
    squares = np.stack(
        [((m - mean) ** 2).sum(axis=0) for m, mean in zip(classes, means, strict=True)]
    )
    # A class of equal values has no spread; rounding of its mean must not give it one.
    equal = np.stack([(m == m[:1]).all(axis=0) for m in classes])
    means = np.where(equal, np.stack([m[0] for m in classes]), means)
    return np.bincount(y), means, np.where(equal, 0.0, squares)


def sums_of_squares(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Between-class and within-class sums of squares of each column; constants give 0, 0."""
    sizes, means, squares = class_moments(X, y)
    overall = sizes @ means / sizes.sum()
    between = sizes @ (means - overall) ** 2
    between[(means == means[0]).all(axis=0)] = 0.0
    return between, squares.sum(axis=0)


def ratio(signal: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """``signal / noise``, where a signal without noise is infinite and nothing at all is 0."""
    without_noise = np.where(signal > 0, np.inf, signal)
    return np.divide(signal, noise, out=without_noise, where=noise > 0)
