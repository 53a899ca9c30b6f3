"""SVM-RFE: recursive feature elimination with a linear SVM."""

from __future__ import annotations

import logging
import time

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.svm.elimination import Elimination
from fslib.kernels.svm.linear import linear_problems
from fslib.methods._removal import removal_of
from fslib.registry import register

_LOG = logging.getLogger("fslib.svm_rfe")


@register
class SVMRFE(FeatureSelector):
    r"""Rank features by removing, again and again, the one of smallest weight in a linear SVM.

    At each step a soft-margin linear SVM is trained on the surviving features and the feature with
    the smallest :math:`w_f^2` (summed over the two-class problems of several classes) is removed;
    the last survivor ranks first. With ``step=1`` every step is exact: the solution is followed
    from one set of features to the next instead of being trained anew. On ties the higher column
    goes first.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    C : float
        Cost of the SVM (LIBSVM's problem: the bias is not regularised).
    step : int, float or "half"
        Features removed at a time: a number, a share (below 1) of the surviving ones, or half.
    multiclass : {"ovo", "ovr"}
        Break more than two classes up into all pairs, or into each against the rest.
    n_jobs : int, optional
        Threads, which share the two-class problems of several classes; the result does not depend
        on their number. One removal follows from the other, so that two classes, which are one
        problem, give them nothing to share.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    scores_ : the score at removal; comparable between neighbours in rank only.
    path_ : the scores in order of removal.
    n_fallbacks_ : SVMs that only LIBSVM could solve to tolerance.

    References
    ----------
    Guyon, Weston, Barnhill & Vapnik (2002), Gene selection for cancer classification using support
    vector machines, Machine Learning 46.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import SVMRFE
    >>> X = np.random.default_rng(0).random((40, 8))
    >>> SVMRFE().fit(X, X[:, 5] > X[:, 2]).order_[:2].tolist()
    [5, 2]
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        C: float = 1.0,
        step: int | float | str = 1,
        multiclass: str = "ovo",
        n_jobs: int | None = None,
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.step = step
        self.multiclass = multiclass
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        n_features = X.shape[1]
        removal = removal_of(self.step)
        elimination = Elimination(linear_problems(X, y, self.multiclass), self.C, self.n_jobs)
        removals = elimination.singly() if self.step == 1 else elimination.in_steps(removal)
        removed, path = [], []
        last = time.monotonic()
        for column, score in removals:
            removed.append(column)
            path.append(score)
            if time.monotonic() - last > 5:
                last = time.monotonic()
                _LOG.info("%d of %d features removed", len(removed), n_features)
        scores = np.empty(n_features)
        scores[removed] = path
        self.n_fallbacks_ = elimination.n_fallbacks
        return Ranking(
            np.array(removed[::-1]), scores, path=np.array(path), n_fits=elimination.n_fits
        )
