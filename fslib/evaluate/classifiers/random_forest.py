"""Random forest."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.classifiers._models import model_curve


@register
class RandomForest(Classifier):
    """scikit-learn's ``RandomForestClassifier(100)``."""

    title = "Random forest"

    def decide(self, X_train, y_train, X_test, sizes):
        return model_curve(self.peer, X_train, y_train, X_test, sizes)

    def peer(self, X=None, y=None):
        return RandomForestClassifier(100, random_state=self.random_state)
