"""Cross-validation of SVMs on distinct rows, each of which stands for all rows equal to it.

Equal rows of one class share one coefficient, whose bound is as many times C: the solution is that
of all rows. LIBSVM trains the machines of all pairs of classes in one call per fold.
"""

from __future__ import annotations

import numpy as np

from fslib.kernels.svm.dual import Machines, solve_classes


def held_out_accuracies(
    gram: np.ndarray, group: np.ndarray, y: np.ndarray, fold_of: np.ndarray, C: float, tol: float
) -> np.ndarray:
    """Share of each fold's rows that the SVMs trained on the other folds classify correctly.

    ``gram`` is the kernel of distinct rows; ``group`` says which of them each row equals.
    """
    n_folds = fold_of.max() + 1
    kinds, kind_of = np.unique(y * len(gram) + group, return_inverse=True)
    labels, points = np.divmod(kinds, len(gram))
    counts = np.zeros((n_folds, len(kinds)))
    np.add.at(counts, (fold_of, kind_of), 1.0)
    correct = np.zeros(n_folds)
    for fold, held_out in enumerate(counts):
        trained = counts.sum(axis=0) - held_out
        train, test = np.flatnonzero(trained), np.flatnonzero(held_out)
        asked, place = np.unique(points[test], return_inverse=True)
        classes, codes = np.unique(labels[train], return_inverse=True)
        predicted = np.full(len(asked), classes[0])
        if len(classes) > 1:
            rows = points[train]
            square = np.ascontiguousarray(gram[rows[:, None], rows], dtype=np.float64)
            machines = solve_classes(square, codes, C, tol, trained[train])
            cross = gram[asked[:, None], rows[machines.support]]
            predicted = classes[_votes(machines, cross).argmax(axis=0)]
        correct[fold] = held_out[test] @ (predicted[place] == labels[test])
    return correct / counts.sum(axis=1)


def _votes(machines: Machines, cross: np.ndarray) -> np.ndarray:
    """Votes for every class, one column per row of ``cross``, its kernel with the support rows."""
    n_classes, ends = len(machines.n_support), np.cumsum(machines.n_support)
    # What the rows of one class add to the decisions of its machines against all the others.
    shares = [
        machines.coefficients[:, start:end] @ cross[:, start:end].T
        for start, end in zip([0, *ends[:-1]], ends, strict=True)
    ]
    votes = np.zeros((n_classes, len(cross)), dtype=np.intp)
    first = 0
    for a in range(n_classes - 1):
        biases = machines.biases[first : first + n_classes - 1 - a]
        # Among the others, class a comes at place a for every class after it.
        decisions = shares[a][a:] + [share[a] for share in shares[a + 1 :]] + biases[:, None]
        for_a = decisions > 0
        votes[a] += for_a.sum(axis=0)
        votes[a + 1 :] += ~for_a
        first += len(biases)
    return votes
