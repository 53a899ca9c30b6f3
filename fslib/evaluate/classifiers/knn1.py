"""Nearest neighbour."""

from __future__ import annotations

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.classifiers._nearest import nearest_curve


@register
class OneNearestNeighbour(Classifier):
    """scikit-learn's ``KNeighborsClassifier(1)``; rows at equal distance share the vote."""

    title = "Nearest neighbour"

    def decide(self, X_train, y_train, X_test, sizes):
        return nearest_curve(1, X_train, y_train, X_test, sizes)

    def peer(self, X, y):
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(1)
