"""AMFES: adaptive multiple feature subsets."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.svm.subsets import SubsetTrainer, draw_subsets, stage_sizes, strongest_first
from fslib.registry import register

_LOG = logging.getLogger("fslib.amfes")


@register
class AMFES(FeatureSelector):
    r"""Rank features by SVMs on random subsets, again and again among the better half.

    A stage draws ``n_subsets`` random subsets of its κ features, trains a soft-margin SVM on each,
    and gives feature f the strength

    .. math:: \theta(f) = \frac{\sum_{i : f \in S_i} |obj_i - obj_i^{(f)}|}{|\{i : f \in S_i\}|},

    where :math:`|obj_i - obj_i^{(f)}| = w_f^2` for the linear SVM. The better half goes on to the
    next stage; a feature's rank is set in the last stage it took part in. The stage with κ ≤ 3 is
    the last one. A feature that no subset of its stage drew ranks behind the others of that stage,
    in its previous order. More than two classes: scores are summed over the two-class problems.
    All linear SVMs of a stage are solved together, to a tolerance of 1e-4 or tighter (LIBSVM's is
    1e-3 by default), which moves features of nearly equal strength only.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    C : float
        Cost of the SVM (LIBSVM's problem: the bias is not regularised).
    n_subsets : int
        Subsets per stage.
    keep : float
        Share of a stage's features that goes on to the next.
    subset_fraction : float
        Size of a subset as a share of the stage's features.
    kernel : {"linear", "rbf", "poly", ...} or callable
        A kernel by the name scikit-learn's ``pairwise_kernels`` gives it, or a function of two
        tables of rows. Any but the linear one costs a kernel matrix per feature of each subset.
    gamma : float, optional
        Parameter of the named kernels that have a gamma; 1 / subset size by default.
    multiclass : {"ovo", "ovr"}
        Break more than two classes up into all pairs, or into each against the rest.
    n_jobs : int, optional
        Processes, which share a stage in blocks of 50 subsets of one two-class problem; the result
        does not depend on their number.
    random_state : int, RandomState instance or None
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    scores_ : the strength in the last stage a feature took part in; comparable within a stage.
    path_ : the number of features of each stage.
    n_fallbacks_ : SVMs that only LIBSVM could solve to tolerance.

    References
    ----------
    Chang & Chen (2009), An adaptive multiple feature subset method for feature ranking and feature
    selection, TR-IIS-09-010, section 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import AMFES
    >>> X = np.random.default_rng(0).random((40, 8))
    >>> AMFES(n_subsets=20, random_state=0).fit(X, X[:, 5] > X[:, 2]).order_[:2].tolist()
    [5, 2]
    """

    deterministic = False

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        C: float = 1.0,
        n_subsets: int = 100,
        keep: float = 0.5,
        subset_fraction: float = 0.5,
        kernel: str | Callable = "linear",
        gamma: float | None = None,
        multiclass: str = "ovo",
        n_jobs: int | None = None,
        random_state=None,
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.n_subsets = n_subsets
        self.keep = keep
        self.subset_fraction = subset_fraction
        self.kernel = kernel
        self.gamma = gamma
        self.multiclass = multiclass
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        rng = check_random_state(self.random_state)
        trainer = SubsetTrainer(
            X, y, self.multiclass, self.C, self.kernel, self.gamma, _LOG, self.n_jobs
        )
        order = np.arange(X.shape[1])
        scores = np.full(X.shape[1], np.nan)
        sizes = stage_sizes(X.shape[1], self.keep)
        for kappa in sizes:
            _LOG.info("stage with %d features", kappa)
            # Subsets are drawn from the features in column order, not in rank order: otherwise
            # rounding that swaps two features of nearly equal strength would change the subsets of
            # all later stages.
            columns = np.sort(order[:kappa])
            subsets = draw_subsets(rng, self.n_subsets, kappa, self.subset_fraction)
            scores[columns] = trainer.strengths(columns, subsets)
            order[:kappa] = strongest_first(order[:kappa], scores[order[:kappa]])
        self.n_fallbacks_ = trainer.n_fallbacks
        return Ranking(order, scores, path=np.array(sizes), n_fits=trainer.n_fits)
