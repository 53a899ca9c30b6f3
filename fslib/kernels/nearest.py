"""Accuracy of the k-nearest-neighbour rule on feature subsets, at the speed of float32.

A row's nearest neighbours are those of the largest score -d_ij^2/2 = x_i·x_j - |x_i|^2/2 -
|x_j|^2/2, one float32 matrix product with the norms as extra columns. Results are nevertheless
those of exact float64 distances, with ties to the lower row index: see ``nearest_votes``.
"""

from __future__ import annotations

import numpy as np

from fslib.kernels.nearest_votes import Points, Shortlists, Voter

#: Up to this many scores are kept at once, and then every pair of rows is multiplied only once.
_KEPT_SCORES = 1_500_000

#: Beyond that, this many are computed at a time and passed over while still in the cache.
_BLOCK_SCORES = 800_000

#: Equal rows count once unless more than this share of the rows are distinct.
_DISTINCT_SHARE = 0.9

#: Neighbours on the present features that are tried first when one more is added.
_SHORTLIST = 64


class FoldedNeighbours:
    """The rows of a table sorted by fold; each row asks the rows of the other folds."""

    def __init__(self, X: np.ndarray, y: np.ndarray, fold_of: np.ndarray, k: int):
        self.order = np.argsort(fold_of, kind="stable")
        X, self.labels, self.k = X[self.order], y[self.order], k
        self.voter = Voter(X, self.labels, self.order, k)
        n = len(y)
        ends = np.cumsum(np.bincount(fold_of)).tolist()
        self.folds = list(zip([0, *ends[:-1]], ends, strict=True))
        self.training = [
            Points(np.delete(np.arange(n), slice(*fold))[:, None], None) for fold in self.folds
        ]
        sizes = [len(points.members) for points in self.training]
        if min(sizes) < k:
            raise ValueError(f"{k} neighbours need as many training rows; y has {n} rows in all.")
        # Distances do not change by centring, but the rounding of products does.
        centred = (X - X.mean(axis=0)).T
        self.features = np.vstack([centred, np.ones((2, n))]).astype(np.float32)
        self.kept = self.block = None
        if sum(size * (n - size) for size in sizes) <= _KEPT_SCORES:
            self.kept = [np.empty((n - size, size), np.float32) for size in sizes]
        self.keys, self.n_distinct = _keys(X)

    def accuracies(self, subset: np.ndarray) -> np.ndarray:
        """Share of correctly classified rows of each fold."""
        everyone = np.ones(len(self.labels), dtype=bool)
        return self._shares(self._hits(*self._points(subset), subset, everyone))

    def accuracies_plus_each(self, current: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        """Shares of correctly classified rows, per candidate and fold.

        Another feature only adds to distances. So if the k nearest of a row's short list are
        nearer, with it, than everyone off the list was without it, they are the k nearest.
        """
        length = max(_SHORTLIST, 2 * self.k)
        short = min(len(points.members) for points in self.training) <= length
        if short or not len(current) or self._groups(current) is not None:
            # Nothing to gain, or equal rows would fill the lists.
            return np.array([self.accuracies(np.union1d(current, c)) for c in candidates])
        left, right, squares = self._points(current)
        lists, values, bound = self._shortlists(left, right, length)
        rows = np.arange(len(self.labels))
        hits = np.zeros((len(candidates), len(self.folds)))
        for i, candidate in enumerate(candidates):
            x = self.features[candidate]
            scores = x[lists.members]
            scores -= x[:, None]
            scores *= scores
            scores *= -0.5
            scores += values
            subset = np.union1d(current, candidate)
            votes, open_ended = self.voter.votes(
                scores, squares + x * x, subset, rows, lists, bound
            )
            right_class = (votes.argmax(axis=1) == self.labels) & ~open_ended
            hits[i] = np.add.reduceat(right_class, [first for first, _ in self.folds], dtype=int)
            if open_ended.any():
                hits[i] += self._hits(*self._points(subset), subset, open_ended)
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

    def _hits(self, left, right, squares, subset, wanted: np.ndarray) -> np.ndarray:
        """Correctly classified rows of each fold among those wanted."""
        group = self._groups(subset)
        if group is not None:
            blocks = self._of_distinct_rows(left, right, group, wanted)
        elif self.kept is not None and wanted.all():
            blocks = self._all_at_once(left, right)
        else:
            blocks = self._by_blocks(left, right, wanted)
        hits = np.zeros(len(self.folds))
        for fold, rows, scores, points, of_class in blocks:
            votes, _ = self.voter.votes(scores, squares[rows], subset, rows, points)
            predicted = votes.argmax(axis=1)
            if of_class is None:
                hits[fold] += np.count_nonzero(predicted == self.labels[rows])
            else:
                hits[fold] += of_class[np.arange(len(rows)), predicted].sum()
        return hits

    def _shortlists(self, left, right, length: int) -> tuple[Shortlists, np.ndarray, np.ndarray]:
        """Each row's nearest training rows, their scores, and the best score off the list."""
        n = len(self.labels)
        members = np.empty((n, length), dtype=np.intp)
        values = np.empty((n, length), dtype=np.float32)
        bound = np.empty(n, dtype=np.float32)
        for _, rows, scores, points, _ in self._by_blocks(left, right, np.ones(n, dtype=bool)):
            nearest = np.argpartition(scores, -length - 1, axis=1)[:, -length - 1 :]
            best = np.take_along_axis(scores, nearest, axis=1)
            bound[rows] = best[:, 0]  # the partition puts the (length + 1)-th there
            members[rows] = points.members[nearest[:, 1:], 0]
            values[rows] = best[:, 1:]
        return Shortlists(members), values, bound

    def _groups(self, subset: np.ndarray) -> np.ndarray | None:
        """A group number per row, the same for equal rows; None if nearly all rows differ."""
        enough = _DISTINCT_SHARE * len(self.labels)
        if self.n_distinct[subset].max() > enough:
            return None
        distinct, group = np.unique(self.keys[subset].sum(axis=0), return_inverse=True)
        return group if len(distinct) <= enough else None

    def _all_at_once(self, left, right):
        """Scores of every fold, each pair of folds multiplied once and copied across."""
        for f, (first, last) in enumerate(self.folds):
            for g, (start, stop) in enumerate(self.folds[:f]):
                # Training columns lack the fold itself: later folds move up by its length.
                scores = self.kept[f][:, start:stop]
                np.matmul(left[:, first:last].T, right[:, start:stop], out=scores)
                shift = stop - start
                self.kept[g][:, first - shift : last - shift] = scores.T
        for f, (first, last) in enumerate(self.folds):
            yield f, np.arange(first, last), self.kept[f], self.training[f], None

    def _by_blocks(self, left, right, wanted):
        """Scores of some rows at a time, for tables too long to keep them all."""
        for f, (first, last) in enumerate(self.folds):
            points = self.training[f]
            asking = first + np.flatnonzero(wanted[first:last])
            for rows, scores in self._blocks(left, right, asking, points):
                yield f, rows, scores, points, None

    def _blocks(self, left, right, rows, points: Points):
        """Scores of a block of rows at a time, in memory that the next block uses again."""
        neighbours = right[:, points.members[:, 0]]
        width = neighbours.shape[1]
        height = max(16, _BLOCK_SCORES // width)
        if self.block is None or len(self.block) < height * width:
            self.block = np.empty(height * width, dtype=np.float32)
        for top in range(0, len(rows), height):
            part = rows[top : top + height]
            scores = self.block[: len(part) * width].reshape(len(part), width)
            np.matmul(left[:, part].T, neighbours, out=scores)
            yield part, scores

    def _of_distinct_rows(self, left, right, group, wanted):
        """Scores between distinct rows only; equal rows have equal neighbours and one place."""
        by_group = np.lexsort((self.order, group))
        n_classes = self.voter.n_classes
        for f, (first, last) in enumerate(self.folds):
            inside = (by_group >= first) & (by_group < last)
            train, test = by_group[~inside], by_group[inside & wanted[by_group]]
            starts = np.flatnonzero(np.diff(group[train], prepend=-1))
            sizes = np.minimum(np.diff(starts, append=len(train)), self.k)
            within = np.minimum(starts[:, None] + np.arange(self.k), len(train) - 1)
            points = Points(train[within], sizes)
            position = np.cumsum(np.diff(group[test], prepend=-1) > 0) - 1
            rows = test[np.flatnonzero(np.diff(position, prepend=-1))]
            of_class = np.bincount(
                position * n_classes + self.labels[test], minlength=len(rows) * n_classes
            ).reshape(len(rows), n_classes)
            top = 0
            for part, scores in self._blocks(left, right, rows, points):
                yield f, part, scores, points, of_class[top : top + len(part)]
                top += len(part)


def _keys(X: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """A random code per column and value, and the number of distinct values of each column.

    Rows are equal on a subset of columns if the sums of their codes are; 64 random bits make
    anything else as good as impossible. No codes are needed where no column repeats its values.
    """
    ranks, n_distinct = np.empty(X.T.shape, dtype=np.uint64), np.empty(X.shape[1], dtype=np.intp)
    for column, values in enumerate(X.T):
        distinct, ranks[column] = np.unique(values, return_inverse=True)
        n_distinct[column] = len(distinct)
    if (n_distinct > _DISTINCT_SHARE * len(X)).all():
        return None, n_distinct
    multipliers = np.random.default_rng(0).integers(2**64, size=X.shape[1], dtype=np.uint64) | 1
    ranks *= multipliers[:, None]
    return ranks, n_distinct
