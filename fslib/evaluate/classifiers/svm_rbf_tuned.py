"""A support vector machine with an RBF kernel whose parameters are chosen on the training rows."""

from __future__ import annotations

import numpy as np

from fslib.criteria.base import fixed_folds
from fslib.criteria.svm import RBFSVMCriterion
from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.decisions import Decisions
from fslib.kernels.svm.curve import rbf_curve


@register
class TunedRBFSVM(Classifier):
    """scikit-learn's ``SVC``, with C and gamma chosen once per split on all features.

    C is one of 1, 10, 100, and gamma one of 1/4, 1, 4 divided by the number of features times the
    variance of the table. Accuracy over three folds of the training rows decides.
    """

    title = "RBF SVM, tuned"
    has_probabilities = False

    def tuned(self, X_train, y_train):
        return RBFSVMCriterion(X_train, y_train, fixed_folds(y_train, 3)).params

    def decide(self, X_train, y_train, X_test, sizes, **settings):
        return Decisions.by_pairs(
            rbf_curve(X_train, y_train, X_test, sizes, **settings), np.unique(y_train)
        )

    def peer(self, X, y):
        from sklearn.svm import SVC

        return SVC(tol=1e-6, **self.tuned(X, y))
