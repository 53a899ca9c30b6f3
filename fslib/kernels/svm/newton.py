"""Newton's method for the SVM's dual, from an answer that is nearly right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from fslib.kernels.svm.dual import Solution

_MAX_ITERATIONS = 30
#: The first proximal weight ε, and the one that changes the solution by rounding only; both
#: relative to the mean squared length of a row.
_SMOOTH, _SHARP = 2e-2, 1e-9
#: Rows of the guess that are this near to a bound, in units of the bound, are taken to be at it.
_NEAR = 0.05
#: What ε is multiplied with from one centre to the next.
_SHARPEN = 0.3
#: The share of the slope that a line search may leave.
_FLAT = 0.1
#: A step at least this long ends the work around one centre.
_LONG = 0.9
#: The largest residual of a certified answer's free rows, and its largest |Σβ| per bound.
_RESIDUAL, _BALANCE = 1e-8, 1e-10


def solve_newton(
    gram: np.ndarray, signs: np.ndarray, bounds: np.ndarray, start: np.ndarray
) -> Solution | None:
    r"""The SVM's dual solution from a guess of it, or None where the guess is too far away.

    Proximal points: with a centre c near to the solution and ε falling to nothing,

        minimise ½ βᵀKβ − yᵀβ + ½ ε ‖β − c‖²   subject to   Σβ = 0 and the box.

    The dual of this problem is smooth in w and b: ½‖w‖² + Σ h(r) with residuals r = y − w·x − b and
    h′(r) = c + r/ε cut to the box. Its Newton step holds the rows that were cut at their bounds and
    solves for the free rows F, which are few: (K_FF + εI) β_F + b = y_F − K_FB β_B + ε c_F. A line
    search along the step makes the method converge from anywhere. Around a new centre the first
    free rows are those inside the box; when all rows stay where they are, the next ε is the last.

    Parameters
    ----------
    gram : K, the products of all rows.
    signs : labels ±1.
    bounds : upper bounds of |β|.
    start : the guess: an unfinished answer of another solver, say.
    """
    low = np.where(signs > 0, 0.0, -bounds)
    high = low + bounds
    scale = gram.trace() / len(gram)
    epsilon, last = _SMOOTH * scale, _SHARP * scale
    centre = np.where(start < low + _NEAR * bounds, low, start)
    centre = cut = np.where(start > high - _NEAR * bounds, high, centre)
    point = None
    for _ in range(_MAX_ITERATIONS):
        above, below = cut > low, cut < high
        free = np.flatnonzero(above & below)
        if not len(free):
            return None
        held = np.where(below, low, high)
        target = _minimise(gram, free, held, signs + epsilon * centre, epsilon)
        if target is None:
            return None
        residual = signs - target.decision - target.bias
        target_cut = centre + residual / epsilon
        target_cut[free] = target.beta[free]  # the same but for rounding
        settled = ((target_cut > low) == above).all() and ((target_cut < high) == below).all()
        if settled and np.abs(residual[free]).max() <= _RESIDUAL:
            balanced = abs(target.beta.sum()) <= _BALANCE * bounds.sum()
            return Solution(target.beta, float(target.bias)) if balanced else None
        length = 1.0
        if point is not None and not settled:
            length = _step_length(point, target, epsilon, cut, target_cut - cut, low, high)
            target = point.towards(target, length)
        if settled or (point is not None and length >= _LONG):
            epsilon = last if settled and point is None else max(_SHARPEN * epsilon, last)
            centre = cut = np.clip(target.beta, low, high)
            point = None
        else:
            cut = cut + length * (target_cut - cut)
            point = target
    return None


class _Point(NamedTuple):
    """w = Σβx, by its coefficients and its products with all rows, and b."""

    beta: np.ndarray
    bias: float
    decision: np.ndarray

    def towards(self, other: _Point, share: float) -> _Point:
        return _Point(*(a + share * (b - a) for a, b in zip(self, other, strict=True)))


def _step_length(point, target, epsilon, cut, turn, low, high) -> float:
    """The share of the way to the target after which the smooth dual is all but flat, or 1."""
    step = target.beta - point.beta
    linear, quadratic = point.decision @ step, (target.decision - point.decision) @ step

    def slope(share):
        inside = np.minimum(np.maximum(cut + share * turn, low), high)
        return linear + share * quadratic + epsilon * (inside @ turn)

    left, right = 0.0, 1.0
    at_left, at_right = slope(left), slope(right)
    enough = _FLAT * abs(at_left)
    if at_right <= enough or at_left >= 0:  # the latter by rounding only
        return 1.0
    for _ in range(12):
        share = at_left / (at_left - at_right)
        middle = left + (right - left) * min(max(share, 0.05), 0.95)
        at_middle = slope(middle)
        if abs(at_middle) <= enough:
            break
        if at_middle > 0:
            right, at_right = middle, at_middle
        else:
            left, at_left = middle, at_middle
    return middle


def _minimise(gram, free, bound, targets, ridge) -> _Point | None:
    """β, b and Kβ with (K + ridge) β + b = targets on the free rows, others at their bound."""
    beta = bound
    beta[free] = 0.0
    held = gram @ beta
    rows = gram.take(free, axis=0)
    matrix = rows.take(free, axis=1)
    matrix.flat[:: len(free) + 1] += ridge
    factor, info = dpotrf(matrix.T, lower=1, clean=0, overwrite_a=1)
    if info:
        return None
    both = dpotrs(factor, np.stack([targets[free] - held[free], np.ones(len(free))]).T, lower=1)[0]
    inner, unit = both.T
    bias = (inner.sum() + beta.sum()) / unit.sum()
    inner = inner - bias * unit
    beta[free] = inner
    return _Point(beta, bias, held + inner @ rows)
