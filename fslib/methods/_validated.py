"""What the methods that measure rankings on validation rows share."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from numbers import Integral
from pathlib import Path

import numpy as np
from sklearn.base import clone

from fslib.base import FeatureSelector
from fslib.evaluate.classifier import CLASSIFIERS, predict_curve
from fslib.methods.correlation import Correlation


class Validated(FeatureSelector):
    """Base of the methods that cut a ranking where a classifier does best on rows held out."""

    deterministic = False

    @classmethod
    def sources(cls, params: Mapping) -> list[Path]:
        by_default = signature(cls).parameters["classifier"].default
        return [CLASSIFIERS.source(params.get("classifier", by_default))]


def seeded(ranker: FeatureSelector | None, random_state, number: int) -> FeatureSelector:
    """A fresh ranker for one of several row sets, with a seed of its own if it takes one."""
    ranker = Correlation() if ranker is None else clone(ranker)
    if "random_state" in ranker.get_params() and isinstance(random_state, Integral):
        seed = np.random.SeedSequence([int(random_state), number]).generate_state(1)[0]
        ranker.set_params(random_state=int(seed))
    return ranker


def ranked_curve(ranker, classifier, X, y, train, validation, n_sizes):
    """A ranking of training rows, its accuracies on validation rows, and the models trained."""
    order = ranker.fit(X[train], y[train]).order_
    best = order[:n_sizes]
    predicted = predict_curve(
        classifier,
        X[np.ix_(train, best)],
        y[train],
        X[np.ix_(validation, best)],
        range(1, n_sizes + 1),
    )
    return order, (predicted == y[validation]).mean(axis=1), ranker.n_fits_
