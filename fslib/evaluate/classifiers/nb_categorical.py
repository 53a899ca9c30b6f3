"""Naive Bayes on codes."""

from __future__ import annotations

import numpy as np

from fslib.evaluate.classifier import Classifier, register
from fslib.evaluate.decisions import Decisions


@register
class CategoricalNaiveBayes(Classifier):
    """scikit-learn's ``CategoricalNB()``, for discrete features."""

    title = "Naive Bayes (categorical)"

    def decide(self, X_train, y_train, X_test, sizes):
        """Naive Bayes on codes 0, 1, … with Laplace smoothing 1.

        A code above all training codes of its column has count zero; scikit-learn would refuse it.
        """
        sizes = np.asarray(sizes)
        width = sizes[-1]
        train, test = X_train[:, :width].astype(np.intp), X_test[:, :width].astype(np.intp)
        for codes, values in ((train, X_train), (test, X_test)):
            if (codes != values[:, :width]).any() or (codes.size and codes.min() < 0):
                raise ValueError(
                    "nb_categorical needs codes 0, 1, 2, …; discretise the table first."
                )
        n_codes = train.max(axis=0) + 1
        # The table of counts has one column more than training codes, always zero: test codes above
        # the highest training code are looked up there.
        room = n_codes.max() + 1
        columns = np.arange(width) * room
        classes, class_counts = np.unique(y_train, return_counts=True)
        seen = columns + np.minimum(test, room - 1)
        likelihoods = np.empty((len(classes), len(sizes), len(X_test)))
        for c, count in enumerate(class_counts):
            members = (columns + train[y_train == classes[c]]).ravel()
            counts = np.bincount(members, minlength=width * room).reshape(width, room)
            table = np.log(counts + 1.0) - np.log(count + n_codes)[:, None]
            likelihoods[c] = (
                np.log(count)
                - np.log(len(y_train))
                + table.ravel()[seen].cumsum(axis=1)[:, sizes - 1].T
            )
        return Decisions.by_likelihood(likelihoods, classes)

    def peer(self, X, y):
        from sklearn.naive_bayes import CategoricalNB

        return CategoricalNB()
