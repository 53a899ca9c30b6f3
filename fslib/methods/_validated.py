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
    """Base of methods that cut a ranking at the length with the best accuracy on held-out rows."""

    deterministic = False

    @classmethod
    def sources(cls, params: Mapping) -> list[Path]:
        by_default = signature(cls).parameters["classifier"].default
        return [CLASSIFIERS.source(params.get("classifier", by_default))]


def seeded(ranker: FeatureSelector | None, random_state, number: int) -> FeatureSelector:
    """An unfitted copy of ``ranker`` for row set ``number``, with its own seed if it is random."""
    ranker = Correlation() if ranker is None else clone(ranker)
    if "random_state" in ranker.get_params() and isinstance(random_state, Integral):
        seed = np.random.SeedSequence([int(random_state), number]).generate_state(1)[0]
        ranker.set_params(random_state=int(seed))
    return ranker


def ranked_curve(ranker, classifier, X, y, train, validation, n_sizes):
    """Rank features on the training rows and measure the ranking on the validation rows.

    Returns the ranked columns, the validation accuracy of the best 1, 2, ..., ``n_sizes`` columns,
    and the number of models that the ranker trained.
    """
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
