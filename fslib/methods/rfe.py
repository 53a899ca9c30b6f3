"""Recursive feature elimination with any estimator that weighs its features."""

from __future__ import annotations

import logging

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.methods._removal import removal_of
from fslib.registry import register

_LOG = logging.getLogger("fslib.rfe")


@register
class RFE(FeatureSelector):
    r"""Rank features by removing, again and again, those of least weight in a trained model.

    A model is trained on the surviving features, and those with the smallest
    :math:`\sum_c w_{cf}^2` (``coef_``, summed over classes) or ``feature_importances_`` are
    removed; the last survivor ranks first. Features removed together are ordered by their weights.
    On ties the higher column goes first. All features are ranked, however many are kept. For linear
    SVMs :class:`SVMRFE` does the same without training anew.

    Parameters
    ----------
    estimator : estimator with ``coef_`` or ``feature_importances_``, optional
        ``LogisticRegression()`` by default.
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    step : int, float or "half"
        Features removed at a time: a number, a share (below 1) of the surviving ones, or half. A
        share removes at least one. (In scikit-learn's ``RFE`` a share is one of all features, and
        so the same number at every step.)
    random_state : int, RandomState instance or None
        Seeds the estimator anew for every model, if it has a ``random_state``.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    scores_ : the weight at removal; comparable between features removed together only.
    path_ : the number of surviving features of each model.

    References
    ----------
    Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using support
    vector machines, Machine Learning 46.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import RFE
    >>> X = np.random.default_rng(0).random((60, 12))
    >>> ranked = RFE(step=0.25).fit(X, X[:, 5] > X[:, 2])
    >>> sorted(ranked.order_[:2].tolist()), ranked.path_.tolist()
    ([2, 5], [12, 9, 7, 6, 5, 4, 3, 2, 1])
    """

    deterministic = False

    def __init__(
        self,
        estimator=None,
        *,
        n_features_to_select=None,
        step=1,
        random_state=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.random_state = random_state
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        removal, random = removal_of(self.step), check_random_state(self.random_state)
        left, removed, path = np.arange(X.shape[1]), [], []
        scores = np.empty(X.shape[1])
        while left.size:
            _LOG.info("model %d: %d features", len(path) + 1, left.size)
            scores[left] = self._weights(X[:, left], y, random)
            path.append(left.size)
            # The last of equal weights goes first.
            weakest = left[np.lexsort((-left, scores[left]))][: removal(left.size)]
            removed.extend(weakest.tolist())
            left = np.setdiff1d(left, weakest, assume_unique=True)
        return Ranking(np.array(removed[::-1]), scores, path=np.array(path), n_fits=len(path))

    def _weights(self, X: np.ndarray, y: np.ndarray, random) -> np.ndarray:
        model = clone(LogisticRegression() if self.estimator is None else self.estimator)
        if "random_state" in model.get_params():
            model.set_params(random_state=random.randint(2**31 - 1))
        model.fit(X, y)
        if hasattr(model, "coef_"):
            return np.square(np.atleast_2d(model.coef_)).sum(axis=0)
        if hasattr(model, "feature_importances_"):
            return model.feature_importances_
        raise TypeError(
            f"RFE needs an estimator with coef_ or feature_importances_ after fit; "
            f"{type(model).__name__} has neither."
        )
