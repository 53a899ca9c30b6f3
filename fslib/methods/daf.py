"""Dependency-aware feature ranking by random probe subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import csr_array
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.criteria.named import criterion_for
from fslib.criteria.parallel import evaluate, room
from fslib.criteria.stopwatch import Stopwatch
from fslib.registry import register

#: Probes that the deviation of J at one size is estimated from; where the size has fewer probes,
#: those of the nearest sizes are added.
_ENOUGH_PROBES = 30
_NONE = np.empty(0)


@register
class DAF(FeatureSelector):
    r"""Rank features by the average benefit of having them in a random subset.

    Random probe subsets S are evaluated by a criterion J. With :math:`\mu_f` and
    :math:`\bar\mu_f` the mean J of the probes with and without f,

    - ``variant=0``: :math:`DAF_0(f) = \mu_f - \bar\mu_f`;
    - ``variant=1``: :math:`DAF_1(f) = (\mu_f - \bar\mu_f)\,|\mathbb S| /
      (|\mathbb S_f|\sigma_f + |\bar{\mathbb S}_f|\bar\sigma_f)`;
    - ``variant=2``: :math:`DAF_0` of the values :math:`J(S)/\sigma(|S|)`, each divided by the
      deviation of J over probes of its size.

    Probe i depends on the seed and i alone, so any number of workers gives the same ranking,
    a longer budget continues a shorter one, and stretches of one search can be evaluated apart
    (``probe_values``) and put together (``continue_from``).

    Parameters
    ----------
    variant : 0, 1 or 2
        Variants fitted by ``fit_together`` share their probes, also with smaller ``n_probes``.
    criterion : str, classifier or callable
        J by cross-validation: ``"knn3"``, ``"svm_linear"``, ``"svm_rbf"``, ``"nb"``,
        ``"nb_categorical"``, a scikit-learn classifier, or a function ``J(X_subset, y)``.
    max_subset_size : int, optional
        Largest size of a probe (tau); sizes are uniform from 1 to tau. All features by default.
    inclusion_probability : float, optional
        Instead of drawing a size, include each feature in a probe with this probability.
    n_probes, time_limit, min_coverage : optional
        Number of probes, seconds, and the least number of probes with and without every feature
        (equation 16). The first limit reached ends the search.
    cv : int or splitter
        Folds of the criterion, the same for every probe.
    criterion_params : dict, optional
        Parameters of a named criterion.
    warm_start : bool
        Go on from the probes of the previous ``fit``, which must have had the same data and seed,
        up to a larger ``n_probes``; or from values of ``probe_values`` that ``continue_from`` took
        over. ``n_fits_`` counts the models of all probes, whoever trained them.
    n_jobs : int, optional
        Processes that evaluate probes.
    random_state : int, RandomState or None
        Seed of the probes; 0 is a seed like any other.
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    probes_ : sparse array, one row per probe with ones for its members.
    probe_values_ : J of each probe.

    References
    ----------
    Somol & Grim (2011), Fast dependency-aware feature selection in very-high-dimensional pattern
    recognition problems, UTIA research report 2295.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import DAF
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> y = (X[:, 1] * X[:, 3] > 0).astype(int)  # neither column says anything alone
    >>> sorted(DAF(n_probes=100, random_state=0).fit(X, y).order_[:2].tolist())
    [1, 3]
    """

    deterministic = False

    def __init__(
        self,
        variant=0,
        criterion="knn3",
        max_subset_size=None,
        inclusion_probability=None,
        n_probes=1000,
        time_limit=None,
        min_coverage=None,
        cv=3,
        criterion_params=None,
        warm_start=False,
        n_jobs=None,
        random_state=None,
        n_features_to_select=None,
        verbose=0,
    ):
        self.variant = variant
        self.criterion = criterion
        self.max_subset_size = max_subset_size
        self.inclusion_probability = inclusion_probability
        self.n_probes = n_probes
        self.time_limit = time_limit
        self.min_coverage = min_coverage
        self.cv = cv
        self.criterion_params = criterion_params
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    @classmethod
    def _rank_together(
        cls, selectors: Sequence[DAF], X: np.ndarray, y: np.ndarray
    ) -> list[Ranking]:
        for selector in selectors:
            selector._check_settings()
        groups: dict[str, list[DAF]] = {}
        for selector in selectors:
            groups.setdefault(selector.search_key(), []).append(selector)
        rankings = {}
        for group in groups.values():
            longest = max(group, key=lambda selector: selector.n_probes or 0)
            n_folds, n_fits = longest._search(X, y)
            for selector in group:
                selector._take_probes(longest)
                saved = len(longest.probe_values_) - len(selector.probe_values_)
                rankings[id(selector)] = selector._ranked(n_fits - n_folds * saved)
        return [rankings[id(selector)] for selector in selectors]

    @classmethod
    def n_probes_together(cls, settings: Sequence[Mapping]) -> int:
        selectors = [cls(**params) for params in settings]
        counted = all(
            s.n_probes is not None and s.time_limit is None and s.min_coverage is None
            for s in selectors
        )
        is_one_search = len({selector.search_key() for selector in selectors}) == 1
        return max(s.n_probes for s in selectors) if counted and is_one_search else 0

    def probe_values(self, X, y, first: int, end: int) -> np.ndarray:
        """J of the probes ``first`` to ``end - 1`` of the search that ``fit`` would do.

        Bit for bit the values of a whole search where ``first`` is a multiple of 32, as so many
        probes are evaluated together.
        """
        X, y = self._checked(X, y)
        self._check_settings()
        J = criterion_for(self.criterion, X, y, self.cv, self.criterion_params)
        progress, seed, values = Stopwatch("daf"), self._drawn_seed(), []
        while first + len(values) < end:
            start = first + len(values)
            numbers = range(start, min(start + room(self.n_jobs), end))
            probes = [self._probe(seed, i, X.shape[1]) for i in numbers]
            values += evaluate(J, probes, self.n_jobs).tolist()
            progress.report("%d of %d probes", len(values), end - first)
        return np.array(values)

    def continue_from(self, values: np.ndarray) -> DAF:
        """Let the next ``fit`` go on from J of the first probes, as ``probe_values`` gave them.

        Of more than ``n_probes`` values the first are taken.
        """
        self.warm_start, self._seed = True, self._drawn_seed()
        self.probe_values_ = values[: self.n_probes]
        vars(self).pop("probes_", None)
        return self

    def search_key(self) -> str:
        """Text of the parameters that probes depend on: selectors of equal text share one search.

        Where ``n_probes`` is the only limit, a smaller search is the beginning of a larger one, so
        that ``n_probes`` is left out. Searches that go on from earlier values are one if these
        begin at one place in memory.
        """
        own = {"variant", "n_features_to_select", "verbose"}
        if self.time_limit is None and self.min_coverage is None:
            own.add("n_probes")
        used = {k: v for k, v in self.get_params(deep=False).items() if k not in own}
        earlier = self._earlier()
        return repr((used, earlier.ctypes.data if len(earlier) else None))

    def _earlier(self) -> np.ndarray:
        """J of the probes that a warm start goes on from."""
        return self.probe_values_ if self.warm_start and hasattr(self, "probe_values_") else _NONE

    def _drawn_seed(self) -> int:
        return check_random_state(self.random_state).randint(np.iinfo(np.int32).max)

    def _take_probes(self, searched: DAF) -> None:
        """Take over the first ``n_probes`` probes of ``searched``, which has at least as many."""
        self._seed = searched._seed
        self.probes_, self.probe_values_ = searched.probes_, searched.probe_values_
        if self.n_probes != searched.n_probes:
            self.probes_ = self.probes_[: self.n_probes]
            self.probe_values_ = self.probe_values_[: self.n_probes]

    def _ranked(self, n_fits: int) -> Ranking:
        scores = daf_scores(self.probes_, self.probe_values_, self.variant)
        n, d = self.probes_.shape
        having = self.probes_.nnz / d
        facts = {
            "n_evaluations": n,
            "n_probes_with_feature": having,
            "n_probes_without_feature": n - having,
        }
        # argsort puts NaN last: columns that are in no probe, or in every probe.
        return Ranking(np.argsort(-scores, kind="stable"), scores, n_fits=n_fits, facts=facts)

    def _check_settings(self) -> None:
        if self.variant not in (0, 1, 2):
            raise ValueError(f"variant must be 0, 1 or 2, got {self.variant!r}.")
        if self.n_probes is None and self.time_limit is None and self.min_coverage is None:
            raise ValueError("DAF needs one of n_probes, time_limit and min_coverage.")
        p = self.inclusion_probability
        if p is not None and not 0 < p < 1:
            raise ValueError(f"inclusion_probability must be between 0 and 1, got {p!r}.")
        if p is not None and self.max_subset_size is not None:
            raise ValueError("max_subset_size and inclusion_probability exclude each other.")
        if self.n_probes is not None and self.n_probes < 1:
            raise ValueError(f"n_probes must be positive, got {self.n_probes!r}.")
        if self.max_subset_size is not None and self.max_subset_size < 1:
            raise ValueError(f"max_subset_size must be positive, got {self.max_subset_size!r}.")

    def _search(self, X: np.ndarray, y: np.ndarray) -> tuple[int, int]:
        """Evaluate probes until a limit is reached; return models per probe and models in all."""
        d, earlier = X.shape[1], self._earlier()
        if len(earlier) > (self.n_probes or np.inf):
            raise ValueError(
                f"warm_start goes on to more probes: n_probes={self.n_probes} is less than the "
                f"{len(earlier)} of the previous fit."
            )
        if len(earlier) and hasattr(self, "probes_") and self.probes_.shape[1] != d:
            raise ValueError(
                f"warm_start goes on with {self.probes_.shape[1]} features; X has {d}."
            )
        self._seed = seed = self._seed if len(earlier) else self._drawn_seed()
        J = criterion_for(self.criterion, X, y, self.cv, self.criterion_params)
        progress = Stopwatch("daf", self.time_limit)
        probes, values, having = [], [], np.zeros(d, dtype=np.intp)
        while not self._finished(len(probes), having):
            if probes and len(probes) >= len(earlier) and progress.out_of_time():
                break
            fresh = []
            for i in range(len(probes), len(probes) + self._room(len(probes), progress)):
                fresh.append(self._probe(seed, i, d).astype(np.int32))
                having[fresh[-1]] += 1
                if self._finished(i + 1, having):
                    break
            known = earlier[len(probes) : len(probes) + len(fresh)]
            J.n_fits += J.n_folds * len(known)
            values += [*known.tolist(), *evaluate(J, fresh[len(known) :], self.n_jobs).tolist()]
            probes += fresh
            progress.report("%d probes, best %.4f", len(probes), max(values))
        ends = np.cumsum([0] + [len(probe) for probe in probes])
        columns = np.concatenate(probes)
        ones = np.ones(len(columns), dtype=np.int8)
        self.probes_ = csr_array((ones, columns, ends), (len(probes), d))
        self.probe_values_ = np.array(values)
        return J.n_folds, J.n_fits

    def _finished(self, n: int, having: np.ndarray) -> bool:
        if self.n_probes is not None and n >= self.n_probes:
            return True
        if self.min_coverage is None:
            return False
        without = n - having.max() if len(having) > 1 else n
        return min(having.min(), without) >= self.min_coverage

    def _room(self, done: int, progress: Stopwatch) -> int:
        """Number of probes to evaluate before the time limit is checked again."""
        most = room(self.n_jobs)
        if self.time_limit is None:
            return most
        per_second = done / max(progress.seconds(), 1e-3)
        left = max(self.time_limit - progress.seconds(), 0.0)
        return int(np.clip(per_second * left / 2, effective_n_jobs(self.n_jobs), most))

    def _probe(self, seed: int, i: int, d: int) -> np.ndarray:
        """The i-th random subset, in column order."""
        random = np.random.default_rng([seed, i])
        if self.inclusion_probability is None:
            largest = d if self.max_subset_size is None else min(d, self.max_subset_size)
            size = random.integers(1, largest + 1)
            return np.sort(random.choice(d, size, replace=False, shuffle=False))
        while True:
            members = np.flatnonzero(random.random(d) < self.inclusion_probability)
            if len(members):
                return members


def daf_scores(probes: csr_array, values: np.ndarray, variant: int) -> np.ndarray:
    """DAF of each feature, as in :class:`DAF`; NaN for a feature in no probe or in every probe."""
    if variant == 2:
        values = values / _deviation_by_size(probes, values)
    n, members = len(values), probes.T
    having = members @ np.ones(n)
    without = n - having
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_in = (members @ values) / having
        mean_out = (values.sum() - members @ values) / without
        benefit = mean_in - mean_out
        if variant != 1:
            return benefit
        centred = values - values.mean()
        sums, squares = members @ centred, members @ centred**2
        spread_in = np.maximum(squares / having - (sums / having) ** 2, 0.0)
        sums, squares = centred.sum() - sums, (centred**2).sum() - squares
        spread_out = np.maximum(squares / without - (sums / without) ** 2, 0.0)
        scale = having * np.sqrt(spread_in) + without * np.sqrt(spread_out)
        return np.where(scale > 0, benefit * n / scale, benefit)


def _deviation_by_size(probes: csr_array, values: np.ndarray) -> np.ndarray:
    """For each probe the deviation of J over the probes of about its size.

    The nearest sizes are pooled until there are enough probes. J is divided by the deviation, so a
    deviation that is nearly zero by chance is raised to a floor. Probes of all features are one
    and the same subset, have no deviation, and are left out of the pools.
    """
    sizes = np.diff(probes.indptr)
    varied = sizes < probes.shape[1]
    overall = values.std()
    if overall == 0 or not varied.any():
        return np.ones(len(values))
    deviations = np.empty(sizes.max() + 1)
    for size in np.unique(sizes):
        distance = np.abs(sizes[varied] - size)
        enough = np.sort(distance)[min(_ENOUGH_PROBES, len(distance)) - 1]
        deviations[size] = values[varied][distance <= enough].std()
    return np.maximum(deviations, 1e-3 * overall)[sizes]
