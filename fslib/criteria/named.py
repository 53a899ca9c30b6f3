"""Criteria by name: what the ``criterion`` parameter of every wrapper means."""

from __future__ import annotations

import re

import numpy as np

from fslib.criteria.base import Criterion, fixed_folds
from fslib.run.spelling import nearest

NAMES = ("knn<k>", "nb", "nb_categorical", "svm_linear", "svm_rbf", "lssvm_mae", "lssvm_mm")


def criterion_for(criterion, X: np.ndarray, y: np.ndarray, cv, params=None) -> Criterion:
    """The criterion J on this table, with its folds fixed.

    Parameters
    ----------
    criterion : str, scikit-learn classifier or callable
        ``"knn3"`` (any k), ``"nb"`` (Gaussian), ``"nb_categorical"``, ``"svm_linear"``,
        ``"svm_rbf"``, ``"lssvm_mae"`` or ``"lssvm_mm"`` (two classes); a classifier, scored by its
        mean accuracy over the folds; or a function ``J(X_subset, y)``.
    cv : int or splitter
        An integer means stratified folds in the order of the rows; pass a splitter to shuffle.
    params : dict, optional
        Parameters of a named criterion, for example ``{"C": [1, 10], "gamma": 0.1}``.
    """
    args = X, y, fixed_folds(y, cv)
    params = dict(params or {})
    if isinstance(criterion, str):
        return _named(criterion, args, params)
    from fslib.criteria.estimator import CallableCriterion, EstimatorCriterion

    if params:
        raise ValueError(f"criterion_params {sorted(params)} need a named criterion.")
    if hasattr(criterion, "fit") and hasattr(criterion, "predict"):
        return EstimatorCriterion(*args, criterion)
    if callable(criterion):
        return CallableCriterion(*args, criterion)
    raise ValueError(
        f"criterion must be a name, a scikit-learn classifier or a function, got {criterion!r}."
    )


def _named(name: str, args: tuple, params: dict) -> Criterion:
    if neighbours := re.fullmatch(r"knn([1-9]\d*)", name):
        from fslib.criteria.knn import KNNCriterion

        return KNNCriterion(*args, k=int(neighbours[1]), **params)
    if name in ("nb", "nb_categorical"):
        from fslib.criteria.naive_bayes import CategoricalNBCriterion, GaussianNBCriterion

        kind = GaussianNBCriterion if name == "nb" else CategoricalNBCriterion
        return kind(*args, **params)
    if name in ("svm_linear", "svm_rbf"):
        from fslib.criteria.svm import LinearSVMCriterion, RBFSVMCriterion

        kind = LinearSVMCriterion if name == "svm_linear" else RBFSVMCriterion
        return kind(*args, **params)
    if name in ("lssvm_mae", "lssvm_mm"):
        from fslib.criteria.lssvm import LSSVMCriterion

        return LSSVMCriterion(*args, error=name.removeprefix("lssvm_"), **params)
    raise ValueError(f"unknown criterion {name!r}{nearest(name, NAMES)}")
