"""Any scikit-learn selector, or estimator that weighs its features, as one of our methods."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from fslib.base import FeatureSelector, Ranking


class Adapted(FeatureSelector):
    """Rank by what the fitted object exposes.

    In this order: ``order_`` (best first), ``ranking_`` (1 = best), ``scores_``,
    ``feature_importances_``, ``coef_`` (sum of absolute weights over classes), ``support_``.
    Where it also exposes ``support_`` or ``get_support``, the kept columns come first and are
    the selected ones.
    """

    deterministic = False

    def __init__(self, estimator):
        self.estimator = estimator

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        fitted = clone(self.estimator, safe=False).fit(X.copy(), self.classes_[y])
        self.estimator_ = fitted[-1] if isinstance(fitted, Pipeline) else fitted
        order, scores = _order_of(self.estimator_, X.shape[1])
        self._kept = _support_of(self.estimator_, X.shape[1])
        if self._kept is not None:
            order = np.concatenate([order[self._kept[order]], order[~self._kept[order]]])
        return Ranking(order, scores, n_fits=int(getattr(self.estimator_, "n_fits_", 1)))

    def _store(self, ranking: Ranking) -> None:
        super()._store(ranking)
        if self._kept is not None:
            self.support_ = self._kept


def _order_of(fitted, d: int) -> tuple[np.ndarray, np.ndarray | None]:
    name = type(fitted).__name__
    if hasattr(fitted, "order_"):
        return _columns(fitted.order_, d, f"{name}.order_"), None
    if hasattr(fitted, "ranking_"):
        ranking = _per_column(fitted.ranking_, d, f"{name}.ranking_")
        return np.argsort(ranking, kind="stable"), -ranking
    for attribute in ("scores_", "feature_importances_", "coef_"):
        values = getattr(fitted, attribute, None)
        if values is not None:
            scores = np.abs(np.atleast_2d(values)).sum(axis=0) if attribute == "coef_" else values
            scores = _per_column(scores, d, f"{name}.{attribute}")
            # A score that does not exist (a constant column, say) ranks last, not at random.
            return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable"), scores
    support = _support_of(fitted, d)
    if support is not None:
        return np.flatnonzero(support), None
    raise TypeError(
        f"{name} exposes none of order_, ranking_, scores_, feature_importances_, coef_, support_ "
        f"after fit: fslib cannot tell which features it prefers."
    )


def _support_of(fitted, d: int) -> np.ndarray | None:
    if hasattr(fitted, "get_support"):
        mask = fitted.get_support()
    elif hasattr(fitted, "support_"):
        mask = fitted.support_
    else:
        return None
    mask = np.asarray(mask)
    # Support vector machines have a `support_` too: row indices, not a mask of columns.
    return mask if mask.shape == (d,) and mask.dtype == bool else None


def _per_column(values, d: int, what: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (d,):
        raise ValueError(f"{what} has shape {values.shape}, expected one value per column ({d},).")
    if np.isnan(values).all():
        raise ValueError(f"{what} holds no number.")
    return values


def _columns(values, d: int, what: str) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
        raise ValueError(f"{what} must be a list of column indices.")
    if values.size and not 0 <= values.min() <= values.max() < d:
        raise ValueError(f"{what} has columns outside 0..{d - 1}: {values.min()}, {values.max()}.")
    if len(np.unique(values)) < len(values):
        raise ValueError(f"{what} names a column twice.")
    return values.astype(np.intp)
