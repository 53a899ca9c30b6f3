"""The non-adaptive version of AMFES: the random subset method."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.svm.subsets import SubsetTrainer, draw_subsets, stage_sizes, strongest_first
from fslib.registry import register

_LOG = logging.getLogger("fslib.random_subsets")


@register
class RandomSubsets(FeatureSelector):
    r"""Rank features by SVMs on random subsets of all features, in one stage.

    The strength of a feature is its mean score :math:`w_f^2` over the subsets that contain it, as
    in :class:`AMFES`, which with ``keep=1/2`` trains exactly as many SVMs: ``n_subsets`` for each
    of its stages.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    C : float
        Cost of the SVM (LIBSVM's problem: the bias is not regularised).
    n_subsets : int
        Subsets for each stage that AMFES would run.
    subset_fraction : float
        Size of a subset as a share of all features.
    kernel, gamma, multiclass, n_jobs, random_state
        As in :class:`AMFES`.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    scores_ : the strengths.
    n_fallbacks_ : SVMs that only LIBSVM could solve to tolerance.

    References
    ----------
    Lai, Reinders & Wessels (2006), Random subspace method for multivariate feature selection,
    Pattern Recognition Letters 27; as compared by Chang & Chen (2009), section 3.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import RandomSubsets
    >>> X = np.random.default_rng(0).random((40, 8))
    >>> chosen = RandomSubsets(n_subsets=20, random_state=0).fit(X, X[:, 5] > X[:, 2])
    >>> sorted(chosen.order_[:2].tolist()), chosen.n_fits_
    ([2, 5], 60)
    """

    deterministic = False

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        C: float = 1.0,
        n_subsets: int = 100,
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
        self.subset_fraction = subset_fraction
        self.kernel = kernel
        self.gamma = gamma
        self.multiclass = multiclass
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        trainer = SubsetTrainer(
            X, y, self.multiclass, self.C, self.kernel, self.gamma, _LOG, self.n_jobs
        )
        candidates = np.arange(X.shape[1])
        subsets = draw_subsets(
            check_random_state(self.random_state),
            self.n_subsets * len(stage_sizes(X.shape[1], keep=0.5)),
            X.shape[1],
            self.subset_fraction,
        )
        strengths = trainer.strengths(candidates, subsets)
        self.n_fallbacks_ = trainer.n_fallbacks
        return Ranking(strongest_first(candidates, strengths), strengths, n_fits=trainer.n_fits)
