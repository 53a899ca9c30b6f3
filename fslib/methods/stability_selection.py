"""Stability selection: what a ranking puts on top again and again, on halves of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from fslib.base import FeatureSelector, Ranking
from fslib.methods._validated import by_credit, ranks_of, seeded
from fslib.registry import register
from fslib.run.shares import number_of
from fslib.run.workers import in_order


@register
class StabilitySelection(FeatureSelector):
    r"""Keep the features that a ranking puts among its best on most halves of the rows.

    Rows are split into two halves, stratified by class, ``n_pairs`` times; every half gives a
    ranking. With the share :math:`\Pi_f` of the 2 · ``n_pairs`` rankings that have feature f among
    their first q, the features with :math:`\Pi_f \ge \pi` are kept. If the ranking is no worse than
    guessing, and noise features are exchangeable, the expected number of noise features among them
    is bounded by

    .. math:: E(V) \le \frac{q^2}{(2\pi - 1)\, d},

    which is in ``facts_`` as ``expected_noise_bound``. The most frequent feature is kept in any
    case. Equal shares go to the smaller mean rank, then to the lower column.

    Parameters
    ----------
    ranker : selector, estimator or function
        What ranks features, as in :class:`BestPrefix`; ``Correlation()`` by default.
    n_top : int or float, optional
        q, or q as a share of the features; by default the largest q with a bound of at most one
        noise feature.
    threshold : float in (0.5, 1]
        π.
    n_pairs : int
        Pairs of halves.
    n_jobs : int, optional
        Processes; the result does not depend on it.
    random_state : int, RandomState instance or None
        Draws the halves; an integer also seeds, half by half, a ranker with a ``random_state``.

    Attributes
    ----------
    order_ : the kept features, the most frequent first.
    scores_ : :math:`\Pi_f` of every feature.
    n_top_ : the q used.

    References
    ----------
    Meinshausen & Buhlmann (2010), Stability selection, JRSS B 72, 417-473; Shah & Samworth (2013),
    Variable selection with error control, JRSS B 75, 55-80 (complementary pairs).

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import StabilitySelection
    >>> X = np.random.default_rng(0).random((100, 20))
    >>> sorted(StabilitySelection(random_state=0).fit(X, X[:, 7] > X[:, 3]).order_.tolist())
    [3, 7]
    """

    deterministic = False

    def __init__(
        self,
        ranker=None,
        *,
        n_top=None,
        threshold=0.75,
        n_pairs=50,
        n_jobs=None,
        random_state=None,
    ):
        self.ranker = ranker
        self.n_top = n_top
        self.threshold = threshold
        self.n_pairs = n_pairs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        d = X.shape[1]
        self.n_top_ = self._checked_top(d)
        splitter = StratifiedShuffleSplit(
            self.n_pairs, train_size=0.5, test_size=0.5, random_state=self.random_state
        )
        halves = [half for pair in splitter.split(X, y) for half in pair]
        tasks = [
            (seeded(self.ranker, self.random_state, number), X[rows], y[rows])
            for number, rows in enumerate(halves)
        ]
        ranked = list(in_order(_fitted, tasks, self.n_jobs))
        ranks = ranks_of([order for order, _ in ranked], d)
        # A feature that a short ranking leaves out is not among its first q.
        on_top = ranks <= np.minimum(self.n_top_, [[len(order)] for order, _ in ranked])
        counts = on_top.sum(axis=0)
        shares = counts / len(halves)
        order = by_credit(counts, ranks)
        n_kept = max(1, np.count_nonzero(shares >= self.threshold))
        return Ranking(
            order[:n_kept], shares, n_fits=sum(fits for _, fits in ranked), facts=self._facts(d)
        )

    def _facts(self, d: int) -> Mapping[str, float]:
        return {"expected_noise_bound": self.n_top_**2 / ((2 * self.threshold - 1) * d)}

    def _checked_top(self, d: int) -> int:
        if not 0.5 < self.threshold <= 1:
            raise ValueError(f"threshold must lie above 0.5 and up to 1, got {self.threshold!r}.")
        top = self.n_top
        if top is None:
            return max(1, int(np.sqrt((2 * self.threshold - 1) * d)))
        if not isinstance(top, Real) or isinstance(top, bool) or not (0 < top < 1 or top % 1 == 0):
            raise ValueError(f"n_top must be a positive integer or a share below 1, got {top!r}.")
        if not 0 < top <= d:
            raise ValueError(f"Found n_top={top}, which must lie in 1..{d}, the features of X.")
        return number_of(top, d)


def _fitted(ranker: FeatureSelector, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
    ranker.fit(X, y)
    return ranker.order_, ranker.n_fits_
