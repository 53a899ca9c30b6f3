"""SVM decisions from the first k features, for growing k."""

from __future__ import annotations

import numpy as np

from fslib.kernels.svm.dual import binary_problems, solve_gram
from fslib.kernels.svm.followed import FollowedSVM, worth_following

#: With more features than this between two sizes, a fresh solution is cheaper than following each.
_FAR = 4
#: Sizes whose decisions are computed in one product; fixed, since the rounding of a product
#: depends on its shape.
_LINES = 64


def linear_curve(X_train, y_train, X_test, sizes, C: float = 1.0) -> list[np.ndarray]:
    """Decisions of a linear SVM for each pair of classes, one row per ascending size.

    A decision is positive for the second class of the pair.

    With many features for the rows, the exact solution is followed feature by feature from one
    size to the next; with few, each size is solved anew (see :func:`worth_following`).
    """
    decisions = []
    for rows, signs in binary_problems(y_train, "ovo"):
        table = X_train[rows]
        centre = table.mean(axis=0)
        features = np.ascontiguousarray((table - centre).T)
        tests = np.ascontiguousarray((X_test - centre).T)
        decisions.append(_linear_decisions(features, signs, tests, sizes, C))
    return decisions


def _linear_decisions(features, signs, tests, sizes, C) -> np.ndarray:
    out = np.empty((len(sizes), tests.shape[1]))
    reached = sizes[0]
    svm = FollowedSVM(features[:reached], signs, C)
    for start in range(0, len(sizes), _LINES):
        lines = sizes[start : start + _LINES]
        betas, biases = np.empty((len(lines), len(signs))), np.empty((len(lines), 1))
        for line, k in enumerate(lines):
            if k - reached > (_FAR if worth_following(k, len(signs)) else 1):
                svm.solve(features[:k])
                reached = k
            for j in range(reached, k):
                svm.change(features[j], 1.0, features[: j + 1])
            betas[line], biases[line], reached = svm.beta, svm.bias, k
        weights = betas @ features[:reached].T
        weights[np.arange(reached) >= np.asarray(lines)[:, None]] = 0.0
        out[start : start + len(lines)] = weights @ tests[:reached] + biases
    return out


def rbf_curve(
    X_train, y_train, X_test, sizes, C: float = 1.0, gamma: float | None = None
) -> list[np.ndarray]:
    """Decisions of an SVM with kernel exp(−gamma ‖x − z‖²) for each pair of classes, by size.

    ``gamma`` is 1/k for size k unless given. Squared distances grow feature by feature; the kernel
    and its SVM are new for every size.
    """
    problems = binary_problems(y_train, "ovo")
    n = len(X_train)
    points = np.ascontiguousarray(np.vstack([X_train, X_test]).T)
    distances = np.zeros((points.shape[1], n))
    decisions = [np.empty((len(sizes), len(X_test))) for _ in problems]
    reached = 0
    for line, k in enumerate(sizes):
        for values in points[reached:k]:
            difference = values[:, None] - values[:n]
            difference *= difference
            distances += difference
        reached = k
        gram = np.exp(distances / (-k if gamma is None else -1.0 / gamma))
        for (rows, signs), decision in zip(problems, decisions, strict=True):
            square = np.ascontiguousarray(gram[rows[:, None], rows])
            beta, bias, _ = solve_gram(square, signs, C)
            decision[line] = gram[n:, rows] @ beta + bias
    return decisions
