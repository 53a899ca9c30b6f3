"""Similarity of two feature sequences by matching their features, for every prefix length.

Gulgezen, Cataltepe & Yu (2009), section 3: the first k features of both sequences are matched one
to one such that the sum of their symmetrical uncertainties (SU) is greatest; the similarity is the
mean over the matched pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from scipy.optimize import linear_sum_assignment

from fslib.evaluate.ranked import Ranked
from fslib.kernels.pairs import symmetrical_uncertainty
from fslib.run.layout import REFIT
from fslib.split.schemes import Split

_ROUNDING = 1e-12


class SUMatching:
    """Similarity of feature sequences whose features are columns of one discrete table.

    A feature f is certified if ``1 - SU(a, b) <= (1 - SU(a, f)) + (1 - SU(f, b))`` for all features
    a and b. Where both prefixes have a certified f, f is matched with itself: if f were matched
    with a in one sequence and with b in the other, then matching f with f and a with b instead
    would lose nothing. Only the other features need an assignment. SU does not guarantee the
    inequality, so it is checked for each feature; features that fail it stay in the assignment,
    and the result is exact in any case.

    Parameters
    ----------
    X : array of int, shape (rows, features)
        Codes of the discrete features; the two sequences hold column indices.
    """

    def __init__(self, X: np.ndarray):
        X = np.asarray(X)
        if not np.issubdtype(X.dtype, np.integer):
            raise ValueError(
                f"symmetrical uncertainty counts values and needs integer codes, got {X.dtype}; "
                f"discretise first: fslib.prepare.equal_width(X, 10)."
            )
        self.su = symmetrical_uncertainty(X)
        self._distances = 1 - self.su
        #: Whether each feature is certified: may be matched with itself.
        self.certified = ~_between(self.su)

    def __call__(self, order_a, order_b) -> np.ndarray:
        """Similarity of the first 1, 2, ... features, up to the shorter sequence's length."""
        order_a, order_b = (np.asarray(order, dtype=np.intp) for order in (order_a, order_b))
        step_a, step_b = (self._steps(order) for order in (order_a, order_b))
        length = min(len(order_a), len(order_b))
        order_a, order_b = order_a[:length], order_b[:length]
        # A step at which both sequences add the same certified feature changes no other match.
        changes = (order_a != order_b) | ~self.certified[order_a]
        rows, sizes = self._unsettled(order_a, step_b, changes)
        columns, _ = self._unsettled(order_b, step_a, changes)
        lost = np.concatenate([[0.0], self._lost(rows, columns, sizes)])
        return 1 - lost[np.cumsum(changes)] / np.arange(1, length + 1)

    def _steps(self, order: np.ndarray) -> np.ndarray:
        """For each feature the step at which ``order`` names it; ``len(order)`` if it does not."""
        each = np.arange(len(order))
        steps = np.full(len(self.su), len(order))
        steps[order] = each
        if (steps[order] != each).any():
            raise ValueError("a feature sequence must not name a feature twice")
        return steps

    def _unsettled(self, order, other_step, wanted) -> tuple[np.ndarray, np.ndarray]:
        """Features of ``order`` that need an assignment at each wanted step, and their numbers.

        The features of all wanted steps follow one another in one array. A certified feature needs
        an assignment until ``other_step``, the step at which the other sequence names it.
        """
        begin = np.arange(len(order))
        end = np.where(self.certified[order], other_step[order], len(order))
        n_steps = np.clip(end - begin, 0, len(order) - begin)
        steps = np.arange(n_steps.sum()) - np.repeat(np.cumsum(n_steps) - n_steps - begin, n_steps)
        by_step = np.argsort(steps, kind="stable")
        by_step = by_step[wanted[steps[by_step]]]
        sizes = np.bincount(steps, minlength=len(order))[wanted]
        return np.repeat(order, n_steps)[by_step], sizes

    def _lost(self, rows, columns, sizes) -> np.ndarray:
        """At each step the sum of 1 - SU over the pairs of the best assignment.

        ``rows`` and ``columns`` hold the features of the two sequences, ``sizes[i]`` for step i.
        """
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        matched = []
        for begin, end in pairwise(bounds.tolist()):
            block = self._distances.take(rows[begin:end], axis=0).take(columns[begin:end], axis=1)
            matched.append(linear_sum_assignment(block)[1])
        if not matched:
            return np.zeros(0)
        columns = columns[np.concatenate(matched) + np.repeat(bounds[:-1], sizes)]
        of_step = np.repeat(np.arange(len(sizes)), sizes)
        return np.bincount(of_step, self._distances[rows, columns], minlength=len(sizes))


def similarity_to_whole(
    ranked: Mapping[tuple[str, int], Ranked], splits: Mapping[int, Split], codes: np.ndarray
) -> dict[tuple[str, float, int], float]:
    """Similarity of the ranking of each smaller sample to the ranking of its whole bootstrap.

    Keys are (method, ratio, size), values are means over the bootstraps (section 5.2). ``codes`` is
    the discrete table whose columns were ranked.
    """
    similarity = SUMatching(codes)
    whole = {
        (method, splits[split].repeat): selection
        for (method, split), selection in ranked.items()
        if split != REFIT and splits[split].ratio == 1.0
    }
    found: dict[tuple[str, float, int], list[float]] = {}
    for (method, split), selection in ranked.items():
        reference = whole.get((method, splits[split].repeat))
        if split == REFIT or reference is None:
            continue
        values = similarity(reference.top(reference.sizes[-1]), selection.top(selection.sizes[-1]))
        for k in selection.sizes:
            if k <= len(values):
                found.setdefault((method, splits[split].ratio, k), []).append(values[k - 1])
    return {key: float(np.mean(values)) for key, values in found.items()}


def su_matching(order_a: Sequence[int], order_b: Sequence[int], X: np.ndarray) -> np.ndarray:
    r"""Similarity of two feature sequences, for every prefix length.

    The mean symmetrical uncertainty of the first :math:`k` features of both, matched one to one
    such that it is greatest. For many sequences of one table use :class:`SUMatching`, which
    computes the uncertainties once.

    Parameters
    ----------
    order_a, order_b : sequences of column indices, best first.
    X : array of int, shape (rows, features)
        Codes of the discrete features.

    References
    ----------
    Gulgezen, Cataltepe & Yu (2009), equation 12.

    Examples
    --------
    >>> X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])  # column 2 mirrors column 0
    >>> su_matching([0, 1], [1, 2], X).tolist()
    [0.0, 1.0]
    """
    columns, positions = np.unique(np.concatenate([order_a, order_b]), return_inverse=True)
    matching = SUMatching(np.asarray(X)[:, columns])
    return matching(positions[: len(order_a)], positions[len(order_a) :])


def _between(su: np.ndarray) -> np.ndarray:
    """Which features f lie between two others: SU(a, f) + SU(f, b) > 1 + SU(a, b).

    Only features with SU(a, f) > 1 - max SU(f, .) can be a or b; there are few of them.
    """
    between = np.zeros(len(su), dtype=bool)
    for f, row in enumerate(su):
        near = row.copy()
        near[f] = -1.0
        ends = np.flatnonzero(near + near.max() > 1 + _ROUNDING)
        if len(ends) > 1:
            excess = row[ends][:, None] + row[ends] - 1 - su[np.ix_(ends, ends)]
            between[f] = (excess > _ROUNDING).any()
    return between
