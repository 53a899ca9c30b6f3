"""What the methods that rank features on many sets of rows share."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from numbers import Integral
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_regressor

from fslib.adapt import as_selector
from fslib.base import FeatureSelector
from fslib.evaluate.classifier import CLASSIFIERS, predict_curve
from fslib.methods.correlation import Correlation


class Validated(FeatureSelector):
    """Base of methods that cut a ranking at the length with the best accuracy on held-out rows."""

    deterministic = False

    @classmethod
    def sources(cls, params: Mapping) -> list[Path]:
        named = params.get("classifier", signature(cls).parameters["classifier"].default)
        return [CLASSIFIERS.source(named)] if isinstance(named, str) else []


def seeded(ranker, random_state, number: int) -> FeatureSelector:
    """An unfitted copy of ``ranker`` for row set ``number``, with its own seeds if it is random.

    ``ranker`` is a selector of ours, anybody's, or None for a :class:`Correlation`.
    """
    ranker = clone(as_selector(Correlation() if ranker is None else ranker))
    if isinstance(random_state, Integral):
        seed = np.random.SeedSequence([int(random_state), number]).generate_state(1)[0]
        # The seed of an estimator within the ranker is the same: the two draw different things.
        random = [n for n in ranker.get_params() if n.rpartition("__")[2] == "random_state"]
        ranker.set_params(**dict.fromkeys(random, int(seed)))
    return ranker


def ranked_curve(ranker, classifier, X, y, train, validation, n_sizes):
    """Rank features on the training rows and measure the ranking on the validation rows.

    Returns the ranked columns, the validation accuracy of the best 1, 2, ..., ``n_sizes`` columns,
    and the number of models that the ranker trained. Beyond the end of a ranking of fewer columns,
    the accuracy is that of all its columns.
    """
    order = ranker.fit(X[train], y[train]).order_
    best = order[:n_sizes]
    X_train, X_validation = X[np.ix_(train, best)], X[np.ix_(validation, best)]
    sizes = range(1, len(best) + 1)
    if isinstance(classifier, str):
        predicted = predict_curve(classifier, X_train, y[train], X_validation, sizes)
    else:
        models = (clone(classifier).fit(X_train[:, :k], y[train]) for k in sizes)
        predicted = np.stack(
            [m.predict(X_validation[:, :k]) for m, k in zip(models, sizes, strict=True)]
        )
    curve = (predicted == y[validation]).mean(axis=1)
    return order, np.append(curve, np.repeat(curve[-1], n_sizes - len(curve))), ranker.n_fits_


def check_classifier(classifier) -> None:
    """Refuse what is neither the name of a classifier of ours nor a scikit-learn classifier."""
    if isinstance(classifier, str):
        CLASSIFIERS.check(classifier)
    elif (
        not hasattr(classifier, "fit")
        or not hasattr(classifier, "predict")
        or is_regressor(classifier)  # what it predicts is hardly ever a class
    ):
        raise ValueError(
            f"classifier must be the name of a classifier or a scikit-learn classifier, got "
            f"{classifier!r}."
        )


def ranks_of(orders: list[np.ndarray], d: int) -> np.ndarray:
    """The rank of every feature in each order, 1 = best; those that an order lacks share the next.

    >>> ranks_of([np.array([2, 0])], 4).tolist()
    [[2, 3, 1, 3]]
    """
    ranks = np.empty((len(orders), d), dtype=np.intp)
    for line, order in zip(ranks, orders, strict=True):
        line[:] = len(order) + 1
        line[order] = np.arange(1, len(order) + 1)
    return ranks


def by_credit(credit: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Features by descending credit, then smaller mean rank over the pairs, then column."""
    return np.lexsort((np.arange(len(credit)), ranks.sum(axis=0), -credit))
