"""Classifiers by name: what they say of test rows from the best k features, for every wanted k.

One file in ``fslib/evaluate/classifiers`` per classifier, named as studies name it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from fslib.evaluate.classifiers._models import model_curve
from fslib.evaluate.decisions import Decisions
from fslib.run.objects import made
from fslib.run.plugins import Plugins


class Classifier:
    """Base of all classifiers. A classifier writes ``decide``, and ``tuned`` if it has settings.

    The docstring of each class names the scikit-learn classifier that predicts the same.
    """

    #: Name of the classifier in figures and documentation.
    title: ClassVar[str]
    #: Whether its decisions are probabilities; without, there is no log-loss.
    has_probabilities: ClassVar[bool] = True
    #: Seed of what is drawn at random; a number of its own per data set, split and classifier.
    random_state: int = 0
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

    def peer(self, X: np.ndarray, y: np.ndarray):
        """The scikit-learn classifier that predicts the same; settings are chosen on the rows."""
        raise NotImplementedError


CLASSIFIERS: Plugins[type[Classifier]] = Plugins("fslib.evaluate.classifiers", "classifier")
register = CLASSIFIERS.register


#: A classifier of ours by name, or anybody's: ``name``, ``use`` ("package:Class") and parameters.
Named = str | Mapping


class Anybodys(Classifier):
    """A class with scikit-learn's ``fit`` and ``predict``, one model per size."""

    def __init__(self, asked: Mapping):
        self.asked = asked

    def decide(self, X_train, y_train, X_test, sizes):
        return model_curve(self.peer, X_train, y_train, X_test, sizes)

    def peer(self, X=None, y=None):
        params = {key: value for key, value in self.asked.items() if key not in ("name", "use")}
        return made(self.asked["use"], params, self.random_state)


def classifier_of(asked: Named) -> Classifier:
    """A new classifier, ours or anybody's."""
    return CLASSIFIERS[asked]() if isinstance(asked, str) else Anybodys(asked)


def name_of(asked: Named) -> str:
    """What tables call a classifier."""
    return asked if isinstance(asked, str) else asked["name"]


def title_of(name: str) -> str:
    """What figures call a classifier: its title, or the name that a study gave it."""
    return CLASSIFIERS[name].title if name in CLASSIFIERS.names() else name


def tuned_settings(classifier: Named, X_train, y_train) -> dict[str, float]:
    """Settings that a classifier chooses on all features of the training rows, if any."""
    if (y_train == y_train[0]).all():
        return {}
    return classifier_of(classifier).tuned(X_train, y_train)


def decision_curve(
    classifier: Named,
    X_train,
    y_train,
    X_test,
    sizes,
    settings: Mapping[str, float] | None = None,
    random_state: int = 0,
) -> Decisions:
    """What a classifier says of ``X_test`` from the first ``sizes[i]`` columns, a line per size.

    The columns are in rank order. Line i is of the classifier that was trained on the first
    ``sizes[i]`` columns alone. ``settings`` are parameters of the classifier that the selection or
    `tuned_settings` has chosen.
    """
    X_train, X_test = np.asarray(X_train, dtype=float), np.asarray(X_test, dtype=float)
    y_train = np.asarray(y_train)
    model = classifier_of(classifier)
    model.random_state = random_state
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
    classifier: Named, X_train, y_train, X_test, sizes, settings: Mapping[str, float] | None = None
) -> np.ndarray:
    """The class codes that `decision_curve` predicts, one row per size.

    Examples
    --------
    >>> predict_curve("knn3", [[0, 5], [1, 9], [8, 5], [9, 9]], [0, 0, 1, 1], [[0, 7]], [1, 2])
    array([[0],
           [0]])
    """
    return decision_curve(classifier, X_train, y_train, X_test, sizes, settings).predicted
