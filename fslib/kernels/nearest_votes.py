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
    """A training row at each point."""
    counts: np.ndarray | None
    """How many training rows of each class are at a point; None where every point is one row."""

    def member(self, row, point):
        """The training row that stands for a point."""
        return self.members[point]


class Shortlists(NamedTuple):
    """Training rows that each row has for neighbours, each row its own."""

    members: np.ndarray
    """One row of training rows per row."""
    counts: None = None

    def member(self, row, point):
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
    distances are computed in float64 from the differences. Training rows as far away as the last
    neighbour share the votes that nearer rows leave. Votes of one row are whole numbers in a unit
    of its own.

    Parameters
    ----------
    X, labels : the rows, in any order.
    k : number of votes.
    """

    def __init__(self, X: np.ndarray, labels: np.ndarray, k: int):
        self.X, self.labels, self.k = X, labels, k
        self.n_classes = int(labels.max()) + 1

    def classes(self, scores, squares, subset, rows, points: Points) -> np.ndarray:
        """The class of each row by scores -d^2/2 from products.

        ``scores`` has one row per entry of ``rows`` and one column per point; it is used up.
        ``squares`` are the rows' squared lengths.
        """
        nearest, values, beyond = _take_best(scores, min(self.k, scores.shape[1]))
        if points.counts is None:
            labels = self.labels[points.members[nearest]]
            votes, last = self._tally(labels), values[-1]
            slack = rounding(squares, last, len(subset))
            unsure = last - beyond <= slack
            firm = self._tally(labels, values > last + slack) if unsure.any() else votes
        else:
            here, counts = np.arange(len(rows)), points.counts[nearest]
            sizes = counts.sum(axis=2)
            before = np.cumsum(sizes, axis=0) - sizes
            final = (before < self.k).sum(axis=0) - 1
            last, size = values[final, here], sizes[final, here]
            left = self.k - before[final, here]
            slack = rounding(squares, last, len(subset))
            nearer = np.arange(len(values))[:, None] < final
            votes = (counts * nearer[:, :, None]).sum(axis=0) * size[:, None]
            votes += counts[final, here] * left[:, None]
            following = np.vstack([values, beyond])[final + 1, here]
            previous = np.vstack([np.full(len(rows), np.inf, np.float32), values])[final, here]
            unsure = (last - following <= slack) | ((left < size) & (previous - last <= slack))
            firm = (counts * (values > last + slack)[:, :, None]).sum(axis=0)
        unsure &= 2 * firm.max(axis=1) <= self.k
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

        The voters' entries of ``scores`` are overwritten. ``bound`` is the highest score off the
        list and ``size`` the number of features.
        """
        n = len(scores)
        here = np.arange(n)
        nearest, values, beyond = _take_best(scores, self.k)
        voters = members[here, nearest]
        labels = self.labels[voters]
        limit, error = np.maximum(beyond, bound), 4 * (size + 4) * np.finfo(float).eps
        firm = values - limit > -error * limit
        classes = self._tally(labels).argmax(axis=1)
        backing = firm & (labels == classes)
        undecided = ~(firm[-1] | (2 * backing.sum(axis=0) > self.k))
        return Poll(nearest, values, voters, classes, backing, undecided, -error * values[-1])

    def classes_by_lists(self, scores, bound, subset, rows, members: np.ndarray):
        """The class of each row, and which rows may need neighbours off their list for it."""
        poll = self.poll(scores, bound, len(subset), members)
        last = poll.values[-1]
        open_ended = poll.undecided & (last - bound <= poll.slack)
        unsure = np.flatnonzero(poll.undecided & ~open_ended)
        if len(unsure):
            scores = scores[unsure]
            scores[np.arange(len(unsure)), poll.nearest[:, unsure]] = poll.values[:, unsure]
            points = Shortlists(members[unsure])
            poll.classes[unsure] = self._settle(
                scores, last[unsure], poll.slack[unsure], subset, rows[unsure], points
            ).argmax(axis=1)
        return poll.classes, np.flatnonzero(open_ended)

    def _tally(self, labels: np.ndarray, counted: np.ndarray | None = None) -> np.ndarray:
        """Votes per row and class of voters, a column of their labels per row."""
        n, c = labels.shape[1], self.n_classes
        places = np.arange(n) * c + labels
        places = places.ravel() if counted is None else places[counted]
        return np.bincount(places, minlength=n * c).reshape(n, c)

    def _settle(self, scores, last, slack, subset, rows, points) -> np.ndarray:
        """Votes of rows whose last neighbour is within rounding of others."""
        n = len(rows)
        row, point = np.nonzero(scores >= (last - slack)[:, None])
        member = points.member(row, point)
        counts = np.eye(self.n_classes, dtype=np.intp)[self.labels[member]]
        if points.counts is not None:
            counts = points.counts[point]
        certain = scores[row, point] > (last + slack)[row]
        votes = self._sums(row[certain], counts[certain], n)
        places = self.k - votes.sum(axis=1)
        # If all rivals for the last places have one class, that class gets these places.
        rivals = self._sums(row[~certain], counts[~certain], n) > 0
        agreed = rivals.sum(axis=1) == 1
        votes[agreed] += rivals[agreed] * places[agreed, None]
        disputed = np.flatnonzero(~certain & ~agreed[row])
        if not len(disputed):
            return votes
        row, counts = row[disputed], counts[disputed]
        distance = self._distances(subset, rows[row], member[disputed])
        order = np.lexsort((distance, row))
        size = counts.sum(axis=1)[order]
        before = np.cumsum(size) - size
        before -= before[np.searchsorted(row, row)]  # rows come in rising order
        takes_last = (before < places[row]) & (before + size >= places[row])
        furthest = np.empty(n)
        furthest[row[takes_last]] = distance[order][takes_last]
        nearer, as_far = distance < furthest[row], distance == furthest[row]
        open_rows = np.unique(row)
        nearer = self._sums(row[nearer], counts[nearer], n)[open_rows]
        as_far = self._sums(row[as_far], counts[as_far], n)[open_rows]
        left = places[open_rows] - nearer.sum(axis=1)
        votes[open_rows] = (votes[open_rows] + nearer) * as_far.sum(axis=1)[:, None]
        votes[open_rows] += as_far * left[:, None]
        return votes

    def _sums(self, row: np.ndarray, counts: np.ndarray, n: int) -> np.ndarray:
        """Counts by class, summed by row."""
        sums = np.zeros((n, self.n_classes), np.intp)
        np.add.at(sums, row, counts)
        return sums

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
    """Largest difference to the score of the last neighbour that rounding alone may make.

    ``last`` is that score, -d^2/2 of the last neighbour's distance d; ``squares`` are |x_i|^2 and
    ``size`` is the number m of features. A score is off by at most
    (m + 4) u (|x_i| + |x_j|)^2 / 2, with u the unit of rounding of float32, and a neighbour within
    d has |x_j| <= |x_i| + d; two scores differ by at most (m + 4) u (2 |x_i| + d)^2. A tenth more
    covers the rounding of d and |x_i|, and of rows beyond d, whose scores fall faster with the
    distance than their errors grow.
    """
    reach = 2.0 * np.sqrt(squares) + np.sqrt(np.maximum(-2.0 * last, 0.0))
    return 1.1 * (size + 4) * _UNIT * reach**2
