"""Best individual features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fslib.base import FeatureSelector, Ranking, by_score
from fslib.criteria.named import criterion_for
from fslib.registry import register


@register
class BIF(FeatureSelector):
    r"""Rank features by the quality :math:`J(\{f\})` of each one alone.

    Parameters
    ----------
    criterion : str, classifier or callable
        J by cross-validation: ``"knn3"``, ``"nb"``, ``"nb_categorical"``, ``"svm_linear"``,
        ``"svm_rbf"``, a scikit-learn classifier, or a function ``J(X_subset, y)``.
    cv : int or splitter
        Folds of the criterion, the same for every subset.
    criterion_params : dict, optional
        Parameters of a named criterion.
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.

    References
    ----------
    Somol & Grim (2011), research report 2295, equation 2.

    Examples
    --------
    >>> from fslib import BIF
    >>> X = [[0, 0.1], [1, 0.2], [1, 0.3], [0, 0.9], [1, 1.0], [1, 1.1]]
    >>> BIF("knn1", cv=3).fit(X, [0, 0, 0, 1, 1, 1]).order_.tolist()
    [1, 0]
    """

    # Folds follow the order of the rows, so permuting rows may change a score.
    deterministic = False

    def __init__(self, criterion="knn3", cv=3, criterion_params=None, n_features_to_select=None):
        self.criterion = criterion
        self.cv = cv
        self.criterion_params = criterion_params
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        J = criterion_for(self.criterion, X, y, self.cv, self.criterion_params)
        return replace(by_score(J.plus_each([], range(X.shape[1]))), n_fits=J.n_fits)
