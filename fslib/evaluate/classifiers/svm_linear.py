"""A linear support vector machine."""

from __future__ import annotations

import numpy as np

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.decisions import Decisions
from fslib.kernels.svm.curve import linear_curve


@register
class LinearSVM(Classifier):
    """scikit-learn's ``SVC(kernel="linear")`` with C = 1, solved to 1e-6."""

    title = "Linear SVM"
    has_probabilities = False

    def decide(self, X_train, y_train, X_test, sizes):
        return Decisions.by_pairs(linear_curve(X_train, y_train, X_test, sizes), np.unique(y_train))

    def peer(self, X, y):
        from sklearn.svm import SVC

        return SVC(kernel="linear", tol=1e-6)
