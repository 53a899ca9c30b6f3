"""What every wrapper criterion offers: the quality J of feature subsets on folds fixed once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral

import numpy as np
from sklearn.model_selection import check_cv

#: Equal rows count as one, with a weight, where at most this share of the rows are distinct.
DISTINCT_SHARE = 0.5


def fixed_folds(y: np.ndarray, cv) -> np.ndarray:
    """The number of the fold that holds out each row; ``cv`` is a splitter or a count of folds.

    A count means stratified folds. Counts above the size of the largest class are lowered to that
    size, as scikit-learn refuses more folds; counts below two are refused.
    """
    if isinstance(cv, Integral):
        cv = min(int(cv), int(np.bincount(y).max()))
        if cv < 2:
            raise ValueError(
                f"Cross-validation needs at least 2 folds and a class of at least 2 rows; "
                f"the classes have {np.bincount(y).tolist()} rows."
            )
    fold_of = np.full(len(y), -1)
    with warnings.catch_warnings():
        # scikit-learn warns where a class has fewer rows than there are folds, and so is absent
        # from some folds. Small samples cannot avoid that.
        warnings.filterwarnings("ignore", "The least populated class")
        folds = list(check_cv(cv, y, classifier=True).split(y[:, None], y))
    for fold, (_, held_out) in enumerate(folds):
        if (fold_of[held_out] >= 0).any():
            raise ValueError(f"cv={cv!r} holds out a row twice; a criterion needs plain folds.")
        fold_of[held_out] = fold
    if (fold_of < 0).any():
        raise ValueError(f"cv={cv!r} never holds out row {np.flatnonzero(fold_of < 0)[0]}.")
    return fold_of


class Criterion:
    """Quality J of feature subsets of one table, higher is better, by cross-validation.

    A subset is a collection of column indices; their order does not matter. A criterion writes
    ``_value`` for one sorted subset, and overrides ``_values``, ``_plus_each`` or ``_minus_each``
    where evaluating many related subsets together is cheaper than one by one.

    Attributes
    ----------
    n_fits : models trained so far, one per subset and fold.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, fold_of: np.ndarray):
        self.X, self.y, self.fold_of = X, y, fold_of
        self.n_folds = int(fold_of.max()) + 1
        self.n_fits = 0

    def one(self, subset) -> float:
        """J of one subset."""
        return float(self.many([subset])[0])

    def many(self, subsets: Sequence) -> np.ndarray:
        """J of each of several subsets."""
        self.n_fits += self.n_folds * len(subsets)
        return self._values([_columns(subset) for subset in subsets])

    def plus_each(self, current, candidates) -> np.ndarray:
        """J of the current set plus each candidate in turn; candidates are not in the set."""
        current, candidates = _columns(current), np.asarray(candidates, dtype=np.intp)
        if np.isin(candidates, current).any():
            raise ValueError(f"a candidate is in the current set {current.tolist()} already.")
        self.n_fits += self.n_folds * len(candidates)
        return self._plus_each(current, candidates)

    def minus_each(self, current) -> np.ndarray:
        """J of the current set without one member, for each member in the order of ``current``."""
        current = np.asarray(current, dtype=np.intp)
        self.n_fits += self.n_folds * len(current)
        values = self._minus_each(np.sort(current))
        return values[np.argsort(np.argsort(current))]

    def _value(self, subset: np.ndarray) -> float:
        raise NotImplementedError

    def _values(self, subsets: list[np.ndarray]) -> np.ndarray:
        return np.array([self._value(subset) for subset in subsets])

    def _plus_each(self, current: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        return self._values([np.union1d(current, candidate) for candidate in candidates])

    def _minus_each(self, current: np.ndarray) -> np.ndarray:
        return self._values([np.delete(current, i) for i in range(len(current))])


def _columns(subset) -> np.ndarray:
    return np.unique(np.asarray(subset, dtype=np.intp))
