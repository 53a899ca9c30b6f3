"""Cross-validated accuracy of naive Bayes, for many subsets by one matrix product per class."""

from __future__ import annotations

import numpy as np

from fslib.criteria.base import DISTINCT_SHARE, Criterion
from fslib.kernels.equal_rows import distinct_rows
from fslib.kernels.population_bayes import CategoricalFold, GaussianFold, correct_counts

#: Subsets per matrix product. A product covers the columns that its subsets use, so few subsets
#: keep the product small even where the table is wide.
_CHUNK = 256


class _NaiveBayesCriterion(Criterion):
    """Mean accuracy over the folds, for many subsets at once.

    Log-likelihoods add over features: a 0/1 mask (subsets × columns) times the log-likelihoods of
    single features gives those of all subsets. Rows equal on all columns are classified once where
    that spares half of them.
    """

    def __init__(self, kind, table: np.ndarray, X, y, fold_of, smoothing: float):
        super().__init__(X, y, fold_of)
        first, group, _ = distinct_rows(table)
        if len(first) > DISTINCT_SHARE * len(table):
            group = None
        self.folds = [
            kind(table, y, fold_of == fold, group, smoothing) for fold in range(self.n_folds)
        ]

    def _value(self, subset: np.ndarray) -> float:
        return self._values([subset])[0]

    def _values(self, subsets: list[np.ndarray]) -> np.ndarray:
        values = np.empty(len(subsets))
        for first in range(0, len(subsets), _CHUNK):
            chunk = subsets[first : first + _CHUNK]
            columns, position = np.unique(np.concatenate(chunk), return_inverse=True)
            masks = np.zeros((len(chunk), len(columns)))
            masks[np.repeat(np.arange(len(chunk)), [len(s) for s in chunk]), position] = 1.0
            accuracies = [
                correct_counts(fold, columns, masks) / fold.n_held_out for fold in self.folds
            ]
            values[first : first + _CHUNK] = np.mean(accuracies, axis=0)
        return values


class GaussianNBCriterion(_NaiveBayesCriterion):
    """Accuracy of scikit-learn's ``GaussianNB``.

    Parameters
    ----------
    var_smoothing : float
        Added to every variance, times the largest variance among the subset's columns.
    """

    def __init__(self, X, y, fold_of, var_smoothing=1e-9):
        super().__init__(GaussianFold, X, X, y, fold_of, var_smoothing)


class CategoricalNBCriterion(_NaiveBayesCriterion):
    """Accuracy of scikit-learn's ``CategoricalNB`` on integer codes.

    The categories of a feature are ``0 .. max`` over all rows, so held-out rows have no new one.

    Parameters
    ----------
    alpha : float
        Laplace smoothing: added to every count.
    """

    def __init__(self, X, y, fold_of, alpha=1.0):
        if (X < 0).any() or (X != np.floor(X)).any():
            raise ValueError(
                "nb_categorical counts values and needs codes 0, 1, 2, ...; discretise first, for "
                "example with fslib.prepare.equal_width(X, 10), or use nb for continuous features."
            )
        super().__init__(CategoricalFold, X.astype(np.intp), X, y, fold_of, alpha)
