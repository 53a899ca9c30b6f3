"""An interior-point solver of the linear SVM's dual."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from fslib.kernels.svm.dual import Solution

_MAX_ITERATIONS = 60
#: The duality gap, relative to the objective, at which the iteration ends.
_GAP = 1e-10
#: The gap of an answer that is accepted where rounding ends the iteration early.
_GAP_ENOUGH = 1e-8
#: The largest residual of a certified answer, in units of the margin and of the bounds.
_FEASIBLE = 1e-9
#: The share of the way to the boundary that a step may go.
_DAMPING = 0.995
#: The relative gap down to which single precision is enough for the normal matrix.
_SINGLE = 1e-3
#: A row is settled if its term in the normal matrix, whose diagonal is at least 1, is smaller than
#: the first number over the relative gap and than the second.
_SETTLED, _SETTLED_MOST = 0.1, 0.5
#: Settled rows are taken out when they are at least this share of the rows still in.
_WORTH_TAKING_OUT = 0.3
#: With fewer rows than this, smaller matrices are not quicker.
_FEW_ROWS = 64


def solve_interior(
    features: np.ndarray, signs: np.ndarray, bounds: float | np.ndarray
) -> Solution | None:
    r"""Mehrotra's predictor-corrector on the dual, or None where it cannot certify its answer.

    With multipliers z of α ≥ 0 and v of α ≤ C, each Newton step eliminates everything but the
    weights and the bias,

        (I + XᵀDX) Δw + XᵀD1 Δb = XᵀD r + …,      D = (z/α + v/(C − α))⁻¹,

    a system of λ + 1 unknowns that costs n λ² to form. Solving for the weights first, and for α
    from them, avoids the cancellation of the textbook inverse D − DX(I + XᵀDX)⁻¹XᵀD.

    Coefficients that settle are put at their bound and their rows taken out, so that late
    iterations pay for the free rows only. If a row that was taken out is on the wrong side of the
    margin in the end, the iteration is started again and keeps every row.

    Parameters
    ----------
    features : array of shape (n_features, n_rows), centred.
    signs : labels ±1.
    bounds : upper bound C of the coefficients, one for all or one for each.
    """
    bounds = np.broadcast_to(bounds, len(signs))
    solution = _iterate(_Point(features, signs, bounds), settling=True)
    if solution is None:
        solution = _iterate(_Point(features, signs, bounds), settling=False)
    return solution


def _iterate(point: _Point, settling: bool) -> Solution | None:
    enough = None
    for _ in range(_MAX_ITERATIONS):
        point.measure()
        if point.certified(_GAP_ENOUGH):
            if not point.all_on_their_side():
                return None
            enough = point.solution()
            if point.certified(_GAP):
                return enough
        if settling and len(point.alpha) > _FEW_ROWS:
            point.take_out_settled()
        if not point.factorise():
            return enough
        _, d_alpha, d_lower, d_upper = point.direction(0.0, 0.0)
        gap = point.gap_after(d_alpha, d_lower, d_upper)
        centre = point.gap / (2 * len(d_alpha)) * (gap / point.gap) ** 3
        point.move(*point.direction(centre - d_alpha * d_lower, centre + d_alpha * d_upper))
    return enough


class _Point:
    """An interior point (w, b, α, z, v) and the linear algebra around it.

    Vectors have one entry per row still in. ``_side`` has one entry per row of the problem: 0 for
    rows still in, 1 for rows taken out at the lower bound (beyond the margin), −1 for rows taken
    out at the upper bound (within the margin).
    """

    def __init__(self, features: np.ndarray, signs: np.ndarray, bounds: np.ndarray):
        n_features, n = features.shape
        self._all = features, signs, bounds
        self._side = np.zeros(n)
        self._inside = np.arange(n)
        self.signs, self.bounds = signs, bounds
        # The bias is one more feature, without a share in the regularisation.
        self.rows = np.vstack([features, np.ones(n)])
        self.ridge = np.ones(n_features + 1)
        self.ridge[-1] = 0.0
        # Σβx and Σβ over the rows taken out, and the sum of their coefficients.
        self.held, self.held_alpha = np.zeros(n_features + 1), 0.0
        # Start inside the box with Σβ = 0: the smaller class at half its bounds.
        positive, negative = bounds @ (signs > 0), bounds @ (signs < 0)
        smaller = min(positive, negative)
        self.alpha = bounds * (0.5 * smaller / np.where(signs > 0, positive, negative))
        # C − α is a variable of its own: near the bound the difference would round to zero.
        self.slack = bounds - self.alpha
        self.weights = np.zeros(n_features + 1)
        # With w = 0 and b = 0 these satisfy y(w·x + b) − 1 − z + v = 0.
        self.lower, self.upper = np.ones(n), np.full(n, 2.0)
        self.norms = np.einsum("ij,ij->j", self.rows, self.rows)

    def solution(self) -> Solution:
        _, signs, bounds = self._all
        beta = np.where(self._side < 0, signs * bounds, 0.0)
        beta[self._inside] = self.signs * self.alpha
        return Solution(beta, float(self.weights[-1]))

    def measure(self) -> None:
        """Residuals of w = Σβx, Σβ = 0 and y(w·x + b) − 1 − z + v = 0, and the duality gap."""
        self.within = 1.0 - self.signs * (self.weights @ self.rows)
        self._sum_up()

    def _sum_up(self) -> None:
        self.primal = self.rows @ (self.signs * self.alpha) + self.held - self.ridge * self.weights
        self.dual = self.within + self.lower - self.upper
        self.gap = self.alpha @ self.lower + self.slack @ self.upper
        hinge = self.bounds @ np.maximum(self.within, 0.0)
        hinge += self.held_alpha - self.held @ self.weights
        self.objective = 0.5 * self.weights[:-1] @ self.weights[:-1] + hinge

    def certified(self, gap: float) -> bool:
        if self.gap > gap * self.objective:
            return False
        feasible = np.abs(self.primal).max() <= _FEASIBLE * self.bounds.sum()
        return bool(feasible and np.abs(self.dual).max() <= _FEASIBLE)

    def take_out_settled(self) -> None:
        """Put coefficients that have all but reached a bound at it, and take their rows out."""
        threshold = min(_SETTLED * self.objective / self.gap, _SETTLED_MOST)
        low = self.alpha * self.norms < threshold * self.lower
        high = self.slack * self.norms < threshold * self.upper
        kept = np.flatnonzero(~(low | high))
        if not 0 < len(kept) < (1.0 - _WORTH_TAKING_OUT) * len(low):
            return
        self._side[self._inside[low]], self._side[self._inside[high]] = 1.0, -1.0
        at_bound = np.where(high, self.bounds, 0.0)
        self.held += self.rows @ (self.signs * at_bound)
        self.held_alpha += at_bound.sum()
        self.rows = self.rows.take(kept, axis=1)
        vectors = "alpha slack lower upper signs bounds norms within _inside"
        for name in vectors.split():
            setattr(self, name, getattr(self, name)[kept])
        self._sum_up()

    def all_on_their_side(self) -> bool:
        """Whether the rows taken out are on the side of the margin where they were put."""
        if not self._side.any():
            return True
        features, signs, _ = self._all
        margins = signs * (self.weights[:-1] @ features + self.weights[-1])
        return bool((self._side * (margins - 1.0) >= -_FEASIBLE).all())

    def factorise(self) -> bool:
        self.per_alpha, self.per_slack = 1.0 / self.alpha, 1.0 / self.slack
        self.d = 1.0 / (self.lower * self.per_alpha + self.upper * self.per_slack)
        self.factor = None  # frees the last factor before the next matrix is made
        part = np.empty_like(self.rows, dtype=self._precision())
        np.multiply(self.rows, np.sqrt(self.d), out=part, casting="same_kind")
        matrix = (part @ part.T).astype(np.float64, copy=False)
        matrix.flat[:: len(matrix) + 1] += self.ridge
        self.factor, info = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
        return info == 0

    def _precision(self) -> type[np.floating]:
        return np.float32 if self.gap > _SINGLE * self.objective else np.float64

    def direction(self, lower_target, upper_target) -> tuple[np.ndarray, ...]:
        """The Newton step towards α·z = lower_target and (C − α)·v = upper_target."""
        towards_lower = lower_target * self.per_alpha - self.lower
        towards_upper = upper_target * self.per_slack - self.upper
        right = self.dual + towards_lower - towards_upper
        pull = self.rows @ (self.signs * self.d * right) + self.primal
        step = dpotrs(self.factor, pull, lower=1)[0]
        d_alpha = self.d * (right - self.signs * (step @ self.rows))
        d_lower = towards_lower - self.lower * self.per_alpha * d_alpha
        d_upper = towards_upper + self.upper * self.per_slack * d_alpha
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
            -(d_alpha * self.per_alpha).min(),
            (d_alpha * self.per_slack).max(),
            -(d_lower / self.lower).min(),
            -(d_upper / self.upper).min(),
        )
        return 1.0 if steepest <= _DAMPING else _DAMPING / steepest
