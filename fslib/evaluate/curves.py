"""Predictions from the best k features, for every wanted k: the raw form of a v-curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.base import clone
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

Curve = Callable[[np.ndarray, np.ndarray, np.ndarray, Sequence[int]], np.ndarray]


def _refitted(classifier) -> Curve:
    def curve(X_train, y_train, X_test, sizes):
        if (y_train == y_train[0]).all():
            return np.full((len(sizes), len(X_test)), y_train[0])
        return np.stack(
            [clone(classifier).fit(X_train[:, :k], y_train).predict(X_test[:, :k]) for k in sizes]
        )

    return curve


def _knn3(X_train, y_train, X_test, sizes):
    neighbours = KNeighborsClassifier(min(3, len(X_train)), algorithm="brute")
    return _refitted(neighbours)(X_train, y_train, X_test, sizes)


def _nb_categorical(X_train, y_train, X_test, sizes):
    n_codes = int(max(X_train.max(), X_test.max())) + 1
    return _refitted(CategoricalNB(min_categories=n_codes))(X_train, y_train, X_test, sizes)


#: Curve functions by the names used in studies.
CLASSIFIERS: dict[str, Curve] = {
    "knn3": _knn3,
    "nb": _refitted(GaussianNB()),
    "nb_categorical": _nb_categorical,
    "svm_linear": _refitted(SVC(kernel="linear")),
    "svm_rbf": _refitted(SVC(kernel="rbf", gamma="auto")),
}


def predict_curve(classifier: str, X_train, y_train, X_test, sizes) -> np.ndarray:
    """Class codes predicted for ``X_test`` from the first ``sizes[i]`` columns, one row per size.

    The columns are in rank order. Each row is what the scikit-learn classifier of that name,
    trained on those columns alone, would predict.

    Examples
    --------
    >>> predict_curve("knn3", [[0, 5], [1, 9], [8, 5], [9, 9]], [0, 0, 1, 1], [[0, 7]], [1, 2])
    array([[0],
           [0]])
    """
    X_train, X_test = np.asarray(X_train, dtype=float), np.asarray(X_test, dtype=float)
    y_train, sizes = np.asarray(y_train), [int(k) for k in sizes]
    if sizes and not 1 <= min(sizes) <= max(sizes) <= X_train.shape[1]:
        raise ValueError(f"sizes must lie in 1..{X_train.shape[1]}, got {sizes}.")
    return CLASSIFIERS[classifier](X_train, y_train, X_test, sizes)
