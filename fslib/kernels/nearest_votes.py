"""Votes of the k nearest points from approximate scores, made exact where rounding could matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_UNIT = np.finfo(np.float32).eps / 2

#: Numbers gathered at a time when distances are computed exactly.
_EXACT_NUMBERS = 2_000_000


class Points(NamedTuple):
    """Distinct training points, the same for every row: rows equal on the subset are one point."""

    members: np.ndarray
    """Rows of each point, lowest index first, as many columns as neighbours may be needed."""
    sizes: np.ndarray | None
    """How many of these columns are real members; None where every point is one row."""

    def member(self, row, point, which):
        """The training row behind a member of a point."""
        return self.members[point, which]


class Shortlists(NamedTuple):
    """Training rows that each row has for neighbours, each row its own."""

    members: np.ndarray
    """One row of training rows per row."""
    sizes: None = None

    def member(self, row, point, which):
        """The training row behind an entry of a row's list."""
        return self.members[row, point]


class Poll(NamedTuple):
    """Voters of each row (one column per row), and what they decide."""

    nearest: np.ndarray
    """Places of the voters on the row's list."""
    values: np.ndarray
    """Their scores."""
    voters: np.ndarray
    """The voters themselves."""
    classes: np.ndarray
    """The class of most votes."""
    backing: np.ndarray
    """Voters for that class who are certainly among the k nearest."""
    undecided: np.ndarray
    """Rows whose class rounding, or training rows off the list, could change."""
    slack: np.ndarray
    """How far a score may be from that of the last voter only by rounding."""


class Voter:
    """Counts votes by float32 scores -d^2/2 and settles rows whose scores are too close to tell.

    Where the k-th and the next neighbour are closer than the rounding of the scores, squared
    distances are computed in float64 from the differences; equal distances go to the lower row.

    Parameters
    ----------
    X, labels : the rows, in any order.
    index : the original index of each row.
    k : number of votes.
    """

    def __init__(self, X: np.ndarray, labels: np.ndarray, index: np.ndarray, k: int):
        self.X, self.labels, self.index, self.k = X, labels, index, k
        self.n_classes = int(labels.max()) + 1

    def classes(self, scores, squares, subset, rows, points: Points) -> np.ndarray:
        """The class of each row by scores -d^2/2 from products.

        ``scores`` has one row per entry of ``rows`` and one column per point; it is used up.
        ``squares`` are the rows' squared lengths.
        """
        here = np.arange(len(rows))
        nearest, values, beyond = _take_best(scores, min(self.k, scores.shape[1]))
        if points.sizes is None:
            labels = self.labels[points.members[nearest, 0]]
            row, value, last = np.broadcast_to(here, labels.shape), values, values[-1]
        else:
            sizes = points.sizes[nearest]
            taken = np.clip(self.k - (np.cumsum(sizes, axis=0) - sizes), 0, sizes)
            place, row, member = np.nonzero(taken[:, :, None] > np.arange(self.k))
            labels = self.labels[points.members[nearest[place, row], member]]
            value = values[place, row]
            final = (taken > 0).sum(axis=0) - 1
            last = values[final, here]
            beyond = np.vstack([values, beyond])[final + 1, here]
            before = np.vstack([np.full(len(rows), np.inf, np.float32), values])[final, here]
            partial = (taken < sizes)[final, here]
        slack = rounding(squares, last, len(subset))
        unsure = last - beyond <= slack
        if points.sizes is not None:
            unsure |= partial & (before - last <= slack)
        votes = self._count(row, labels, len(rows))
        if unsure.any():
            firm = value > (last + slack)[row]
            unsure &= ~self._have_majority(row[firm], labels[firm], len(rows))
        unsure = np.flatnonzero(unsure)
        if len(unsure):
            scores = scores[unsure]
            scores[np.arange(len(unsure)), nearest[:, unsure]] = values[:, unsure]
            votes[unsure] = self._settle(
                scores, last[unsure], slack[unsure], subset, rows[unsure], points
            )
        return votes.argmax(axis=1)

    def poll(self, scores, bound, size: int, members: np.ndarray) -> Poll:
        """The vote of the k nearest on each row's list, given -d^2 from float64 differences.

        The voters' entries of ``scores`` are overwritten. Rounding cannot reorder scores of 0, and
        lists name the rows with such scores by rising index. ``bound`` is the highest score off
        the list and ``size`` the number of features.
        """
        n = len(scores)
        here = np.arange(n)
        nearest, values, beyond = _take_best(scores, self.k)
        voters = members[here, nearest]
        labels = self.labels[voters]
        limit, error = np.maximum(beyond, bound), 4 * (size + 4) * np.finfo(float).eps
        firm = values - limit >= -error * limit
        row = np.broadcast_to(here, firm.shape)
        classes = self._count(row, labels, n).argmax(axis=1)
        backing = firm & (labels == classes)
        undecided = ~(firm[-1] | (2 * backing.sum(axis=0) > self.k))
        return Poll(nearest, values, voters, classes, backing, undecided, -error * values[-1])

    def classes_by_lists(self, scores, bound, subset, rows, members: np.ndarray):
        """The class of each row, and which rows may need neighbours off their list for it."""
        poll = self.poll(scores, bound, len(subset), members)
        last = poll.values[-1]
        open_ended = poll.undecided & (last - bound < poll.slack)
        unsure = np.flatnonzero(poll.undecided & ~open_ended)
        if len(unsure):
            scores = scores[unsure]
            scores[np.arange(len(unsure)), poll.nearest[:, unsure]] = poll.values[:, unsure]
            points = Shortlists(members[unsure])
            poll.classes[unsure] = self._settle(
                scores, last[unsure], poll.slack[unsure], subset, rows[unsure], points
            ).argmax(axis=1)
        return poll.classes, np.flatnonzero(open_ended)

    def _have_majority(self, rows: np.ndarray, labels: np.ndarray, n_rows: int) -> np.ndarray:
        """Which rows have a class with more than half of all k votes from some of the voters."""
        return 2 * self._count(rows, labels, n_rows).max(axis=1) > self.k

    def _count(self, rows: np.ndarray, labels: np.ndarray, n_rows: int) -> np.ndarray:
        """Votes per row and class from pairs of a row and a label."""
        c = self.n_classes
        return np.bincount((rows * c + labels).ravel(), minlength=n_rows * c).reshape(n_rows, c)

    def _settle(self, scores, last, slack, subset, rows, points) -> np.ndarray:
        """Votes of rows whose last neighbour is within rounding of others."""
        n = len(rows)
        row, point = np.nonzero(scores >= (last - slack)[:, None])
        certain = scores[row, point] > (last + slack)[row]
        size = np.ones(len(row), np.intp) if points.sizes is None else points.sizes[point]
        pair, member = np.nonzero(size[:, None] > np.arange(size.max()))
        voter, row_of = points.member(row[pair], point[pair], member), row[pair]
        settled = certain[pair]
        votes = self._count(row_of[settled], self.labels[voter[settled]], n)
        places = self.k - votes.sum(axis=1)
        # If all rivals for the last places have one class, that class gets these places.
        rivals = self._count(row_of[~settled], self.labels[voter[~settled]], n) > 0
        agreed = rivals.sum(axis=1) == 1
        votes[agreed] += rivals[agreed] * places[agreed, None]
        disputed = ~settled & ~agreed[row_of]
        if not disputed.any():
            return votes
        near = np.flatnonzero(~certain & ~agreed[row])
        distances = np.zeros(len(row))
        distances[near] = self._distances(
            subset, rows[row[near]], points.member(row[near], point[near], 0)
        )
        row_of, voter, distance = row_of[disputed], voter[disputed], distances[pair[disputed]]
        order = np.lexsort((self.index[voter], distance, row_of))
        row_of, voter = row_of[order], voter[order]
        placed = np.arange(len(row_of)) - np.searchsorted(row_of, row_of) < places[row_of]
        return votes + self._count(row_of[placed], self.labels[voter[placed]], n)

    def _distances(self, subset, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Squared distances of pairs of rows in float64."""
        distances = np.empty(len(first))
        step = max(1, _EXACT_NUMBERS // len(subset))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            difference = self.X[first[part, None], subset] - self.X[second[part, None], subset]
            distances[part] = (difference**2).sum(axis=1)
        return distances


def _take_best(scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns and values of each row's k best scores, which are overwritten, and the next value."""
    here = np.arange(len(scores))
    best, values = np.empty((k, len(scores)), np.intp), np.empty((k, len(scores)), scores.dtype)
    for i in range(k):
        best[i] = scores.argmax(axis=1)
        values[i] = scores[here, best[i]]
        scores[here, best[i]] = -np.inf
    return best, values, scores.max(axis=1)


def rounding(squares: np.ndarray, last: np.ndarray, size: int) -> np.ndarray:
    """How far a score may be from the score of the last neighbour only by rounding.

    A sum of m products is off by at most e = (m + 4) units times the sum of their sizes, here
    (|x_i| + |x_j|)^2 / 2, and a neighbour no further than the last has |x_j| <= |x_i| + d. Rows
    beyond are further away by more than their extra error.
    """
    reach = 2.0 * np.sqrt(squares) + np.sqrt(np.maximum(-2.0 * last, 0.0))
    return 1.1 * (size + 4) * _UNIT * reach**2
