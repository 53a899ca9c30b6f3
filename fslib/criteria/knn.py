"""Cross-validated accuracy of the k-nearest-neighbour rule."""

from __future__ import annotations

import numpy as np

from fslib.criteria.base import Criterion
from fslib.kernels.nearest import FoldedNeighbours


class KNNCriterion(Criterion):
    """Mean accuracy over the folds of the majority vote of the k nearest rows.

    Distances are Euclidean. Training rows as far away as the last neighbour share the votes that
    nearer rows leave, as in the classifiers `knn1` and `knn3`, so that no order of the rows within
    folds changes a value. Equal votes go to the lower class.
    """

    def __init__(self, X, y, fold_of, k):
        super().__init__(X, y, fold_of)
        self.neighbours = FoldedNeighbours(X, y, fold_of, k)

    def _value(self, subset: np.ndarray) -> float:
        return float(self.neighbours.accuracies(subset).mean())

    def _plus_each(self, current: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        return self.neighbours.accuracies_plus_each(current, candidates).mean(axis=1)
