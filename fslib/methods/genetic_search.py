"""Feature subsets bred by a genetic algorithm."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.criteria.base import Criterion
from fslib.criteria.named import criterion_for
from fslib.criteria.parallel import evaluate
from fslib.criteria.stopwatch import Stopwatch
from fslib.registry import register


@register
class GeneticSearch(FeatureSelector):
    r"""Breed feature subsets, fittest by the cross-validated accuracy of a classifier.

    A chromosome is a bit per feature and its fitness
    :math:`J(S) - \mathrm{size\_penalty} \cdot |S| / d`. Parents win tournaments, children mix
    their bits uniformly and mutate, and the elite survives unchanged. Members of the answer are
    ordered by the share of the last population that has them.

    Parameters
    ----------
    criterion : str, classifier or callable
        J by cross-validation: ``"nb"``, ``"nb_categorical"``, ``"knn3"``, ``"svm_linear"``,
        ``"svm_rbf"``, a scikit-learn classifier, or a function ``J(X_subset, y)``.
    population, generations : int
        Chromosomes per generation, and the most generations bred.
    patience : int
        Generations without a fitter chromosome after which the search ends.
    tournament : int
        Chromosomes that compete to be a parent.
    crossover : float
        Probability that a child mixes two parents instead of copying the first.
    mutation : float, optional
        Probability that a bit flips; 1/d by default.
    elite : int
        Fittest chromosomes that survive unchanged.
    inclusion_probability : float
        Probability of each bit in the first generation.
    size_penalty : float
        Fitness that a set of all features loses; the default is small, to decide only between sets
        of equal accuracy.
    cv : int or splitter
        Folds of the criterion, the same for every subset.
    criterion_params : dict, optional
        Parameters of a named criterion.
    time_limit : float, optional
        Seconds after which the best chromosome so far is taken.
    n_jobs : int, optional
        Processes that evaluate chromosomes.
    random_state : int, RandomState or None
        Seed; 0 is a seed like any other.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    path_ : best fitness of each generation.

    References
    ----------
    Yun, Shin, Jo, Yang & Kim (2007), section 3.7.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import GeneticSearch
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = (X[:, 1] + X[:, 3] > 0).astype(int)
    >>> search = GeneticSearch("nb", population=20, generations=10, random_state=0).fit(X, y)
    >>> sorted(search.order_.tolist())
    [1, 3, 4]
    """

    deterministic = False

    def __init__(
        self,
        criterion="nb",
        population=100,
        generations=50,
        patience=10,
        tournament=3,
        crossover=0.9,
        mutation=None,
        elite=2,
        inclusion_probability=0.5,
        size_penalty=1e-4,
        cv=3,
        criterion_params=None,
        time_limit=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.criterion = criterion
        self.population = population
        self.generations = generations
        self.patience = patience
        self.tournament = tournament
        self.crossover = crossover
        self.mutation = mutation
        self.elite = elite
        self.inclusion_probability = inclusion_probability
        self.size_penalty = size_penalty
        self.cv = cv
        self.criterion_params = criterion_params
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        if not 1 <= self.elite < self.population:
            raise ValueError(
                f"elite={self.elite} must be from 1 to population - 1 = "
                f"{self.population - 1}, so that the best is never lost."
            )
        d = X.shape[1]
        J = criterion_for(self.criterion, X, y, self.cv, self.criterion_params)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        random = np.random.default_rng(seed)
        progress = Stopwatch("genetic_search", self.time_limit)
        known: dict[bytes, float] = {}

        bits = random.random((self.population, d)) < self.inclusion_probability
        bits, fitness = self._fittest_first(_without_empty(bits, random), J, known)
        path = [fitness[0]]
        stagnant = 0
        for generation in range(1, self.generations):
            if stagnant >= self.patience or progress.out_of_time():
                break
            children = _without_empty(self._children(bits, random), random)
            bits, fitness = self._fittest_first(children, J, known)
            stagnant = 0 if fitness[0] > path[-1] else stagnant + 1
            path.append(fitness[0])
            progress.report("generation %d, fitness %.4f", generation, fitness[0])

        subset = np.flatnonzero(bits[0])
        scores = bits.mean(axis=0)
        order = subset[np.argsort(-scores[subset], kind="stable")]
        return Ranking(order, scores, np.array(path), J.n_fits)

    def _fittest_first(self, bits: np.ndarray, J: Criterion, known: dict):
        """The population by descending fitness, fewer features first on ties, and the fitness.

        ``known`` caches J by chromosome: survivors and repeats are not evaluated again.
        """
        keys = [chromosome.tobytes() for chromosome in np.packbits(bits, axis=1)]
        new = list({key: i for i, key in enumerate(keys) if key not in known}.items())
        subsets = [np.flatnonzero(bits[i]) for _, i in new]
        known.update(zip([key for key, _ in new], evaluate(J, subsets, self.n_jobs), strict=True))
        sizes = bits.sum(axis=1)
        fitness = np.array([known[key] for key in keys]) - self.size_penalty * sizes / len(bits[0])
        order = np.lexsort((sizes, -fitness))
        return bits[order], fitness[order]

    def _children(self, bits: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The next generation of a population that is sorted by fitness."""
        n, d = bits.shape
        n_children = n - self.elite
        # In a sorted population the fittest of a tournament is its lowest index.
        parents = random.integers(n, size=(2, n_children, self.tournament)).min(axis=2)
        mixed = random.random(n_children) < self.crossover
        from_second = (random.random((n_children, d)) < 0.5) & mixed[:, None]
        children = np.where(from_second, bits[parents[1]], bits[parents[0]])
        mutation = 1.0 / d if self.mutation is None else self.mutation
        flips = random.random((n_children, d)) < mutation
        return np.vstack([bits[: self.elite], children ^ flips])


def _without_empty(bits: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Give every empty chromosome one random feature."""
    empty = np.flatnonzero(~bits.any(axis=1))
    bits[empty, random.integers(bits.shape[1], size=len(empty))] = True
    return bits
