"""Nearest neighbours for every number of features."""

from __future__ import annotations

import numpy as np

from fslib.evaluate.decisions import Decisions
from fslib.run import threads

#: Test rows per block, and the distances of a block that a core's second cache holds at least in
#: part: memory does not grow with the number of test rows.
_ROWS, _FEWEST_ROWS = 100, 4
_CACHED = 1 << 18
#: Distances per block of sizes: about as many as a core's cache holds.
_DISTANCES = 1 << 15


def nearest_curve(n_neighbours: int, X_train, y_train, X_test, sizes) -> Decisions:
    """Votes of the nearest training rows: a line per size.

    Equal votes go to the lower class. Training rows as far away as the last neighbour share the
    votes that nearer rows leave, so that no order of the rows changes a prediction. Squared
    distances are summed feature by feature, in the same order for every size.
    """
    train = np.ascontiguousarray(X_train.T)
    classes, codes = np.unique(y_train, return_inverse=True)
    height = min(max(_CACHED // len(X_train), _FEWEST_ROWS), _ROWS)

    def of_block(first: int) -> np.ndarray:
        test = np.ascontiguousarray(X_test[first : first + height].T)
        votes = _votes(n_neighbours, train, codes, len(classes), test, sizes)
        return votes.astype(np.int32)

    blocks = threads.each(of_block, range(0, len(X_test), height))
    return Decisions.by_votes(np.concatenate(list(blocks), axis=2), classes)


def _votes(n_neighbours: int, train, codes, n_classes: int, test, sizes) -> np.ndarray:
    """Votes by class for one block of test rows; ``train`` and ``test`` have a row per feature."""
    n_test, n_train = test.shape[1], train.shape[1]
    n_neighbours = min(n_neighbours, n_train)
    votes = np.zeros((n_classes, len(sizes) * n_test), dtype=np.intp)
    block = max(1, _DISTANCES // (n_test * n_train))
    scratch = np.empty((block, n_test, n_train))
    squares = np.empty((n_test, n_train))
    left, right = np.full((n_test, 2), -1.0), np.ones((2, n_train))
    distances, reached = np.zeros((n_test, n_train)), 0
    for start in range(0, len(sizes), block):
        lines = sizes[start : start + block]
        for grown, k in zip(scratch, lines, strict=False):
            for j in range(reached, k):
                # Differences test - train as a product of matrices of rank 2: as exact as
                # broadcasting, in a third of the time.
                left[:, 0], right[1] = test[j], train[j]
                np.dot(left, right, out=squares)
                squares *= squares
                distances = np.add(distances, squares, out=grown)
            reached = k
        rows = scratch[: len(lines)].reshape(-1, n_train)
        places = np.arange(len(rows))
        row_start, flat, taken = places * n_train, rows.reshape(-1), []
        of_block = votes[:, start * n_test : start * n_test + len(rows)]
        for _ in range(n_neighbours):
            closest = rows.argmin(axis=1)
            of_block[codes.take(closest), places] += 1
            closest += row_start
            taken.append((closest, flat.take(closest)))
            flat.put(closest, np.inf)
        last = taken[-1][1]
        tied = np.flatnonzero(rows.min(axis=1) == last) if n_neighbours < n_train else places[:0]
        for closest, distance in taken:  # put back: the next block of sizes adds to them
            flat.put(closest, distance)
        if len(tied):
            of_block[:, tied] = _shared(rows[tied], last[tied], codes, n_classes, n_neighbours)
    return votes.reshape(n_classes, len(sizes), n_test)


def _shared(distances, last, codes, n_classes: int, n_neighbours: int) -> np.ndarray:
    """Votes by class, for test rows with ties at the distance of the last neighbour.

    Training rows at that distance (``last``) share the votes that nearer rows leave. All votes are
    multiplied by the number of sharing rows, so that they are whole numbers.
    """
    nearer, as_far = distances < last[:, None], distances == last[:, None]
    left = n_neighbours - nearer.sum(axis=1)
    sharing = as_far.sum(axis=1)
    of_class = [codes == c for c in range(n_classes)]
    return np.stack(
        [
            nearer[:, own].sum(axis=1) * sharing + as_far[:, own].sum(axis=1) * left
            for own in of_class
        ]
    )
