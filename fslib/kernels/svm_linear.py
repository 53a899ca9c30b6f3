"""One linear SVM, by the solver that suits its shape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fslib.kernels.svm_dual import Solution, binary_problems, solve_gram
from fslib.kernels.svm_interior import solve_interior

#: Up to this many rows LIBSVM is done before an interior point has formed its first matrix.
_SMALL = 128


class LinearProblem(NamedTuple):
    """One two-class problem: features as rows, centred; which leaves its weights as they are."""

    features: np.ndarray
    signs: np.ndarray


def linear_problems(X: np.ndarray, y: np.ndarray, multiclass: str) -> list[LinearProblem]:
    """The two-class problems of a table, feature-major and centred."""
    problems = []
    for rows, signs in binary_problems(y, multiclass):
        features = np.ascontiguousarray(X[rows].T)
        constant = (features == features[:, :1]).all(axis=1)
        features -= features.mean(axis=1, keepdims=True)
        features[constant] = 0.0  # the mean of equal numbers need not equal them
        problems.append(LinearProblem(features, signs))
    return problems


def solve_linear(features: np.ndarray, signs: np.ndarray, C: float) -> tuple[Solution, bool]:
    """The dual solution, and whether LIBSVM had to step in for an uncertified answer."""
    n_features, n = features.shape
    wide = n <= _SMALL or 3 * n_features > n
    if not wide:
        solution = solve_interior(features, signs, C)
        if solution is not None:
            return solution, False
    return solve_gram(features.T @ features, signs, C), not wide
