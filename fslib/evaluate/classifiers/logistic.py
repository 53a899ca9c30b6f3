"""Logistic regression."""

from __future__ import annotations

from sklearn.linear_model import LogisticRegression

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.classifiers._models import model_curve


@register
class Logistic(Classifier):
    """scikit-learn's ``LogisticRegression(max_iter=1000)``."""

    title = "Logistic regression"

    def decide(self, X_train, y_train, X_test, sizes):
        return model_curve(self.peer, X_train, y_train, X_test, sizes)

    def peer(self, X=None, y=None):
        return LogisticRegression(max_iter=1000)
