"""Sequential forward floating selection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fslib.base import FeatureSelector, Ranking
from fslib.criteria.base import Criterion
from fslib.criteria.named import criterion_for
from fslib.criteria.stopwatch import Stopwatch
from fslib.registry import register


@register
class SFFS(FeatureSelector):
    r"""Add the best feature, then drop members as long as that beats the best set of its size.

    Pudil's floating search with the best set of every size kept. A member x leaves the current
    set X only if :math:`J(X \setminus x)` exceeds the best J known for that size, so every step
    back is a strict gain and the search cannot cycle. A plain forward search runs first and its
    sets count as known, so that no answer is worse than the forward search's.

    Parameters
    ----------
    criterion : str, classifier or callable
        J by cross-validation: ``"knn3"``, ``"nb"``, ``"nb_categorical"``, ``"svm_linear"``,
        ``"svm_rbf"``, a scikit-learn classifier, or a function ``J(X_subset, y)``.
    n_features_to_select : int, float or "best"
        Target size, or a share of all features; ``"best"`` searches all sizes and takes the one of
        highest J, the smallest on ties. Targets fitted by ``fit_together`` share a search that ends
        at the same size.
    overshoot : int
        Sizes searched beyond the target: steps back from there may find better sets.
    cv : int or splitter
        Folds of the criterion, the same for every subset.
    criterion_params : dict, optional
        Parameters of a named criterion.
    time_limit : float, optional
        Seconds after which the best set so far is taken, even if it is below the target size.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    subsets_ : the best set found of each size, from size 1 on.
    path_ : J of each set in ``subsets_``.

    References
    ----------
    Pudil, Novovicova & Kittler (1994), Floating search methods in feature selection, Pattern
    Recognition Letters 15; used in Somol & Grim (2011), research report 2295.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import SFFS
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> y = (X[:, 1] + X[:, 3] > 0).astype(int)
    >>> sorted(SFFS("knn3", n_features_to_select=2).fit(X, y).order_.tolist())
    [1, 3]
    """

    deterministic = False

    def __init__(
        self,
        criterion="knn3",
        n_features_to_select="best",
        overshoot=0,
        cv=3,
        criterion_params=None,
        time_limit=None,
        verbose=0,
    ):
        self.criterion = criterion
        self.n_features_to_select = n_features_to_select
        self.overshoot = overshoot
        self.cv = cv
        self.criterion_params = criterion_params
        self.time_limit = time_limit
        self.verbose = verbose

    def _wanted(self) -> int | float | None:
        return None if self.n_features_to_select == "best" else self.n_features_to_select

    def _chooses_size(self) -> bool:
        return True  # a set of the asked size is searched for as a whole

    @classmethod
    def _rank_together(
        cls, selectors: Sequence[SFFS], X: np.ndarray, y: np.ndarray
    ) -> list[Ranking]:
        searches: dict[str, _Floating] = {}
        rankings = []
        for selector in selectors:
            target = selector._count_to_keep()
            d = X.shape[1]
            largest = d if target is None else min(d, target + selector.overshoot)
            settings = selector.criterion, selector.cv, selector.criterion_params
            key = repr((*settings, selector.time_limit, largest))
            if key not in searches:
                J = criterion_for(selector.criterion, X, y, *settings[1:])
                searches[key] = _Floating(J, d, Stopwatch("sffs", selector.time_limit))
                searches[key].run(largest)
            rankings.append(selector._ranked(searches[key]))
        return rankings

    def _ranked(self, search: _Floating) -> Ranking:
        sizes = sorted(search.best)
        target = self._count_to_keep()
        self.subsets_ = [search.best[size][1] for size in sizes]
        path = np.array([search.best[size][0] for size in sizes])
        chosen = int(np.argmax(path)) if target is None else min(target, len(sizes)) - 1
        subset = self.subsets_[chosen]
        before = search.J.n_fits
        loss = path[chosen] - search.without_each(subset) if len(subset) > 1 else path[chosen]
        scores = np.full(search.d, np.nan)
        scores[subset] = loss
        order = subset[np.argsort(-scores[subset], kind="stable")]
        n_fits = search.n_fits + search.J.n_fits - before
        return Ranking(order, scores, path, n_fits, {"criterion": path[chosen]})


class _Floating:
    """State of one search: the best set of each size, and J around the sets visited so far.

    ``extended`` has the best set one feature larger, ``reduced`` J without each member.
    """

    def __init__(self, J: Criterion, d: int, progress: Stopwatch):
        self.J, self.d, self.progress = J, d, progress
        self.best: dict[int, tuple[float, np.ndarray]] = {}
        self.extended: dict[bytes, tuple[float, np.ndarray]] = {}
        self.reduced: dict[bytes, np.ndarray] = {}

    def run(self, largest: int) -> None:
        subset = np.empty(0, dtype=np.intp)
        while len(subset) < largest and not (len(subset) and self.progress.out_of_time()):
            value, subset = self.add_best(subset)
            self.keep(value, subset)
        subset = self.best[1][1]
        while len(subset) < largest and not self.progress.out_of_time():
            self.keep(*self.add_best(subset))
            subset = self.step_back(self.best[len(subset) + 1][1])
        self.n_fits = self.J.n_fits

    def keep(self, value: float, subset: np.ndarray) -> bool:
        """Store ``subset`` if it beats the best set of its size; return whether it does."""
        better = len(subset) not in self.best or value > self.best[len(subset)][0]
        if better:
            self.best[len(subset)] = value, subset
            self.progress.report("size %d, J = %.4f, %d models", len(subset), value, self.J.n_fits)
        return better

    def add_best(self, subset: np.ndarray) -> tuple[float, np.ndarray]:
        """J of the subset plus the feature that makes J greatest, and that larger subset."""
        key = subset.tobytes()
        if key not in self.extended:
            candidates = np.setdiff1d(np.arange(self.d), subset, assume_unique=True)
            values = self.J.plus_each(subset, candidates)
            top = int(np.argmax(values))
            self.extended[key] = values[top], np.union1d(subset, candidates[top])
        return self.extended[key]

    def drop_worst(self, subset: np.ndarray) -> tuple[float, np.ndarray]:
        """J of the subset without the member whose removal leaves J greatest, and that subset."""
        values = self.without_each(subset)
        # Of members that tie, the highest column is dropped: ties favour lower columns everywhere.
        least = len(values) - 1 - int(np.argmax(values[::-1]))
        return values[least], np.delete(subset, least)

    def without_each(self, subset: np.ndarray) -> np.ndarray:
        """J of the subset without each of its members."""
        key = subset.tobytes()
        if key not in self.reduced:
            self.reduced[key] = self.J.minus_each(subset)
        return self.reduced[key]

    def step_back(self, subset: np.ndarray) -> np.ndarray:
        """Drop members while the smaller set beats the best set of its size; return the last set.

        Pairs stay: the best single feature is known since the first step.
        """
        while len(subset) > 2 and not self.progress.out_of_time():
            value, smaller = self.drop_worst(subset)
            if not self.keep(value, smaller):
                break
            subset = smaller
        return subset
