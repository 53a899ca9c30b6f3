"""Gradient boosting."""

from __future__ import annotations

from sklearn.ensemble import HistGradientBoostingClassifier

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.classifiers._models import model_curve


@register
class GradientBoosting(Classifier):
    """scikit-learn's ``HistGradientBoostingClassifier()``; it needs 40 rows to learn anything."""

    title = "Gradient boosting"

    def decide(self, X_train, y_train, X_test, sizes):
        return model_curve(self.peer, X_train, y_train, X_test, sizes)

    def peer(self, X=None, y=None):
        return HistGradientBoostingClassifier(random_state=self.random_state)
