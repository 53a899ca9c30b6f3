"""Classifiers by name: what they say of test rows from the best k features, for every wanted k.

One file in ``fslib/evaluate/classifiers`` per classifier, named as studies name it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from fslib.evaluate.decisions import Decisions
from fslib.run.plugins import Plugins


class Classifier:
    """Base of all classifiers. A classifier writes ``decide``, and ``tuned`` if it has settings.

    The docstring of each class names the scikit-learn classifier that predicts the same.
    """

    #: Name of the classifier in figures and documentation.
    title: ClassVar[str]
    #: Whether its decisions are probabilities; without, there is no log-loss.
    has_probabilities: ClassVar[bool] = True
    #: Settings of ``decide`` that are read from a selection's facts, where the method chose them.
    chosen_by_selection: ClassVar[tuple[str, ...]] = ()

    def tuned(self, X_train: np.ndarray, y_train: np.ndarray) -> dict[str, float]:
        """Settings that are chosen once per split, on all features of the training rows."""
        return {}

    def decide(
        self,
        X_train: np.ndarray,
        y_train: np.ndarray,
        X_test: np.ndarray,
        sizes: Sequence[int],
        **settings: float,
    ) -> Decisions:
        """What is said of ``X_test`` from the first ``sizes[i]`` columns, a line per size.

        The columns are in rank order; ``sizes`` are ascending and within 1 .. n_columns; the
        training rows have at least two classes.
        """
        raise NotImplementedError


CLASSIFIERS: Plugins[type[Classifier]] = Plugins("fslib.evaluate.classifiers", "classifier")
register = CLASSIFIERS.register


def tuned_settings(classifier: str, X_train, y_train) -> dict[str, float]:
    """Settings that a classifier chooses on all features of the training rows, if any."""
    if (y_train == y_train[0]).all():
        return {}
    return CLASSIFIERS[classifier]().tuned(X_train, y_train)


def decision_curve(
    classifier: str, X_train, y_train, X_test, sizes, settings: Mapping[str, float] | None = None
) -> Decisions:
    """What a classifier says of ``X_test`` from the first ``sizes[i]`` columns, a line per size.

    The columns are in rank order. Line i is of the classifier that was trained on the first
    ``sizes[i]`` columns alone. ``settings`` are parameters of the classifier that the selection or
    `tuned_settings` has chosen.
    """
    X_train, X_test = np.asarray(X_train, dtype=float), np.asarray(X_test, dtype=float)
    y_train = np.asarray(y_train)
    model = CLASSIFIERS[classifier]()
    ascending, lines = np.unique(np.asarray(sizes, dtype=np.intp), return_inverse=True)
    if len(ascending) and not 1 <= ascending[0] <= ascending[-1] <= X_train.shape[1]:
        raise ValueError(f"sizes must lie in 1..{X_train.shape[1]}, got {list(sizes)}.")
    if not len(lines) or not len(X_test) or (y_train == y_train[0]).all():
        shape = len(lines), len(X_test)
        return Decisions.by_votes(np.ones((1, *shape)), y_train[:1])
    decisions = model.decide(X_train, y_train, X_test, ascending.tolist(), **(settings or {}))
    in_order = np.array_equal(lines, np.arange(len(ascending)))
    return decisions if in_order else decisions.lines(lines)


def predict_curve(
    classifier: str, X_train, y_train, X_test, sizes, settings: Mapping[str, float] | None = None
) -> np.ndarray:
    """The class codes that `decision_curve` predicts, one row per size.

    Examples
    --------
    >>> predict_curve("knn3", [[0, 5], [1, 9], [8, 5], [9, 9]], [0, 0, 1, 1], [[0, 7]], [1, 2])
    array([[0],
           [0]])
    """
    return decision_curve(classifier, X_train, y_train, X_test, sizes, settings).predicted
