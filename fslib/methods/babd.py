"""Incremental block addition and block deletion with least-squares SVMs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from fslib.base import FeatureSelector, Ranking
from fslib.criteria.base import fixed_folds
from fslib.criteria.lssvm import LSSVMCriterion
from fslib.criteria.stopwatch import Stopwatch
from fslib.registry import register


@dataclass(frozen=True)
class Move:
    """One accepted change of the set of features, with the error and the threshold after it."""

    action: str
    """``"start"`` (a new set of candidates), ``"add"``, ``"delete"``, or ``"undo"``."""
    columns: tuple[int, ...]
    error: float
    threshold: float


@register
class BABD(FeatureSelector):
    r"""Add blocks of ranked features while the left-out error falls, then delete blocks.

    The error E of a set is that of a least-squares SVM with bias on its left-out rows, with
    labels +1 and -1. Candidates are ranked by the error of adding each, and the best of the
    blocks of the first 1, 2, 4, ..., :math:`2^A` joins, or the last before E stops falling.
    Deletion removes all members whose own removal keeps E within the threshold, or the better
    half of them, a quarter, ..., until no member can go. ``one_pass`` offers the columns
    ``increment`` at a time together with what was selected before; ``multi_pass`` repeats
    passes while the threshold falls.
    In ``batch`` mode the error of the result never exceeds that of all features.

    Parameters
    ----------
    criterion : "mae", "mm" or "rate"
        Mean absolute error (equation 9), error rate plus 1/M mean margin error (equation 7), or the
        error rate alone, which the paper argues against.
    mode : "batch", "one_pass", "multi_pass" or "all"
        ``all`` keeps every feature, with the parameters and error that other modes compare with.
    increment : int
        Columns offered at a time, in column order, unless ``batch``.
    max_block_exponent : int
        A: the largest block has 2^A features.
    blocks : "best" or "falling"
        Which block joins: the best of all sizes, or sizes are doubled only while E falls. The paper
        leaves it open; its box sets k = 1 and goes on from there.
    tolerance : float
        Addition ends once an improvement is at most this (epsilon_M).
    kernel : "linear" or "rbf"
        ``rbf`` is ``exp(-gamma |x - x'|^2 / m)`` with m the size of the set.
    C, gamma : float, optional
        By default C = 1 for the linear kernel; for the RBF kernel both are chosen once, by
        cross-validation on all features, from the paper's grids.
    cv : int or splitter
        Folds of the criterion, the same for every set.
    random_state : int, RandomState or None
        Shuffles the rows before they are dealt to the folds; None deals them as they come, which
        suits only rows in random order.
    time_limit : float, optional
        Seconds after which the set of least error so far is taken.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    trace_ : list of Move, every accepted addition and deletion.
    path_ : the threshold after each ``Move`` of ``trace_``.
    error_ : left-out error of the selected features.
    C_, gamma_ : the parameters used.
    facts_ : ``error``, ``error_rate``, ``C`` and, with the RBF kernel, ``gamma``; of a search also
        ``start_error``, the error of the columns that the search started from, and
        ``tied_rankings``, the share of rankings whose two best errors are equal.

    References
    ----------
    Abe (2014), Incremental feature selection by block addition and block deletion using least
    squares SVRs, ANNPR, algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import BABD
    >>> X = np.random.default_rng(0).random((40, 30))
    >>> y = (X[:, 3] + X[:, 7] > 1).astype(int)
    >>> {3, 7} <= set(BABD().fit(X, y).order_.tolist())
    True
    """

    binary_only = True
    deterministic = False

    def __init__(
        self,
        criterion="mae",
        mode="batch",
        increment=500,
        max_block_exponent=5,
        blocks="best",
        tolerance=1e-5,
        kernel="linear",
        C=None,
        gamma=None,
        cv=5,
        random_state=None,
        time_limit=None,
        verbose=0,
    ):
        self.criterion = criterion
        self.mode = mode
        self.increment = increment
        self.max_block_exponent = max_block_exponent
        self.blocks = blocks
        self.tolerance = tolerance
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.cv = cv
        self.random_state = random_state
        self.time_limit = time_limit
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        if self.mode not in ("batch", "one_pass", "multi_pass", "all"):
            raise ValueError(
                f"mode must be 'batch', 'one_pass', 'multi_pass' or 'all', got {self.mode!r}."
            )
        if self.blocks not in ("best", "falling"):
            raise ValueError(f"blocks must be 'best' or 'falling', got {self.blocks!r}.")
        J = LSSVMCriterion(X, y, self._folds(y), self.criterion, self.kernel, self.C, self.gamma)
        search = _Search(
            J,
            self.max_block_exponent,
            self.tolerance,
            Stopwatch("babd", self.time_limit),
            falling=self.blocks == "falling",
        )
        d = X.shape[1]
        increment = self.increment if self.mode in ("one_pass", "multi_pass") else d
        blocks = [np.arange(first, min(first + increment, d)) for first in range(0, d, increment)]
        if self.mode == "all":
            subset, error = blocks[0], search.error(blocks[0])
        else:
            subset, error = search.passes(blocks, repeat=self.mode == "multi_pass")
        self.trace_, self.error_, self.C_, self.gamma_ = search.trace, error, J.C, J.gamma
        scores = np.full(d, np.nan)
        scores[subset] = -J.minus_each(subset) - error
        order = subset[np.argsort(-scores[subset], kind="stable")]
        path = np.array([step.threshold for step in search.trace])
        facts = {"error": error, "error_rate": J.error_rate(subset), "C": J.C}
        if self.kernel == "rbf":
            facts["gamma"] = J.gamma
        if search.trace:
            facts["start_error"] = search.trace[0].error
        if search.rankings:
            facts["tied_rankings"] = search.ties / search.rankings
        return Ranking(order, scores, path, J.n_fits, facts)

    def _folds(self, y: np.ndarray) -> np.ndarray:
        """The fold of each row, dealt in shuffled order where there is a seed."""
        if self.random_state is None:
            return fixed_folds(y, self.cv)
        shuffled = check_random_state(self.random_state).permutation(len(y))
        fold_of = np.empty(len(y), dtype=np.intp)
        fold_of[shuffled] = fixed_folds(y[shuffled], self.cv)
        return fold_of


class _Search:
    """Algorithm 1, step by step; sets are sorted column arrays and T is the threshold.

    Every error that is compared with the threshold comes from ``error``, for one set at a time.
    Errors of many candidates at once are rounded differently and only rank the candidates: compared
    with the threshold they could break the guarantees.
    """

    def __init__(
        self,
        J: LSSVMCriterion,
        max_exponent: int,
        tolerance: float,
        progress: Stopwatch,
        falling: bool = False,
    ):
        self.J, self.tolerance, self.progress, self.falling = J, tolerance, progress, falling
        self.block_sizes = 2 ** np.arange(max_exponent + 1)
        self.trace: list[Move] = []
        self.rankings = self.ties = 0

    def error(self, subset: np.ndarray) -> float:
        return -self.J.one(subset)

    def passes(self, blocks: list[np.ndarray], repeat: bool) -> tuple[np.ndarray, float]:
        """Run ``select`` on the current set plus each block in turn; return the set and its error.

        With ``repeat`` the blocks are offered again, as long as T falls.
        """
        subset, threshold = np.empty(0, dtype=np.intp), np.inf
        while True:
            before = threshold
            for block in blocks:
                if len(subset) and self.progress.out_of_time():
                    return subset, threshold
                found, error = self.select(np.union1d(subset, block))
                if error <= threshold:
                    subset, threshold = found, error
                else:
                    self.note("undo", subset, threshold, threshold)
            if not repeat or threshold >= before:
                return subset, threshold

    def select(self, columns: np.ndarray) -> tuple[np.ndarray, float]:
        """Block addition and deletion among the given columns: steps 2 to 8."""
        threshold = self.error(columns)
        self.note("start", columns, threshold, threshold)
        subset, error, threshold = self.add_blocks(columns, threshold)
        if error > threshold:  # time ran out before addition reached the threshold
            return (subset, error) if len(subset) else (columns, threshold)
        return self.delete_blocks(subset, threshold)

    def add_blocks(self, columns, threshold: float) -> tuple[np.ndarray, float, float]:
        """Steps 3 and 4; return the set, its error and T.

        As in the paper's text, an error is compared with T before T is set to that error.
        """
        subset, error = np.empty(0, dtype=np.intp), np.inf
        while len(subset) < len(columns) and not self.progress.out_of_time():
            candidates = np.setdiff1d(columns, subset, assume_unique=True)
            ranked = candidates[self.ranking(-self.J.plus_each(subset, candidates))]
            sizes = [size for size in self.block_sizes if size <= len(ranked)]
            errors = self.block_errors(subset, ranked, sizes)
            best = int(np.argmin(errors))
            if errors[best] < threshold:
                settled = threshold - errors[best] <= self.tolerance
                threshold = errors[best]
            elif errors[best] < error:
                settled = False
            elif error <= threshold:
                break
            else:
                best, settled = 0, False
            error = errors[best]
            subset = np.union1d(subset, ranked[: sizes[best]])
            self.note("add", ranked[: sizes[best]], error, threshold)
            self.progress.report("%d features, error %.4f", len(subset), error)
            if settled:
                break
        return subset, error, threshold

    def block_errors(self, subset, ranked, sizes) -> list[float]:
        """Errors of the set with the first 1, 2, 4, … ranked features; if ``falling``, up to the
        first that is no better than the one before."""
        errors: list[float] = []
        for size in sizes:
            errors.append(self.error(np.union1d(subset, ranked[:size])))
            if self.falling and len(errors) > 1 and errors[-1] >= errors[-2]:
                break
        return errors

    def delete_blocks(self, subset, threshold: float) -> tuple[np.ndarray, float]:
        """Steps 5 to 8: delete all members whose own removal keeps the error within T.

        Where deleting all of them exceeds T, only the better half is deleted, or a quarter, ...
        """
        while len(subset) > 1 and not self.progress.out_of_time():
            errors = -self.J.minus_each(subset)
            ranked = self.ranking(errors)
            dispensable = ranked[errors[ranked] <= threshold][: len(subset) - 1]
            while len(dispensable):
                smaller = np.delete(subset, dispensable)
                error = self.error(smaller)
                if error <= threshold:
                    break
                dispensable = dispensable[: len(dispensable) // 2]
            else:
                break
            self.note("delete", subset[dispensable], error, error)
            subset, threshold = smaller, error
            self.progress.report("%d features, error %.4f", len(subset), threshold)
        return subset, threshold

    def ranking(self, errors: np.ndarray) -> np.ndarray:
        """Positions by error, the lower column first on ties; ties for the best are counted."""
        ranked = np.argsort(errors, kind="stable")
        if len(ranked) > 1:
            self.rankings += 1
            # Errors of identical columns are computed in blocks and may differ in the last digits.
            self.ties += bool(errors[ranked[1]] - errors[ranked[0]] <= 1e-12)
        return ranked

    def note(self, action: str, columns, error: float, threshold: float) -> None:
        self.trace.append(Move(action, tuple(int(c) for c in columns), error, threshold))
