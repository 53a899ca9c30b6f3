"""A support vector machine with an RBF kernel."""

from __future__ import annotations

from fslib.evaluate.classifier import Classifier, register
from fslib.kernels.svm.curve import rbf_curve


@register
class RBFSVM(Classifier):
    """scikit-learn's ``SVC(gamma="auto")`` with C = 1, solved to 1e-6."""

    title = "RBF SVM"

    def predict(self, X_train, y_train, X_test, sizes):
        return rbf_curve(X_train, y_train, X_test, sizes)
