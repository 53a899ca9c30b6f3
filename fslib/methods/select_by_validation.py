"""Selection of one feature set from many training-validation pairs."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from fslib.base import Ranking
from fslib.methods._validated import (
    Validated,
    by_credit,
    check_classifier,
    ranked_curve,
    ranks_of,
    seeded,
)
from fslib.registry import register
from fslib.run.workers import in_order


@register
class SelectByValidation(Validated):
    r"""Select the features that do best on validation rows, over many random pairs.

    Each of Π training-validation pairs gives a ranking and the accuracy :math:`v_p(k)` of its k
    best features, with its peak :math:`\sigma_p = \arg\max_k v_p(k)`. The mean curve peaks at

    .. math:: \sigma_\Pi = \arg\max_k \frac{1}{\Pi} \sum_p v_p(k),

    and the :math:`\sigma_\Pi` features that are most often among the first :math:`\sigma_p` of
    their pair's ranking are selected: one set from all pairs. Peaks take the smallest k on ties;
    equal credits go to the smaller mean rank, then to the lower column. The alternative, one set
    per pair, is in ``pair_sets_``.

    Parameters
    ----------
    ranker : selector, estimator or function
        What ranks features, as in :class:`BestPrefix`; ``Correlation()`` by default.
    n_pairs : int
        Π, the number of pairs.
    validation_size : float
        The share of rows held out in each pair, stratified by class.
    classifier : str or classifier
        A classifier's name, as in studies (``fslib.evaluate.classifiers``), or any scikit-learn
        classifier.
    max_size : int, optional
        The largest k that is tried; all by default.
    n_jobs : int, optional
        Processes; the result does not depend on it.
    random_state : int, RandomState instance or None
        Draws the pairs; an integer also seeds, pair by pair, a ranker with a ``random_state``.

    Attributes
    ----------
    order_ : all features by credit; the first σ_Π are selected.
    scores_ : the credit of each feature.
    curves_ : array (n_pairs, n_sizes): :math:`v_p(k)` for k = 1, 2, …
    peaks_ : :math:`\sigma_p` of each pair.
    pair_orders_ : the ranking of each pair.
    pair_sets_ : the features each pair alone would select.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, sections 2.2 and 3.3 (the Ω and the Ω·Π procedure).

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import Correlation, SelectByValidation
    >>> X = np.random.default_rng(0).random((80, 10))
    >>> chosen = SelectByValidation(Correlation(), n_pairs=5, random_state=0)
    >>> chosen.fit(X, X[:, 7] > X[:, 3]).get_support(indices=True)
    array([3, 7])
    """

    def __init__(
        self,
        ranker=None,
        *,
        n_pairs: int = 20,
        validation_size: float = 0.2,
        classifier="svm_linear",
        max_size: int | None = None,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.ranker = ranker
        self.n_pairs = n_pairs
        self.validation_size = validation_size
        self.classifier = classifier
        self.max_size = max_size
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        check_classifier(self.classifier)
        splitter = StratifiedShuffleSplit(
            self.n_pairs, test_size=self.validation_size, random_state=self.random_state
        )
        n_sizes = X.shape[1] if self.max_size is None else min(self.max_size, X.shape[1])
        tasks = [
            (seeded(self.ranker, self.random_state, p), self.classifier, X, y, *rows, n_sizes)
            for p, rows in enumerate(splitter.split(X, y))
        ]
        pairs = list(in_order(ranked_curve, tasks, self.n_jobs))
        self.pair_orders_ = [order for order, _, _ in pairs]
        self.curves_ = np.stack([curve for _, curve, _ in pairs])
        ranks = ranks_of(self.pair_orders_, X.shape[1])
        credit, self._size, self.peaks_ = credits_of(ranks, self.curves_)
        self.pair_sets_ = [o[:k] for o, k in zip(self.pair_orders_, self.peaks_, strict=True)]
        n_fits = sum(fits for _, _, fits in pairs)
        return Ranking(by_credit(credit, ranks), credit, n_fits=n_fits)

    def _store(self, ranking: Ranking) -> None:
        super()._store(ranking)
        self.support_[self.order_[self._size :]] = False


def credits_of(ranks: np.ndarray, curves: np.ndarray) -> tuple[np.ndarray, int, np.ndarray]:
    """The credit of each feature, the size σ_Π, and the peaks σ_p.

    ``ranks`` has a line per pair, as ``curves``, the accuracies for k = 1, 2, … of each pair.

    >>> credits_of(np.array([[2, 3, 1], [3, 2, 1]]), np.array([[0.5, 0.9, 0.8], [0.9, 0.7, 0.9]]))
    (array([1, 0, 2]), 3, array([2, 1]))
    """
    peaks = curves.argmax(axis=1) + 1
    credit = (ranks <= peaks[:, None]).sum(axis=0)
    # Rounded, so that sizes with the same accuracies tie, whichever pairs have which accuracy.
    return credit, int(np.round(curves.mean(axis=0), 12).argmax()) + 1, peaks
