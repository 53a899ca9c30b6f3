"""Sums of squares between and within classes, one value per feature."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse


def class_moments(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class sizes, and per class and feature the mean and the sum of squares about it."""
    if issparse(X):
        return _class_moments_of_sparse(csr_array(X), y)
    classes = [X[y == c] for c in range(y.max() + 1)]
    means = np.stack([members.mean(axis=0) for members in classes])
    squares = np.stack(
        [((m - mean) ** 2).sum(axis=0) for m, mean in zip(classes, means, strict=True)]
    )
    # A class of equal values has no spread; rounding of its mean must not give it one.
    equal = np.stack([(m == m[:1]).all(axis=0) for m in classes])
    means = np.where(equal, np.stack([m[0] for m in classes]), means)
    return np.bincount(y), means, np.where(equal, 0.0, squares)


def _class_moments_of_sparse(X: csr_array, y: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same from the values that are stored: all others are 0."""
    sizes = np.bincount(y)
    means, squares = np.empty((2, len(sizes), X.shape[1]))
    for c, size in enumerate(sizes):
        members = X[y == c]
        low, high = (
            extreme.toarray().ravel() for extreme in (members.min(axis=0), members.max(axis=0))
        )
        columns, values = members.indices, members.data
        mean = np.bincount(columns, values, X.shape[1]) / size
        off_mean = np.bincount(columns, (values - mean[columns]) ** 2, X.shape[1])
        n_zeros = size - np.bincount(columns, minlength=X.shape[1])
        means[c] = np.where(low == high, low, mean)
        squares[c] = np.where(low == high, 0.0, off_mean + n_zeros * mean**2)
    return sizes, means, squares


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
