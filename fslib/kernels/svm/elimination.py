"""Recursive elimination of features by their weight in linear SVMs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import effective_n_jobs

from fslib.kernels.svm.followed import FollowedSVM
from fslib.kernels.svm.linear import LinearProblem

#: Features tie if their (Σ w_f²)^½ exceeds the smallest by at most this share of the largest: two
#: solvers, each exact to its tolerance, may order such features differently.
_TIE = 1e-7
#: How many of the smallest weights are kept up to date between looks at all of them.
_POOL = 512


class Elimination:
    """Linear SVMs that lose features: the smallest Σ w_f² over the problems goes first.

    Iterating :meth:`singly` or :meth:`in_steps` yields ``(column, score)`` of the removed features
    until no feature is left. The tables of ``problems`` are overwritten. ``n_jobs`` threads share
    the problems: each is solved by itself, so that no result depends on them.
    """

    def __init__(self, problems: list[LinearProblem], C: float, n_jobs: int | None = None):
        self._machines = [_Machine(problem, C) for problem in problems]
        self._n_threads = min(effective_n_jobs(n_jobs), len(problems))
        self._threads: ThreadPoolExecutor | None = None
        #: Columns of the features still present, in the order of the machines' rows.
        self.columns = np.arange(len(problems[0].features))

    @property
    def n_fits(self) -> int:
        """SVMs solved, afresh or by following a feature."""
        return sum(machine.svm.n_fits for machine in self._machines)

    @property
    def n_fallbacks(self) -> int:
        """SVMs that only LIBSVM, without a limit, could solve."""
        return sum(machine.svm.n_fallbacks for machine in self._machines)

    def singly(self) -> Iterator[tuple[int, float]]:
        """Remove one feature at a time, each from an exact solution.

        Between removals β moves little, and |Δw_f| ≤ ‖x_f‖·‖Δβ‖ because x_f is centred. So only a
        pool of the smallest weights is kept up to date; all weights are computed again when the
        bound no longer proves that the smallest weight is in the pool.
        """
        pool = _Pool(self.columns, self._machines)
        while len(self.columns):
            smallest = pool.smallest()
            if smallest is None:
                pool = None  # frees its table before the next pool takes another
                pool = _Pool(self.columns, self._machines)
                smallest = pool.smallest()
            yield smallest
            row = int(np.flatnonzero(self.columns == smallest[0])[0])
            self.columns[row] = self.columns[-1]
            self.columns = self.columns[:-1]
            if len(self.columns):
                self._each("remove", row)

    def in_steps(self, step: Callable[[int], int]) -> Iterator[tuple[int, float]]:
        """Remove ``step(n_features)`` features at a time, each time from a fresh solution."""
        while len(self.columns):
            scores = sum(machine.weights() ** 2 for machine in self._machines)
            count = max(1, step(len(scores)))
            # On ties the higher column goes first: the lower one ranks better.
            worst = np.lexsort((-self.columns, scores))[:count]
            yield from zip(self.columns[worst].tolist(), scores[worst].tolist(), strict=True)
            kept = np.delete(np.arange(len(scores)), worst)
            self.columns = self.columns[kept]
            if len(kept):
                self._each("keep", kept)

    def _each(self, action: str, *arguments) -> None:
        """Have every machine do something, several at a time where there are threads."""
        if self._n_threads < 2:
            for machine in self._machines:
                getattr(machine, action)(*arguments)
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._n_threads)
        doing = [self._threads.submit(getattr(m, action), *arguments) for m in self._machines]
        for done in doing:
            done.result()


class _Machine:
    """One problem's SVM on the features still present, which are the first rows of a table."""

    def __init__(self, problem: LinearProblem, C: float):
        self.table = problem.features
        self.norms = np.sqrt(np.einsum("ij,ij->i", self.table, self.table))
        self.svm = FollowedSVM(self.table, problem.signs, C)

    @property
    def beta(self) -> np.ndarray:
        return self.svm.beta

    def weights(self) -> np.ndarray:
        return self.table @ self.beta

    def keep(self, rows: np.ndarray) -> None:
        self.table = self.table[rows]
        self.svm.solve(self.table)

    def remove(self, row: int) -> None:
        x = self.table[row].copy()
        self.table[row], self.norms[row] = self.table[-1], self.norms[-1]
        self.table, self.norms = self.table[:-1], self.norms[:-1]
        self.svm.change(x, -1.0, self.table)


class _Pool:
    """The features of smallest weight, and a bound that tells whether they still are the smallest.

    With root_f = (Σ w_f²)^½ and drift the largest ‖Δβ‖ since the pool was made, no feature outside
    can have come below root_f − ‖x_f‖·drift. The pool answers while its smallest root is below
    ``ceiling`` (the pool's median when it was made) and the drift is small enough to keep all
    features outside above the ceiling.
    """

    def __init__(self, columns: np.ndarray, machines: list[_Machine]):
        self._machines = machines
        roots = _roots(machine.weights() for machine in machines)
        inside = np.arange(len(roots))
        if len(roots) > _POOL:
            highest = np.partition(roots, _POOL - 1)[_POOL - 1]
            inside = np.flatnonzero(roots <= highest)
        inside = inside[np.lexsort((-columns[inside], roots[inside]))][:_POOL]
        self._columns = columns[inside]
        self._tables = [machine.table[inside] for machine in machines]
        self._taken = np.zeros(len(inside))
        self._tie = _TIE * roots.max()
        self._betas = [machine.beta for machine in machines]
        self._ceiling = self._farthest = np.inf
        if len(roots) > _POOL:
            self._ceiling = roots[inside[_POOL // 2]]
            norms = np.sqrt(sum(machine.norms**2 for machine in machines))
            norms[inside] = 0.0
            moving = norms > 0
            self._farthest = ((roots[moving] - self._ceiling) / norms[moving]).min(initial=np.inf)

    def smallest(self) -> tuple[int, float] | None:
        """Take out the feature of smallest score, or None if it may lie outside the pool."""
        roots = _roots(
            table @ machine.beta
            for table, machine in zip(self._tables, self._machines, strict=True)
        )
        roots += self._taken
        limit = roots.min() + self._tie
        if limit == np.inf or not self._proven(limit):
            return None
        equal = np.flatnonzero(roots <= limit)
        place = equal[self._columns[equal].argmax()]
        self._taken[place] = np.inf
        return int(self._columns[place]), float(roots[place]) ** 2

    def _proven(self, limit: float) -> bool:
        if limit == self._tie:  # nothing is smaller than zero
            return True
        if limit - self._tie > self._ceiling:
            return False
        moved = (m.beta - beta for m, beta in zip(self._machines, self._betas, strict=True))
        return max(step @ step for step in moved) <= self._farthest**2


def _roots(weights) -> np.ndarray:
    """(Σ w²)^½ over the problems, per feature."""
    first, *others = weights
    return np.sqrt(sum((w**2 for w in others), start=first**2)) if others else np.abs(first)
