"""A support vector machine with an RBF kernel."""

from __future__ import annotations

import numpy as np

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.decisions import Decisions
from fslib.kernels.svm.curve import rbf_curve


@register
class RBFSVM(Classifier):
    """scikit-learn's ``SVC(gamma="auto")`` with C = 1, solved to 1e-6."""

    title = "RBF SVM"
    has_probabilities = False

    def decide(self, X_train, y_train, X_test, sizes):
        return Decisions.by_pairs(rbf_curve(X_train, y_train, X_test, sizes), np.unique(y_train))

    def peer(self, X, y):
        from sklearn.svm import SVC

        return SVC(gamma="auto", tol=1e-6)
