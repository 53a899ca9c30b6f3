"""Other people's selectors, estimators and functions as methods of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from fslib.base import FeatureSelector, Ranking

#: Parameters that say how many features to keep: what has one is a ranking cut by its user.
_COUNTS = ("n_features_to_select", "k", "percentile")


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
    the inner estimator (``estimator_``). Where there is only ``support_`` the selection has no
    order, and is measured as a whole.

    The kept columns come first and are the selected ones. An object that was merely told how many
    features to keep (``n_features_to_select``, ``k``, ``percentile``) and ranks every feature is
    entered as the full ranking.
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
    if _has(fitted, "scores_"):
        scores = _per_column(fitted.scores_, d, f"{name}.scores_")
        return _Evidence(_by_score(scores), scores, _unless_counted(fitted, kept))
    if _has(fitted, "ranking_"):
        ranking = _per_column(fitted.ranking_, d, f"{name}.ranking_")
        weights = np.zeros(d) if inner is None else inner
        order = np.lexsort((np.arange(d), -weights, ranking))
        ordered = inner is not None or not _has_ties(ranking, kept)
        return _Evidence(
            order, -ranking, _unless_counted(fitted, kept) if ordered else kept, ordered
        )
    own = _weights(fitted, d, name)
    if own is not None or (inner is not None and kept is not None):
        scores = inner if own is None else own
        return _Evidence(_by_score(scores), np.where(np.isinf(scores), np.nan, scores), kept)
    if kept is not None:
        return _Evidence(np.flatnonzero(kept), None, kept, ordered=False)
    raise TypeError(
        f"{name} exposes none of order_, scores_, ranking_, feature_importances_, coef_, support_ "
        f"after fit: fslib cannot tell which features it prefers."
    )


def _has(fitted, attribute: str) -> bool:
    return getattr(fitted, attribute, None) is not None


def _has_ties(ranking: np.ndarray, kept: np.ndarray | None) -> bool:
    """Whether selected columns share a rank, so that their order is unknown."""
    selected = ranking if kept is None else ranking[kept]
    return len(np.unique(selected)) < len(selected)


def _unless_counted(fitted, kept: np.ndarray | None) -> np.ndarray | None:
    """The kept columns, unless their number was the user's choice rather than the method's."""
    params = fitted.get_params(deep=False) if hasattr(fitted, "get_params") else {}
    return None if any(name in params for name in _COUNTS) else kept


def _inner_weights(fitted, d: int, kept: np.ndarray | None) -> np.ndarray | None:
    """Weights of the fitted inner estimator; −∞ for columns that it did not see."""
    inner = getattr(fitted, "estimator_", None)
    if isinstance(inner, Pipeline):
        inner = inner[-1]
    if inner is None:
        return None
    n_seen = d if kept is None else int(kept.sum())
    for n in (d, n_seen):
        try:
            weights = _weights(inner, n, type(inner).__name__)
        except ValueError:
            continue
        if weights is None or n == d:
            return weights
        placed = np.full(d, -np.inf)
        placed[kept] = weights
        return placed
    return None


def _weights(fitted, d: int, name: str) -> np.ndarray | None:
    """Importances or absolute coefficients, one per column."""
    if _has(fitted, "feature_importances_"):
        return _per_column(fitted.feature_importances_, d, f"{name}.feature_importances_")
    if _has(fitted, "coef_"):
        scores = np.abs(np.atleast_2d(fitted.coef_)).sum(axis=0)
        return _per_column(scores, d, f"{name}.coef_")
    return None


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
