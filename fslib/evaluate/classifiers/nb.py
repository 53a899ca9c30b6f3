"""Gaussian naive Bayes."""

from __future__ import annotations

import numpy as np

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.decisions import Decisions


@register
class GaussianNaiveBayes(Classifier):
    """scikit-learn's ``GaussianNB()``."""

    title = "Naive Bayes"

    def decide(self, X_train, y_train, X_test, sizes):
        """Predict from cumulative sums: the log-likelihood of k features is a sum over features.

        Variances are smoothed by 1e-9 times the largest variance among the k features. The largest
        variance depends on k, so each run of sizes with the same smoothing has sums of its own.
        """
        sizes = np.asarray(sizes)
        width = sizes[-1]
        classes, counts = np.unique(y_train, return_counts=True)
        members = [X_train[y_train == c, :width] for c in classes]
        means = np.stack([m.mean(axis=0) for m in members])
        for deviations, mean in zip(members, means, strict=True):
            deviations -= mean
            deviations *= deviations
        variances = np.stack([squared.mean(axis=0) for squared in members])
        shares = counts / len(y_train)
        overall = shares @ (variances + (means - shares @ means) ** 2)
        smoothing = 1e-9 * np.maximum.accumulate(overall)[sizes - 1]
        test = np.ascontiguousarray(X_test[:, :width].T)
        squares = [(test - mean[:, None]) ** 2 for mean in means]
        likelihoods = np.empty((len(classes), len(sizes), len(X_test)))
        with np.errstate(divide="ignore", invalid="ignore"):
            for epsilon in np.unique(smoothing):
                lines = np.flatnonzero(smoothing == epsilon)
                first, last = sizes[lines[0]], sizes[lines[-1]]
                for c, count in enumerate(counts):
                    spread = variances[c, :last] + epsilon
                    logarithms = np.log(2.0 * np.pi * spread)
                    terms = squares[c][first - 1 : last] / spread[first - 1 :, None]
                    terms += logarithms[first - 1 :, None]
                    terms[0] += (1.0 / spread[: first - 1]) @ squares[c][: first - 1]
                    terms[0] += logarithms[: first - 1].sum()
                    np.cumsum(terms, axis=0, out=terms)
                    likelihoods[c, lines] = (
                        np.log(count / len(y_train)) - 0.5 * terms[sizes[lines] - first]
                    )
        return Decisions.by_likelihood(likelihoods, classes)

    def peer(self, X, y):
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB()
