"""A linear support vector machine."""

from __future__ import annotations

from fslib.evaluate.classifier import Classifier, register
from fslib.kernels.svm.curve import linear_curve


@register
class LinearSVM(Classifier):
    """scikit-learn's ``SVC(kernel="linear")`` with C = 1, solved to 1e-6."""

    title = "Linear SVM"

    def predict(self, X_train, y_train, X_test, sizes):
        return linear_curve(X_train, y_train, X_test, sizes)
