"""Votes of the k nearest training rows on feature subsets, exactly, at the speed of float32.

A row's nearest neighbours are those of the largest score -d_ij^2/2 = x_i·x_j - |x_i|^2/2 -
|x_j|^2/2, one float32 matrix product with the norms as extra columns. Where the k-th and the next
neighbour are closer than that product's rounding, squared distances are computed in float64 from
the differences, and equal distances go to the lower row index. Results are those of exact float64
distances throughout.
"""

from __future__ import annotations

import numpy as np

_UNIT = np.finfo(np.float32).eps / 2

#: Up to this many scores are kept at once, and then every pair of rows is multiplied only once.
_KEPT_SCORES = 4_000_000

#: Beyond that, this many are computed at a time and passed over while still in the cache.
_BLOCK_SCORES = 500_000

#: Numbers gathered at a time when distances are computed exactly.
_EXACT_NUMBERS = 2_000_000


class FoldedNeighbours:
    """The rows of a table sorted by fold; each row votes among the rows of the other folds."""

    def __init__(self, X: np.ndarray, y: np.ndarray, fold_of: np.ndarray, k: int):
        self.order = np.argsort(fold_of, kind="stable")
        self.X, self.labels = X[self.order], y[self.order]
        self.n_classes = int(y.max()) + 1
        self.k = k
        n = len(y)
        ends = np.cumsum(np.bincount(fold_of)).tolist()
        self.folds = list(zip([0, *ends[:-1]], ends, strict=True))
        self.training = [np.delete(np.arange(n), slice(*fold)) for fold in self.folds]
        if min(map(len, self.training)) < k:
            raise ValueError(f"{k} neighbours need as many training rows; y has {n} rows in all.")
        # Distances do not change by centring, but the rounding of products does.
        centred = (self.X - self.X.mean(axis=0)).T
        self.features = np.vstack([centred, np.ones((2, n))]).astype(np.float32)
        sizes = [len(train) * (n - len(train)) for train in self.training]
        self.kept = None
        if sum(sizes) <= _KEPT_SCORES:
            self.kept = [np.empty((n - len(t), len(t)), np.float32) for t in self.training]

    def accuracies(self, subset: np.ndarray) -> np.ndarray:
        """Share of correctly classified rows of each fold."""
        d = len(self.features) - 2
        left = self.features[np.append(subset, [d, d + 1])]
        squares = np.einsum("ij,ij->j", left[:-2], left[:-2])
        right = left.copy()
        left[-2] = right[-1] = -0.5 * squares
        hits = np.zeros(len(self.folds))
        blocks = self._blocks(left, right) if self.kept is None else self._all(left, right)
        for fold, rows, scores in blocks:
            votes = self._votes(scores, squares[rows], subset, rows, self.training[fold])
            hits[fold] += np.count_nonzero(votes.argmax(axis=1) == self.labels[rows])
        return hits / [last - first for first, last in self.folds]

    def _all(self, left, right):
        """Scores of every fold, each pair of folds multiplied once and copied across."""
        for f, (first, last) in enumerate(self.folds):
            for g, (start, stop) in enumerate(self.folds[:f]):
                # Training columns lack the fold itself: later folds move up by its length.
                scores = self.kept[f][:, start:stop]
                np.matmul(left[:, first:last].T, right[:, start:stop], out=scores)
                shift = stop - start
                self.kept[g][:, first - shift : last - shift] = scores.T
        for f, (first, last) in enumerate(self.folds):
            yield f, np.arange(first, last), self.kept[f]

    def _blocks(self, left, right):
        """Scores of some rows at a time, for tables too long to keep them all."""
        for f, (first, last) in enumerate(self.folds):
            neighbours = np.concatenate([right[:, :first], right[:, last:]], axis=1)
            height = max(16, _BLOCK_SCORES // neighbours.shape[1])
            for top in range(first, last, height):
                rows = np.arange(top, min(top + height, last))
                yield f, rows, left[:, top : top + len(rows)].T @ neighbours

    def _votes(self, scores, squares, subset, rows, train) -> np.ndarray:
        """Votes per row and class; ``scores`` is used up."""
        here = np.arange(len(rows))
        nearest = np.empty((self.k, len(rows)), dtype=np.intp)
        values = np.empty((self.k, len(rows)), dtype=np.float32)
        for i in range(self.k):
            nearest[i] = scores.argmax(axis=1)
            values[i] = scores[here, nearest[i]]
            scores[here, nearest[i]] = -np.inf
        votes = self._count(here, self.labels[train[nearest]], len(rows))
        # A sum of m products is off by at most e = (m + 4) units times the sum of their sizes,
        # here (|x_i| + |x_j|)^2 / 2, and a neighbour no further than the k-th has
        # |x_j| <= |x_i| + d_ik. Rows beyond are further away by more than their extra error.
        length = np.sqrt(squares)
        reach = 2.0 * length + np.sqrt(np.maximum(-2.0 * values[-1], 0.0))
        slack = 1.1 * (len(subset) + 4) * _UNIT * reach**2
        unsure = np.flatnonzero(values[-1] - scores.max(axis=1) <= slack)
        if len(unsure):
            votes[unsure] = self._resolve(
                scores[unsure],
                values[:, unsure],
                nearest[:, unsure],
                slack[unsure],
                subset,
                rows[unsure],
                train,
            )
        return votes

    def _count(self, rows: np.ndarray, labels: np.ndarray, n_rows: int) -> np.ndarray:
        """Votes per row and class from pairs of a row and a label."""
        c = self.n_classes
        return np.bincount((rows * c + labels).ravel(), minlength=n_rows * c).reshape(n_rows, c)

    def _resolve(self, scores, values, nearest, slack, subset, rows, train) -> np.ndarray:
        """Votes of rows whose k-th neighbour is within rounding of others.

        ``scores`` lack the k nearest, which come with their ``values``, best first.
        """
        n, labels = len(rows), self.labels[train]
        certain = values > values[-1] + slack
        chosen, row = np.nonzero(certain)
        votes = self._count(row, labels[nearest[chosen, row]], n)
        places = self.k - certain.sum(axis=0)
        chosen, row = np.nonzero(~certain)
        other_row, other = np.nonzero(scores >= (values[-1] - slack)[:, None])
        row = np.concatenate([row, other_row])
        rival = np.concatenate([nearest[chosen, row[: len(chosen)]], other])
        # Where all rivals for the last places have one class, it does not matter who gets them.
        classes = self._count(row, labels[rival], n) > 0
        agreed = classes.sum(axis=1) == 1
        votes[agreed] += classes[agreed] * places[agreed, None]
        disputed = ~agreed[row]
        row, rival = row[disputed], rival[disputed]
        if not len(row):
            return votes
        distances = self._exact(subset, rows[row], train[rival])
        order = np.lexsort((self.order[train[rival]], distances, row))
        row, rival = row[order], rival[order]
        placed = np.arange(len(row)) - np.searchsorted(row, row) < places[row]
        return votes + self._count(row[placed], labels[rival[placed]], n)

    def _exact(self, subset, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Squared distances of pairs of rows in float64."""
        distances = np.empty(len(first))
        step = max(1, _EXACT_NUMBERS // len(subset))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            difference = self.X[first[part, None], subset] - self.X[second[part, None], subset]
            distances[part] = (difference**2).sum(axis=1)
        return distances
