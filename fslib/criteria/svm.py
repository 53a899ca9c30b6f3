"""Cross-validated accuracy of support vector machines, parameters chosen once on all features."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from fslib.criteria.base import DISTINCT_SHARE, Criterion
from fslib.kernels.equal_rows import EqualRows
from fslib.kernels.svm.distinct import held_out_accuracies
from fslib.kernels.svm.dual import Solution, solve_gram
from fslib.kernels.svm.interior import solve_interior

#: Tolerance of the solvers, LIBSVM's default: predictions differ from those of ``SVC`` only where
#: the decision value is this close to 0.
TOLERANCE = 1e-3

#: Rows up to which LIBSVM is always used: it ends before the interior-point solver has formed its
#: first matrix.
_SMALL = 128


class _SVMCriterion(Criterion):
    """Mean accuracy over the folds of one-against-one SVMs, which vote as ``SVC``'s do.

    Rows are sorted by fold, so that a fold and its complement are slices. A criterion writes
    ``_kernel`` of some points, and ``_of_all_rows`` with a solver of its own for subsets on which
    most rows are distinct.
    """

    def __init__(self, X, y, fold_of, grids: dict):
        super().__init__(X, y, fold_of)
        by_fold = np.argsort(fold_of, kind="stable")
        self.features, self.labels = np.ascontiguousarray(X[by_fold].T), y[by_fold]
        self.sorted_folds = fold_of[by_fold]
        self.equal_rows = EqualRows(X[by_fold], DISTINCT_SHARE)
        self.n_classes = len(np.unique(y))
        ends = np.cumsum(np.bincount(fold_of)).tolist()
        self.held_out = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        settings = [dict(zip(grids, values, strict=True)) for values in product(*grids.values())]
        self.params = settings[0]
        if len(settings) > 1:
            self.params = max(settings, key=self._accuracy_on_everything)
            self.n_fits += self.n_folds * len(settings)

    def _accuracy_on_everything(self, params: dict) -> float:
        self.params = params
        return self._value(np.arange(self.X.shape[1]))

    def _value(self, subset: np.ndarray) -> float:
        group = self.equal_rows.groups(subset)
        n = len(self.labels)
        if group is None and self.n_classes > 2 and len(subset) * self.n_classes >= 2 * n:
            # A pair of classes has as many features as rows, on average: then one kernel of all
            # rows and one call of LIBSVM are cheaper than a solver of its own for every pair.
            group = self.equal_rows.groups(subset, share=1.0)
            group = np.arange(n) if group is None else group
        if group is None:
            return self._of_all_rows(self.features[subset])
        rows = np.unique(group, return_index=True)[1]
        kernel = self._kernel(self.features[subset[:, None], rows])
        shares = held_out_accuracies(
            kernel, group, self.labels, self.sorted_folds, self.params["C"], TOLERANCE
        )
        return float(shares.mean())

    def _kernel(self, features: np.ndarray) -> np.ndarray:
        """The kernel of all pairs of points; ``features`` has a row per feature."""
        raise NotImplementedError

    def _of_all_rows(self, features: np.ndarray) -> float:
        """J of the table's rows; ``features`` has a row per feature of the subset."""
        raise NotImplementedError

    def _mean_accuracy(self, decide, *tables) -> float:
        """Accuracy of votes between pairs of classes, averaged over the folds.

        Each of ``tables`` has one entry per fold. ``decide(rows, signs, *entries)`` trains an SVM
        for one pair of classes on ``rows``, indices among the fold's training rows, and returns for
        each held-out row whether the SVM votes for the second class.
        """
        shares = []
        for held_out, *of_fold in zip(self.held_out, *tables, strict=True):
            labels = np.delete(self.labels, held_out)
            classes = np.unique(labels)
            votes = np.zeros((len(classes), held_out.stop - held_out.start), dtype=np.int64)
            for a, b in combinations(range(len(classes)), 2):
                rows = slice(None)
                if len(classes) > 2:
                    rows = np.flatnonzero((labels == classes[a]) | (labels == classes[b]))
                signs = np.where(labels[rows] == classes[b], 1.0, -1.0)
                second = decide(rows, signs, *of_fold)
                votes[b] += second
                votes[a] += ~second
            shares.append(np.mean(classes[votes.argmax(axis=0)] == self.labels[held_out]))
        return float(np.mean(shares))


class LinearSVMCriterion(_SVMCriterion):
    """Accuracy of a linear SVM.

    Parameters
    ----------
    C : float or sequence of float
        Of several values the one with the best accuracy on all features is used, the first on
        ties.
    """

    def __init__(self, X, y, fold_of, C=(0.01, 0.1, 1.0, 10.0)):
        super().__init__(X, y, fold_of, {"C": np.atleast_1d(C).tolist()})

    def _kernel(self, features: np.ndarray) -> np.ndarray:
        # LIBSVM keeps the kernel in single precision, which a common shift would waste.
        centred = features - features.mean(axis=1, keepdims=True)
        return centred.T @ centred

    def _of_all_rows(self, features: np.ndarray) -> float:
        train = [np.delete(features, rows, axis=1) for rows in self.held_out]
        test = [features[:, rows] for rows in self.held_out]
        return self._mean_accuracy(self._decide, train, test)

    def _decide(self, rows, signs, train, test) -> np.ndarray:
        train = train[:, rows]
        mean = train.mean(axis=1, keepdims=True)
        train = train - mean
        beta, bias, _ = _solve_linear(train, signs, self.params["C"])
        return (train @ beta) @ (test - mean) + bias >= 0


class RBFSVMCriterion(_SVMCriterion):
    """Accuracy of an SVM with kernel exp(-gamma |x - x'|^2).

    Parameters
    ----------
    C, gamma : float or sequence of float
        Of several values the pair with the best accuracy on all features is used, the first on
        ties. By default gamma is chosen around 1 / (d var(X)).
    """

    def __init__(self, X, y, fold_of, C=(1.0, 10.0, 100.0), gamma=None):
        if gamma is None:
            spread = X.var() * X.shape[1]
            gamma = np.array([0.25, 1.0, 4.0]) / (spread if spread > 0 else 1.0)
        grids = {"C": np.atleast_1d(C).tolist(), "gamma": np.atleast_1d(gamma).tolist()}
        # float32 is four digits finer than the solver's tolerance, and exp is faster in float32.
        # Centred columns keep inner products as small as the distances that are made from them.
        X = np.asarray(X, dtype=np.float64)
        super().__init__((X - X.mean(axis=0)).astype(np.float32), y, fold_of, grids)

    def _kernel(self, features: np.ndarray) -> np.ndarray:
        K = features.T @ features
        half_squares = 0.5 * np.einsum("ij,ij->j", features, features)
        K -= half_squares
        K -= half_squares[:, None]
        K *= np.float32(2.0 * self.params["gamma"])
        np.minimum(K, 0.0, out=K)
        return np.exp(K, out=K)

    def _of_all_rows(self, features: np.ndarray) -> float:
        K = self._kernel(features)
        cross = [np.delete(K[rows], rows, axis=1) for rows in self.held_out]
        grams = [np.delete(np.delete(K, rows, axis=0), rows, axis=1) for rows in self.held_out]
        return self._mean_accuracy(self._decide, grams, cross)

    def _decide(self, rows, signs, gram, cross) -> np.ndarray:
        if isinstance(rows, np.ndarray):
            gram, cross = gram[rows[:, None], rows], cross[:, rows]
        beta, bias, _ = solve_gram(gram.astype(np.float64), signs, self.params["C"], TOLERANCE)
        return cross @ beta + bias >= 0


def _solve_linear(features: np.ndarray, signs: np.ndarray, C: float) -> Solution:
    """Solve the dual of a linear SVM; ``features`` has a row per centred feature.

    Which solver is tried first depends on the shape alone, so that a subset always has the same J.
    """
    n_features, n = features.shape
    solution = solve_interior(features, signs, C) if n > _SMALL and n_features < n else None
    if solution is None:
        solution = solve_gram(features.T @ features, signs, C, TOLERANCE)
    return solution
