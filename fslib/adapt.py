"""Other people's selectors, estimators and functions as methods of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from fslib.base import FeatureSelector, Ranking

#: Parameters that say how many features to keep: what has one is a ranking cut by its user.
_COUNTS = ("n_features_to_select", "k", "percentile")
_COUNTING_MODES = ("k_best", "percentile")


def as_selector(thing) -> FeatureSelector:
    """A selector of ours as it is; anything else that ranks or selects features as one of ours.

    >>> from sklearn.feature_selection import f_classif
    >>> as_selector(f_classif).fit([[0, 1], [0, 0], [1, 1], [2, 0]], [0, 0, 1, 1]).order_.tolist()
    [0, 1]
    """
    if isinstance(thing, FeatureSelector):
        return thing
    if hasattr(thing, "fit"):
        return Adapted(thing)
    if callable(thing):
        return Called(thing)
    raise TypeError(
        f"{thing!r} is neither a selector, nor an estimator that weighs its features, nor a "
        f"function of a table and its labels."
    )


class Adapted(FeatureSelector):
    """Any scikit-learn selector, or estimator that weighs its features.

    The order comes from the best evidence that the fitted object has: ``order_`` (best first),
    ``scores_``, ``ranking_`` (1 = best; ties broken by the weights of the fitted inner estimator),
    ``feature_importances_``, ``coef_`` (sum of absolute weights over classes), or the weights of
    the inner estimator (``estimator_``). Values that are labelled by columns (a pandas series) are
    taken by their labels. Where there is only ``support_`` the selection has no order, and is
    measured as a whole.

    The kept columns come first and are the selected ones. An object that was merely told how many
    features to keep (``n_features_to_select``, ``k``, ``percentile``) and ranks every feature is
    entered as the full ranking. `RFE` with a ``step`` above 1 does not: it eliminates several
    features at a time, in no order.
    """

    deterministic = False

    def __init__(self, estimator):
        self.estimator = estimator

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        fitted = clone(self.estimator, safe=False).fit(X.copy(), self.classes_[y])
        self.estimator_ = fitted[-1] if isinstance(fitted, Pipeline) else fitted
        found = _evidence(self.estimator_, X.shape[1])
        self._kept = found.kept
        order = found.order
        if self._kept is not None:
            order = np.concatenate([order[self._kept[order]], order[~self._kept[order]]])
        n_fits = int(getattr(self.estimator_, "n_fits_", 1))
        return Ranking(order, found.scores, n_fits=n_fits, ordered=found.ordered)

    def _store(self, ranking: Ranking) -> None:
        super()._store(ranking)
        if self._kept is not None:
            self.support_ = self._kept

    def _chooses_size(self) -> bool:
        return self._kept is not None or len(self.order_) < self.n_features_in_


class Called(FeatureSelector):
    """A function of a table and its labels that returns names, indices or scores of features.

    The table is a pandas frame with columns ``f0``, ``f1``, …, the labels a pandas series. Of a
    tuple the first part counts, so that ``f_classif`` (scores and p values) will do.

    Parameters
    ----------
    function : callable
    params : further keyword arguments of the function.
    """

    deterministic = False

    def __init__(self, function: Callable, params: Mapping | None = None):
        self.function = function
        self.params = params

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        import pandas as pd

        names = [f"f{i}" for i in range(X.shape[1])]
        table = pd.DataFrame(X.copy(), columns=names)
        labels = pd.Series(self.classes_[y], name="target")
        found = self.function(table, labels, **(self.params or {}))
        return _ranking_of(found, names, getattr(self.function, "__name__", "the function"))

    def _chooses_size(self) -> bool:
        return len(self.order_) < self.n_features_in_


def _ranking_of(found, names: list[str], what: str) -> Ranking:
    """What a function returned as a ranking."""
    if isinstance(found, tuple):
        found = found[0]
    if isinstance(found, Mapping) or hasattr(found, "to_dict"):  # scores by name
        by_name = dict(found) if isinstance(found, Mapping) else found.to_dict()
        found = [by_name.get(name, np.nan) for name in names]
    values, d = np.asarray(found), len(names)
    if values.ndim != 1:
        raise ValueError(f"{what} returned an array of shape {values.shape}, expected one row.")
    if values.dtype.kind in "UOT" and all(isinstance(v, str) for v in values.tolist()):
        unknown = sorted(set(values.tolist()) - set(names))
        if unknown:
            raise ValueError(f"{what} returned the name {unknown[0]!r}, which is no column.")
        return Ranking(_columns([names.index(v) for v in values.tolist()], d, what))
    if values.dtype == bool and values.shape == (d,):
        return Ranking(np.flatnonzero(values), ordered=False)
    if np.issubdtype(values.dtype, np.integer) and len(np.unique(values)) == len(values):
        return Ranking(_columns(values, d, what))
    scores = _per_column(values, d, what)
    return Ranking(_by_score(scores), scores)


@dataclass(frozen=True)
class _Evidence:
    """What a fitted object tells about its features."""

    order: np.ndarray
    scores: np.ndarray | None
    kept: np.ndarray | None
    ordered: bool = True


def _evidence(fitted, d: int) -> _Evidence:
    name = type(fitted).__name__
    kept = _support_of(fitted, d)
    inner = _inner_weights(fitted, d, kept)
    if hasattr(fitted, "order_"):
        return _Evidence(_columns(fitted.order_, d, f"{name}.order_"), None, kept)
    # `LogisticRegressionCV` keeps the scores of its folds under that name.
    if np.ndim(getattr(fitted, "scores_", None)) == 1:
        scores = _attribute(fitted, "scores_", d)
        return _Evidence(_by_score(scores), scores, _unless_counted(fitted, kept))
    if _has(fitted, "ranking_"):
        return _evidence_of_ranking(_attribute(fitted, "ranking_", d), inner, kept, fitted)
    own = _weights(fitted, d)
    if own is not None or (inner is not None and kept is not None):
        scores = inner if own is None else own
        return _Evidence(_by_score(scores), np.where(np.isinf(scores), np.nan, scores), kept)
    if kept is not None:
        return _Evidence(np.flatnonzero(kept), None, kept, ordered=False)
    raise TypeError(
        f"{name} exposes none of order_, scores_, ranking_, feature_importances_, coef_, support_ "
        f"after fit: fslib cannot tell which features it prefers."
    )


def _evidence_of_ranking(ranking, inner, kept, fitted) -> _Evidence:
    """Ranks with ties broken by the inner estimator's weights, as far as it saw the columns.

    Columns that share a rank and that the inner estimator did not see have no order. Among the kept
    columns such ties leave a set; among the others they leave no full ranking.
    """
    d = len(ranking)
    weights = np.full(d, -np.inf) if inner is None else inner
    _, group, sharing = np.unique(ranking, return_inverse=True, return_counts=True)
    open_ties = (sharing[group] > 1) & np.isneginf(weights)
    order = np.lexsort((np.arange(d), -weights, ranking))
    if not open_ties.any():
        kept = _unless_counted(fitted, kept)
    ordered = not (open_ties if kept is None else open_ties & kept).any()
    return _Evidence(order, -ranking, kept, ordered)


def _has(fitted, attribute: str) -> bool:
    return getattr(fitted, attribute, None) is not None


def _unless_counted(fitted, kept: np.ndarray | None) -> np.ndarray | None:
    """The kept columns, unless their number was the user's choice rather than the method's."""
    params = fitted.get_params(deep=False) if hasattr(fitted, "get_params") else {}
    # `GenericUnivariateSelect` names what it does with its number.
    counted = any(name in params for name in _COUNTS) or params.get("mode") in _COUNTING_MODES
    return None if counted else kept


def _inner_weights(fitted, d: int, kept: np.ndarray | None) -> np.ndarray | None:
    """Weights of the fitted inner estimator; −∞ for columns that it did not see."""
    inner = getattr(fitted, "estimator_", None)
    if inner is None:
        return None
    getter = getattr(fitted, "importance_getter", "auto")
    n_seen = d if kept is None else int(kept.sum())
    for n in (d, n_seen):
        try:
            weights = _weights(inner, n, getter)
        except ValueError:
            continue
        if weights is None or n == d:
            return weights
        placed = np.full(d, -np.inf)
        placed[kept] = weights
        return placed
    return None


def _weights(fitted, d: int, getter: str | Callable = "auto") -> np.ndarray | None:
    """Importances or absolute coefficients, one per column; ``getter`` as in scikit-learn."""
    if getter != "auto":
        found = getter(fitted) if callable(getter) else attrgetter(getter)(fitted)
        return _per_column(np.abs(np.atleast_2d(found)).sum(axis=0), d, f"{getter}")
    if isinstance(fitted, Pipeline):
        fitted = fitted[-1]
    if _has(fitted, "feature_importances_"):
        return _attribute(fitted, "feature_importances_", d)
    if _has(fitted, "coef_"):
        scores = np.abs(np.atleast_2d(fitted.coef_)).sum(axis=0)
        return _per_column(scores, d, f"{type(fitted).__name__}.coef_")
    return None


def _attribute(fitted, name: str, d: int) -> np.ndarray:
    """An attribute with one value per column, in the columns' order."""
    values, columns = getattr(fitted, name), getattr(fitted, "feature_names_in_", None)
    if columns is not None and hasattr(values, "to_dict"):
        # feature-engine sorts its importances, and counts columns of its own in.
        by_name = values.to_dict()
        values = [by_name.get(column, np.nan) for column in columns]
    return _per_column(values, d, f"{type(fitted).__name__}.{name}")


def _by_score(scores: np.ndarray) -> np.ndarray:
    # A score that does not exist (a constant column, say) ranks last, not at random.
    return np.argsort(-np.nan_to_num(scores, nan=-np.inf, neginf=-np.inf), kind="stable")


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
