"""A least-squares SVM, linear or with an RBF kernel."""

from __future__ import annotations

import numpy as np

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.decisions import Decisions
from fslib.kernels.lssvm import bordered_solution, rbf_kernel


@register
class LeastSquaresSVM(Classifier):
    """scikit-learn's ``RidgeClassifier(1/C)`` where it is linear; two classes only."""

    title = "Least-squares SVM"
    has_probabilities = False
    chosen_by_selection = ("C", "gamma")

    def decide(self, X_train, y_train, X_test, sizes, C=1.0, gamma=None):
        """A least-squares SVM with bias: linear, or with kernel exp(−gamma ‖x − z‖²/k)."""
        classes = np.unique(y_train)
        if len(classes) > 2:
            raise ValueError(f"lssvm separates two classes; the training rows have {len(classes)}.")
        signs = np.where(y_train == classes[0], 1.0, -1.0)
        n = len(X_train)
        points = np.vstack([X_train, X_test])
        values = np.empty((len(sizes), len(X_test)))
        for line, k in zip(values, sizes, strict=True):
            kernel = points[:, :k] @ points[:n, :k].T
            if gamma is not None:
                squares = np.einsum("ij,ij->i", points[:, :k], points[:, :k])
                distances = squares[:, None] + squares[:n] - 2.0 * kernel
                kernel = rbf_kernel(np.maximum(distances, 0.0), gamma, k)
            alpha, bias = bordered_solution(kernel[:n].copy(), signs, C)
            line[:] = kernel[n:] @ alpha + bias
        # The first class has the positive sign, and zero.
        return Decisions(classes[(values < 0).astype(int)], classes, np.stack([values, -values]))

    def peer(self, X, y):
        from sklearn.linear_model import RidgeClassifier

        return RidgeClassifier(1.0)
