"""Criteria from any scikit-learn classifier or any function."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit, cross_val_score

from fslib.criteria.base import Criterion


class EstimatorCriterion(Criterion):
    """Mean accuracy of a scikit-learn classifier over the folds."""

    def __init__(self, X, y, fold_of, estimator):
        super().__init__(X, y, fold_of)
        self.estimator = estimator
        self.splitter = PredefinedSplit(fold_of)

    def _value(self, subset: np.ndarray) -> float:
        scores = cross_val_score(
            clone(self.estimator),
            self.X[:, subset],
            self.y,
            cv=self.splitter,
            scoring="accuracy",
            error_score="raise",
        )
        return scores.mean()


class CallableCriterion(Criterion):
    """A function ``J(X_subset, y)`` of the subset's columns and the class codes."""

    def __init__(self, X, y, fold_of, function):
        super().__init__(X, y, fold_of)
        self.function = function
        # How many models the function trains is unknown: n_fits counts one per evaluation.
        self.n_folds = 1

    def _value(self, subset: np.ndarray) -> float:
        return float(self.function(self.X[:, subset], self.y))
