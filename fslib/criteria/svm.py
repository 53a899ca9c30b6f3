"""Cross-validated accuracy of support vector machines, parameters chosen once on all features."""

from __future__ import annotations

from itertools import combinations, product

import numexpr
import numpy as np

from fslib.criteria.base import Criterion
from fslib.kernels.svm_dual import solve_gram

#: LIBSVM's default: accuracies equal SVC's but for decisions this close to 0.
TOLERANCE = 1e-3


class _SVMCriterion(Criterion):
    """Mean accuracy over the folds of one-against-one SVMs, as scikit-learn's ``SVC`` votes."""

    def __init__(self, X, y, fold_of, grids: dict):
        super().__init__(X, y, fold_of)
        self.held_out = [fold_of == fold for fold in range(self.n_folds)]
        settings = [dict(zip(grids, values, strict=True)) for values in product(*grids.values())]
        self.params = settings[0]
        if len(settings) > 1:
            everything = np.arange(X.shape[1])
            values = [self._value(everything, params) for params in settings]
            self.n_fits += self.n_folds * len(settings)
            self.params = settings[int(np.argmax(values))]

    def _value(self, subset: np.ndarray, params: dict | None = None) -> float:
        raise NotImplementedError

    def _accuracy(self, K: np.ndarray, C: float) -> float:
        """Mean accuracy over the folds for the kernel matrix of all rows."""
        shares = []
        for held_out in self.held_out:
            train, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
            predicted = _predict(K, self.y, train, test, C)
            shares.append(np.mean(predicted == self.y[test]))
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

    def _value(self, subset: np.ndarray, params: dict | None = None) -> float:
        Z = self.X[:, subset]
        return self._accuracy(Z @ Z.T, (params or self.params)["C"])


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
        super().__init__(X, y, fold_of, grids)

    def _value(self, subset: np.ndarray, params: dict | None = None) -> float:
        params = params or self.params
        Z = self.X[:, subset]
        squares = np.einsum("ij,ij->i", Z, Z)
        names = {"g": params["gamma"], "p": Z @ Z.T, "a": squares[:, None], "b": squares[None, :]}
        K = numexpr.evaluate("exp(g * (2 * p - a - b))", names)
        return self._accuracy(K, params["C"])


def _predict(K, y, train, test, C: float) -> np.ndarray:
    """Class codes by one-against-one votes; the lower class wins ties, as in LIBSVM."""
    classes = np.unique(y[train])
    votes = np.zeros((len(classes), len(test)), dtype=np.int64)
    for a, b in combinations(range(len(classes)), 2):
        rows = train[(y[train] == classes[a]) | (y[train] == classes[b])]
        signs = np.where(y[rows] == classes[b], 1.0, -1.0)
        gram = K[rows[:, None], rows]
        beta, bias = solve_gram(gram, signs, C, TOLERANCE)
        second = K[test[:, None], rows] @ beta + bias > 0
        votes[b] += second
        votes[a] += ~second
    return classes[votes.argmax(axis=0)]
