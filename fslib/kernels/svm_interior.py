"""An interior-point solver of the linear SVM's dual, for many more rows than features."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from fslib.kernels.svm_dual import Solution

_MAX_ITERATIONS = 60
#: The duality gap, relative to the objective, at which the iteration ends.
_GAP = 1e-10
#: The gap that will do where rounding keeps the iteration from going on.
_GAP_ENOUGH = 1e-8
#: Rows that add less than this to the normal matrix's unit diagonal are left out of it.
_NEGLIGIBLE = 1e-3
#: While the relative gap is above this, a normal matrix in single precision does.
_SINGLE = 1e-2
#: The share of the way to the boundary that a step may go.
_DAMPING = 0.995


def solve_interior(features: np.ndarray, signs: np.ndarray, C: float) -> Solution | None:
    r"""Mehrotra's predictor-corrector on the dual, or None where it cannot certify its answer.

    With multipliers z of α ≥ 0 and v of α ≤ C, each Newton step eliminates everything but the
    weights and the bias,

        (I + XᵀDX) Δw + XᵀD1 Δb = XᵀD r + …,      D = (z/α + v/(C − α))⁻¹,

    a system of λ + 1 unknowns that costs n λ² to form. Coefficients that settle at a bound have
    a vanishing D; their rows are left out of the matrix (never out of the residuals), so that late
    iterations pay for the free rows only. Solving for the weights first, and for α from them,
    avoids the cancellation of the textbook inverse D − DX(I + XᵀDX)⁻¹XᵀD.

    Parameters
    ----------
    features : array of shape (n_features, n_rows), centred.
    signs : labels ±1.
    C : upper bound of the coefficients.
    """
    point = _Point(features, signs, C)
    enough = None
    for _ in range(_MAX_ITERATIONS):
        point.measure()
        if point.certified(_GAP_ENOUGH):
            enough = Solution(signs * point.alpha, float(point.weights[-1]))
            if point.certified(_GAP):
                return enough
        if not point.factorise():
            return enough
        _, d_alpha, d_lower, d_upper = point.direction(0.0, 0.0)
        gap = point.gap_after(d_alpha, d_lower, d_upper)
        centre = point.gap / (2 * len(signs)) * (gap / point.gap) ** 3
        point.move(*point.direction(centre - d_alpha * d_lower, centre + d_alpha * d_upper))
    return enough


class _Point:
    """An interior point (w, b, α, z, v) and the linear algebra around it."""

    def __init__(self, features: np.ndarray, signs: np.ndarray, C: float):
        n_features, n = features.shape
        self.signs, self.C = signs, C
        # The bias is one more feature, without a share in the regularisation.
        self.rows = np.vstack([features, np.ones(n)])
        self.single = self.rows.astype(np.float32)
        self.norms = np.einsum("ij,ij->j", self.single, self.single)
        self.ridge = np.ones(n_features + 1)
        self.ridge[-1] = 0.0
        # Start inside the box with Σβ = 0: the smaller class at C/2.
        positive = int((signs > 0).sum())
        smaller = min(positive, n - positive)
        self.alpha = 0.5 * C * smaller / np.where(signs > 0, positive, n - positive)
        # Followed on its own: C − α would round to zero near the bound.
        self.slack = C - self.alpha
        self.weights = np.zeros(n_features + 1)
        self.lower, self.upper = np.ones(n), np.ones(n)

    def measure(self) -> None:
        """Residuals of w = Σβx, Σβ = 0 and y(w·x + b) − 1 − z + v = 0, and the duality gap."""
        margins = self.signs * (self.weights @ self.rows)
        self.primal = self.rows @ (self.signs * self.alpha) - self.ridge * self.weights
        self.dual = 1.0 - margins + self.lower - self.upper
        self.gap = self.alpha @ self.lower + self.slack @ self.upper
        hinge = np.maximum(1.0 - margins, 0.0).sum()
        self.objective = 0.5 * self.weights[:-1] @ self.weights[:-1] + self.C * hinge

    def certified(self, gap: float) -> bool:
        feasible = np.abs(self.primal).max() <= 1e-9 * self.C * len(self.signs)
        feasible = feasible and np.abs(self.dual).max() <= 1e-9
        return bool(feasible and self.gap <= gap * self.objective)

    def factorise(self) -> bool:
        self.d = 1.0 / (self.lower / self.alpha + self.upper / self.slack)
        kept = self.d * self.norms > _NEGLIGIBLE
        rows = self.single if self.gap > _SINGLE * self.objective else self.rows
        part = rows if kept.all() else rows[:, kept]
        part = part * np.sqrt(self.d[kept]).astype(part.dtype)
        matrix = (part @ part.T).astype(np.float64, copy=False)
        matrix.flat[:: len(matrix) + 1] += self.ridge
        self.factor, info = dpotrf(matrix.T, lower=1, overwrite_a=1)
        return info == 0

    def direction(self, lower_target, upper_target) -> tuple[np.ndarray, ...]:
        """The Newton step towards α·z = lower_target and (C − α)·v = upper_target."""
        towards_lower = lower_target / self.alpha - self.lower
        towards_upper = upper_target / self.slack - self.upper
        right = self.dual + towards_lower - towards_upper
        step = self.rows @ (self.signs * self.d * right) + self.primal
        step, _ = dpotrs(self.factor, step, lower=1, overwrite_b=1)
        d_alpha = self.d * (right - self.signs * (step @ self.rows))
        d_lower = towards_lower - self.lower / self.alpha * d_alpha
        d_upper = towards_upper + self.upper / self.slack * d_alpha
        return step, d_alpha, d_lower, d_upper

    def gap_after(self, d_alpha, d_lower, d_upper) -> float:
        reach = self._reach(d_alpha, d_lower, d_upper)
        return (self.alpha + reach * d_alpha) @ (self.lower + reach * d_lower) + (
            self.slack - reach * d_alpha
        ) @ (self.upper + reach * d_upper)

    def move(self, step, d_alpha, d_lower, d_upper) -> None:
        reach = self._reach(d_alpha, d_lower, d_upper)
        self.weights += reach * step
        self.alpha += reach * d_alpha
        self.slack -= reach * d_alpha
        self.lower += reach * d_lower
        self.upper += reach * d_upper

    def _reach(self, d_alpha, d_lower, d_upper) -> float:
        """The longest damped step, at most 1, that keeps everything positive."""
        steepest = max(
            (-d_alpha / self.alpha).max(),
            (d_alpha / self.slack).max(),
            (-d_lower / self.lower).max(),
            (-d_upper / self.upper).max(),
        )
        return 1.0 if steepest <= _DAMPING else _DAMPING / steepest
