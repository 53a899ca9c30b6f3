"""Classifiers that have no faster way than a model per size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fslib.evaluate.decisions import Decisions


def model_curve(make: Callable, X_train, y_train, X_test, sizes) -> Decisions:
    """What a new model of scikit-learn's kind says from the first k columns, for each size."""
    classes, predicted, values = np.unique(y_train), [], []
    for k in sizes:
        model = make().fit(X_train[:, :k], y_train)
        predicted.append(np.asarray(model.predict(X_test[:, :k])))
        values.append(_values(model, X_test[:, :k], len(classes)))
    raw = None if values[0] is None else np.stack(values, axis=1)
    return Decisions(np.stack(predicted), classes, raw, sure=hasattr(model, "predict_proba"))


def _values(model, X_test, n_classes: int) -> np.ndarray | None:
    """Classes × test rows: probabilities, or else decision values; None where there are none."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X_test)).T
    if not hasattr(model, "decision_function"):
        return None
    values = np.asarray(model.decision_function(X_test))
    if values.ndim == 1:
        return np.stack([-values, values])
    return values.T if values.shape[1] == n_classes else None
