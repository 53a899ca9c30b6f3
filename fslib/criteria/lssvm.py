"""Cross-validated error of least-squares SVMs for two classes."""

from __future__ import annotations

import numpy as np

from fslib.criteria.base import DISTINCT_SHARE, Criterion
from fslib.kernels.equal_rows import distinct_rows
from fslib.kernels.lssvm import (
    left_out_residuals,
    rbf_factor,
    rbf_kernel,
    residuals_of_each_change,
)

#: Grids of Abe (2014), section 4.1, from which gamma and C are chosen on all features.
GAMMAS = (0.001, 0.01, 0.5, 1.0, 5.0, 10.0, 15.0, 20.0, 50.0, 100.0)
CS = (1.0, 10.0, 50.0, 100.0, 500.0, 1000.0, 2000.0)


class LSSVMCriterion(Criterion):
    r"""Negative left-out error of an LS-SVM with labels +1 (first class) and -1.

    ``error="mae"``: :math:`E = \frac1M\sum_i |y_i - f(x_i)|`.
    ``error="mm"``: the rate of :math:`y_i f(x_i) < 0` plus 1/M times the mean margin error
    :math:`\frac1M\sum_i \max(0, 1 - y_i f(x_i))`.
    ``error="rate"``: the rate alone, which ties often.
    Sums run over all M rows, each predicted by the model trained without its fold.

    Parameters
    ----------
    kernel : "linear" or "rbf"
        ``rbf`` is exp(-gamma |x - x'|^2 / m) with m the size of the subset.
    C, gamma : float or None
        None takes C = 1 for the linear kernel, and for the RBF kernel the pair of ``GAMMAS`` and
        ``CS`` with the least error on all features.
    """

    def __init__(self, X, y, fold_of, error="mae", kernel="linear", C=None, gamma=None):
        if y.max() > 1:
            raise ValueError(f"An LS-SVM criterion compares two classes; y has {y.max() + 1}.")
        if error not in _ERRORS:
            raise ValueError(f"error must be one of {sorted(_ERRORS)}, got {error!r}.")
        if kernel not in ("linear", "rbf"):
            raise ValueError(f"kernel must be 'linear' or 'rbf', got {kernel!r}.")
        super().__init__(X, y, fold_of)
        rows, self.counts = _rows_by_fold(X, y, fold_of)
        self.Z = X[rows]
        self.target = np.where(y[rows] == 0, 1.0, -1.0)
        self.starts = np.flatnonzero(np.diff(fold_of[rows], prepend=-1))
        self.error, self.kernel = _ERRORS[error], kernel
        self.C, self.gamma = C, gamma
        if kernel == "linear":
            self.C = 1.0 if C is None else C
        elif C is None or gamma is None:
            self.C, self.gamma = self._choose(C, gamma)

    def _choose(self, C, gamma) -> tuple[float, float]:
        """The C and gamma of least error on all features; the first of the grid on ties."""
        distances = self._distances(np.arange(self.X.shape[1]))
        grid = [
            (c, g)
            for g in (GAMMAS if gamma is None else [gamma])
            for c in (CS if C is None else [C])
        ]
        errors = [self._error_of(rbf_kernel(distances, g, self.X.shape[1]), c)[0] for c, g in grid]
        self.n_fits += self.n_folds * len(grid)
        return grid[int(np.argmin(errors))]

    def error_rate(self, subset: np.ndarray) -> float:
        """Share of rows that the model trained without their fold puts in the wrong class."""
        C = self._bounds(self.C)
        residuals = left_out_residuals(self._kernel(subset), self.target, C, self.starts)
        return float(np.average(residuals * self.target > 1.0, weights=self.counts))

    def _error_of(self, K: np.ndarray, C: float) -> np.ndarray:
        residuals = left_out_residuals(K, self.target, self._bounds(C), self.starts)
        return self.error(residuals[:, None], self.target, self.counts)

    def _bounds(self, C: float) -> float | np.ndarray:
        """C of each row: a row that stands for several has as many times C."""
        return C if self.counts is None else C * self.counts

    def _distances(self, subset: np.ndarray) -> np.ndarray:
        """Squared Euclidean distances over the subset's columns, exactly 0 for equal rows."""
        Z = self.Z[:, subset] - self.Z[:, subset].mean(axis=0)
        squares = np.einsum("ij,ij->i", Z, Z)
        distances = squares[:, None] + squares[None, :] - 2.0 * (Z @ Z.T)
        np.maximum(distances, 0.0, out=distances)
        np.fill_diagonal(distances, 0.0)
        return distances

    def _gram(self, subset: np.ndarray) -> np.ndarray:
        Z = self.Z[:, subset]
        return Z @ Z.T

    def _kernel(self, subset: np.ndarray) -> np.ndarray:
        if self.kernel == "linear":
            return self._gram(subset)
        return rbf_kernel(self._distances(subset), self.gamma, len(subset))

    def _value(self, subset: np.ndarray) -> float:
        return -float(self._error_of(self._kernel(subset), self.C)[0])

    def _plus_each(self, current: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        return self._after_each(current, candidates, +1)

    def _minus_each(self, current: np.ndarray) -> np.ndarray:
        return self._after_each(current, current, -1)

    def _after_each(self, current, changed, sign: int) -> np.ndarray:
        values = np.empty(len(changed))
        if self.kernel == "linear":
            changes = residuals_of_each_change(
                self._gram(current),
                self.target,
                self._bounds(self.C),
                self.starts,
                self.Z[:, changed],
                sign,
            )
            for columns, residuals in changes:
                values[columns] = -self.error(residuals, self.target, self.counts)
            return values
        size = max(len(current) + sign, 1)
        K = rbf_kernel(self._distances(current), self.gamma, size)
        for i, column in enumerate(changed):
            factor = rbf_factor(self.Z[:, column], sign * self.gamma / size)
            factor *= K
            values[i] = -self._error_of(factor, self.C)[0]
        return values


def _rows_by_fold(X, y, fold_of) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows sorted by fold, and how many rows each stands for; None if each is one.

    Rows of one fold and class that are equal on all columns are one where that spares half of them.
    """
    rows, _, counts = distinct_rows(np.column_stack([fold_of, y, X]))
    if len(rows) > DISTINCT_SHARE * len(X):
        return np.argsort(fold_of, kind="stable"), None
    by_fold = np.argsort(fold_of[rows], kind="stable")
    return rows[by_fold], counts[by_fold].astype(np.float64)


def _mean_absolute(residuals: np.ndarray, target: np.ndarray, counts) -> np.ndarray:
    return np.average(np.abs(residuals), axis=0, weights=counts)


def _rate_and_margin(residuals: np.ndarray, target: np.ndarray, counts) -> np.ndarray:
    # y f(x) = 1 - y r for labels +1 and -1.
    shortfall = residuals * target[:, None]
    margin = np.average(np.maximum(shortfall, 0.0), axis=0, weights=counts)
    n = len(target) if counts is None else counts.sum()
    return np.average(shortfall > 1.0, axis=0, weights=counts) + margin / n


def _rate(residuals: np.ndarray, target: np.ndarray, counts) -> np.ndarray:
    return np.average(residuals * target[:, None] > 1.0, axis=0, weights=counts)


_ERRORS = {"mae": _mean_absolute, "mm": _rate_and_margin, "rate": _rate}
