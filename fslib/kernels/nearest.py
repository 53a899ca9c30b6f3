"""Accuracy of the k-nearest-neighbour rule on feature subsets, at the speed of float32.

A row's nearest neighbours are those of the largest score -d_ij^2/2 = x_i·x_j - |x_i|^2/2 -
|x_j|^2/2, one float32 matrix product with the norms as extra columns. Results are nevertheless
those of exact float64 distances, and rows at equal distance share votes: see ``nearest_votes``.
"""

from __future__ import annotations

import numpy as np

from fslib.kernels.equal_rows import EqualRows
from fslib.kernels.nearest_votes import Points, Voter, rounding

#: Up to this many scores are kept at once, and then every pair of rows is multiplied only once.
_KEPT_SCORES = 1_500_000

#: Of more scores, this many are computed at a time and evaluated while still in the cache.
_BLOCK_SCORES = 800_000

#: Equal rows are scored once unless more than this share of the rows are distinct.
_DISTINCT_SHARE = 0.9

#: Below this share of distinct rows, scoring equal rows once is quicker than short lists, which
#: equal rows would fill.
_FEW_DISTINCT = 0.4

#: Length of a short list: the nearest rows on the present features, tried first when one is added.
_SHORTLIST = 64


class FoldedNeighbours:
    """The rows of a table sorted by fold; each row asks the rows of the other folds."""

    def __init__(self, X: np.ndarray, y: np.ndarray, fold_of: np.ndarray, k: int):
        order = np.argsort(fold_of, kind="stable")
        X, self.labels, self.k = X[order], y[order], k
        self.voter = Voter(X, self.labels, k)
        n = len(y)
        ends = np.cumsum(np.bincount(fold_of)).tolist()
        self.folds = list(zip([0, *ends[:-1]], ends, strict=True))
        self.training = [Points(np.delete(np.arange(n), slice(*fold)), None) for fold in self.folds]
        sizes = [len(points.members) for points in self.training]
        if min(sizes) < k:
            raise ValueError(f"{k} neighbours need as many training rows; y has {n} rows in all.")
        # Distances do not change by centring, but the rounding of products does.
        centred = (X - X.mean(axis=0)).T
        self.features = np.vstack([centred, np.ones((2, n))]).astype(np.float32)
        self.kept = self.block = None
        if sum(size * (n - size) for size in sizes) <= _KEPT_SCORES:
            self.kept = [np.empty((n - size, size), np.float32) for size in sizes]
        self.equal_rows = EqualRows(X, _DISTINCT_SHARE)

    def accuracies(self, subset: np.ndarray) -> np.ndarray:
        """Share of correctly classified rows of each fold."""
        left, right, squares = self._points(subset)
        group = self.equal_rows.groups(subset)
        if group is not None:
            blocks = self._of_distinct_rows(left, right, group)
        elif self.kept is not None:
            blocks = self._all_at_once(left, right)
        else:
            blocks = self._by_blocks(left, right)
        return self._shares(self._hits(blocks, squares, subset))

    def accuracies_plus_each(self, current: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        """Shares of correctly classified rows, per candidate and fold.

        Another feature only adds to distances. So if the k nearest of a row's short list are
        nearer, with it, than everyone off the list was without it, they are the k nearest.
        """
        length = max(_SHORTLIST, 2 * self.k)
        short = min(len(points.members) for points in self.training) <= length
        if short or not len(current) or self._few_distinct(current):
            return np.array([self.accuracies(np.union1d(current, c)) for c in candidates])
        members, values, bound = self._shortlists(current, length)
        poll = self.voter.poll(values.copy(), bound, len(current) + 1, members)
        X = np.ascontiguousarray(self.voter.X[:, candidates].T)
        starts = [first for first, _ in self.folds]
        hits = np.empty((len(candidates), len(starts)))
        for i, (candidate, x) in enumerate(zip(candidates, X, strict=True)):
            # Voters that do not differ from a row in the feature stay; a majority of them decides.
            staying = (poll.backing & (x[poll.voters] == x)).sum(axis=0)
            rows = np.flatnonzero(2 * staying <= self.k)
            lists, subset = members[rows], np.union1d(current, candidate)
            scores = x.take(lists)
            scores -= x[rows, None]
            scores *= scores
            np.subtract(values[rows], scores, out=scores)
            found, far = self.voter.classes_by_lists(scores, bound[rows], subset, rows, lists)
            if len(far):
                found[far] = self._classes(rows[far], subset)
            classes = poll.classes.copy()
            classes[rows] = found
            hits[i] = np.add.reduceat(classes == self.labels, starts, dtype=int)
        return self._shares(hits)

    def _points(self, subset: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Left and right factor of the scores, and the rows' squared lengths."""
        d = len(self.features) - 2
        left = self.features[np.append(subset, [d, d + 1])]
        squares = np.einsum("ij,ij->j", left[:-2], left[:-2])
        right = left.copy()
        left[-2] = right[-1] = -0.5 * squares
        return left, right, squares

    def _shares(self, hits: np.ndarray) -> np.ndarray:
        return hits / [last - first for first, last in self.folds]

    def _hits(self, blocks, squares, subset) -> np.ndarray:
        """Correctly classified rows of each fold, given blocks of scores."""
        hits = np.zeros(len(self.folds))
        for fold, rows, scores, points, of_class in blocks:
            predicted = self.voter.classes(scores, squares[rows], subset, rows, points)
            if of_class is None:
                hits[fold] += np.count_nonzero(predicted == self.labels[rows])
            else:
                hits[fold] += of_class[np.arange(len(rows)), predicted].sum()
        return hits

    def _classes(self, rows: np.ndarray, subset: np.ndarray) -> np.ndarray:
        """Classes of a few rows, all folds together."""
        left, right, squares = self._points(subset)
        points = Points(np.arange(len(self.labels)), None)
        predicted = []
        for part, scores in self._blocks(left, right, rows, points):
            for first, last in self.folds:
                top, end = np.searchsorted(part, [first, last])
                scores[top:end, first:last] = -np.inf
            predicted.append(self.voter.classes(scores, squares[part], subset, part, points))
        return np.concatenate(predicted)

    def _shortlists(self, current, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each row's nearest training rows, their -d^2, and a bound of -d^2 off the list."""
        n = len(self.labels)
        left, right, squares = self._points(current)
        members = np.empty((n, length), dtype=np.intp)
        bound = np.empty(n)
        for _, rows, scores, points, _ in self._by_blocks(left, right):
            nearest = np.argpartition(scores, -length - 1, axis=1)[:, -length - 1 :]
            members[rows] = points.members[nearest[:, 1:]]
            # The first entry of the partition is the nearest row off the list.
            off = scores[np.arange(len(rows)), nearest[:, 0]]
            bound[rows] = 2.0 * (off + rounding(squares[rows], off, len(current)))
        values = np.zeros((n, length))
        for x in np.ascontiguousarray(self.voter.X[:, current].T):
            values -= (x.take(members) - x[:, None]) ** 2
        return members, values, bound

    def _few_distinct(self, subset: np.ndarray) -> bool:
        """Whether counting equal rows once saves more than short lists."""
        group = self.equal_rows.groups(subset)
        return group is not None and group.max() < _FEW_DISTINCT * len(group)

    def _all_at_once(self, left, right):
        """Scores of every fold, each pair of folds multiplied once and copied across."""
        for f, (first, last) in enumerate(self.folds):
            for g, (start, stop) in enumerate(self.folds[:f]):
                # The training columns of fold g lack its own rows: later folds move up by as many.
                scores = self.kept[f][:, start:stop]
                np.matmul(left[:, first:last].T, right[:, start:stop], out=scores)
                shift = stop - start
                self.kept[g][:, first - shift : last - shift] = scores.T
        for f, (first, last) in enumerate(self.folds):
            yield f, np.arange(first, last), self.kept[f], self.training[f], None

    def _by_blocks(self, left, right):
        """Scores of some rows at a time, for tables too long to keep them all."""
        for f, (first, last) in enumerate(self.folds):
            points = self.training[f]
            for rows, scores in self._blocks(left, right, np.arange(first, last), points):
                yield f, rows, scores, points, None

    def _blocks(self, left, right, rows, points: Points):
        """Scores of a block of rows at a time, in memory that the next block uses again."""
        neighbours = right[:, points.members]
        width = neighbours.shape[1]
        height = max(16, _BLOCK_SCORES // width)
        if self.block is None or len(self.block) < height * width:
            self.block = np.empty(height * width, dtype=np.float32)
        for top in range(0, len(rows), height):
            part = rows[top : top + height]
            scores = self.block[: len(part) * width].reshape(len(part), width)
            np.matmul(left[:, part].T, neighbours, out=scores)
            yield part, scores

    def _of_distinct_rows(self, left, right, group):
        """Scores between distinct rows only; equal rows have equal neighbours and one place."""
        by_group = np.argsort(group, kind="stable")
        n_classes = self.voter.n_classes

        def by_class(point: np.ndarray, rows: np.ndarray) -> np.ndarray:
            """Rows of each class at each point."""
            places = point * n_classes + self.labels[rows]
            return np.bincount(places, minlength=(point[-1] + 1) * n_classes).reshape(-1, n_classes)

        for f, (first, last) in enumerate(self.folds):
            inside = (by_group >= first) & (by_group < last)
            train, test = by_group[~inside], by_group[inside]
            position = np.cumsum(np.diff(group[train], prepend=-1) > 0) - 1
            distinct = train[np.flatnonzero(np.diff(position, prepend=-1))]
            points = Points(distinct, by_class(position, train))
            position = np.cumsum(np.diff(group[test], prepend=-1) > 0) - 1
            rows = test[np.flatnonzero(np.diff(position, prepend=-1))]
            of_class = by_class(position, test)
            top = 0
            for part, scores in self._blocks(left, right, rows, points):
                yield f, part, scores, points, of_class[top : top + len(part)]
                top += len(part)
