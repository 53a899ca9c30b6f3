"""Accelerated projected gradients: the duals of many linear SVMs at once, without Gram matrices."""

from __future__ import annotations

import numpy as np

from fslib.kernels.svm.dual import box
from fslib.kernels.svm.linear import GRAM_ROWS

#: The largest KKT violation at the end, in units of the margin.
_TOLERANCE = 1e-4
#: The largest certified duality gap, in units of the sum of all bounds.
_GAP = 1e-5
#: Iterations between looks at the violations.
_LOOK = 10
#: Steps of the power method, and what its answer is multiplied with to bound an eigenvalue.
_POWERS, _ABOVE = 10, 1.1
#: Newton steps of a projection, and the |Σβ| that may be left, relative to Σ|β|.
_STEPS, _BALANCE = 12, 3e-6
#: Features that are made float64 at a time.
_FEATURES = 256


def solve_together(
    features: np.ndarray, signs: np.ndarray, subsets: np.ndarray, C: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""The dual solutions of linear SVMs on subsets of features, and which of these are certified.

    FISTA with restarts: β ← P(z − (Kz − y)/L) and z ← β + momentum, where P projects onto the box
    and Σβ = 0. For all subsets together Kz is two products, (Z Xᵀ masked by the subsets) X, in
    single precision. An SVM is done when it violates the KKT conditions by 1e-4 at most, LIBSVM's
    criterion, and is certified by its duality gap in double precision. An SVM is given up
    after its share of iterations, or earlier where its violation, in logarithms, falls too slowly:
    K with a few large eigenvalues (correlated features) would take thousands.

    Parameters
    ----------
    features : array of shape (n_features, n_rows) in single precision, centred.
    signs : labels ±1.
    subsets : masks of the features, one per row, of one size.
    C : upper bound of the coefficients.

    References
    ----------
    Beck & Teboulle (2009), A fast iterative shrinkage-thresholding algorithm, SIAM Journal on
    Imaging Sciences 2; O'Donoghue & Candès (2015), Adaptive restart for accelerated gradient
    schemes, Foundations of Computational Mathematics 15.
    """
    n, m = len(signs), len(subsets)
    y = signs.astype(np.float32)
    low, high = (bound.astype(np.float32) for bound in box(signs, C))
    masks = subsets.astype(np.float32)
    budget = _budget(n, np.count_nonzero(subsets[0]))
    steps = 1.0 / _largest_eigenvalues(features, masks)
    betas = np.zeros((m, n))
    solved = np.zeros(m, dtype=bool)
    places = np.arange(m)
    beta, decision, ahead, ahead_decision = np.zeros((4, m, n), np.float32)
    momentum, shift = np.ones((m, 1), np.float32), np.zeros((m, 1), np.float32)
    for iteration in range(1, budget + 1):
        np.subtract(y, ahead_decision, out=ahead_decision)
        ahead_decision *= steps
        ahead_decision += ahead
        new, shift = _project(ahead_decision, y, low, high, shift)
        new_decision = _times_gram(new, features, masks)
        beta -= new  # from here on minus the step
        ahead -= new
        momentum[np.einsum("ij,ij->i", ahead, beta) < 0] = 1.0  # uphill: start again
        grown = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        weight = (momentum - 1.0) / grown
        momentum = grown
        beta *= weight
        np.subtract(new, beta, out=ahead)
        decision -= new_decision
        decision *= weight
        np.subtract(new_decision, decision, out=ahead_decision)
        beta, decision = new, new_decision
        if iteration % _LOOK:
            continue
        rising, falling = _violations(y - decision, beta, low, high)
        violations = rising - falling
        done = violations <= _TOLERANCE
        betas[places[done]] = beta[done]
        solved[places[done]] = True
        kept = ~done
        if iteration >= budget / 4:
            kept &= violations <= _TOLERANCE ** min(iteration / budget, 0.5)
        if not kept.any():
            break
        if not kept.all():
            state = places, beta, decision, ahead, ahead_decision, momentum, shift, steps, masks
            state = (values[kept] for values in state)
            places, beta, decision, ahead, ahead_decision, momentum, shift, steps, masks = state
    solved[solved] = _certified(features, signs, subsets[solved], betas, solved, C)
    return betas, solved


def _budget(n: int, size: int) -> int:
    """Limit of iterations: (cost of the other solver) / (cost of one iteration, 8 n·size/70).

    In nanoseconds. Up to ``GRAM_ROWS`` rows the other solver is LIBSVM: a Gram matrix, n²·size/70,
    and five iterations of 3 n per row. With more rows it is the interior point: 12 iterations of
    n·rank²/50, of which three quarters are allowed.
    """
    if n <= GRAM_ROWS:
        return int(n / 8 + 130 * n / size)
    return int(1.6 * min(n, size) ** 2 / size)


def _times_gram(vectors, features, masks) -> np.ndarray:
    weights = vectors @ features.T
    weights *= masks
    return weights @ features


def _largest_eigenvalues(features, masks) -> np.ndarray:
    """Upper bounds, all but certain, by the power method."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((len(masks), features.shape[1]), np.float32)
    for _ in range(_POWERS):
        vectors = _times_gram(vectors / _lengths(vectors), features, masks)
    return _ABOVE * _lengths(vectors)


def _lengths(vectors) -> np.ndarray:
    found = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.maximum(found, np.finfo(np.float32).tiny)  # constant features have no length


def _project(points, signs, low, high, shift):
    """The nearest points of the box with Σβ = 0, by Newton's method for the multiplier of Σβ."""
    for _ in range(_STEPS):
        shifted = points - shift
        beta = np.clip(shifted, low, high)
        excess = beta.sum(axis=1, keepdims=True)
        if (np.abs(excess[:, 0]) <= _BALANCE * (beta @ signs)).all():
            break
        free = np.count_nonzero(beta == shifted, axis=1, keepdims=True)
        shift = shift + excess / np.maximum(free, 1).astype(points.dtype)
    return beta, shift


def _violations(residuals, beta, low, high) -> tuple[np.ndarray, np.ndarray]:
    """The largest residual of a β that may rise, and the smallest of one that may fall."""
    rising = np.where(beta < high, residuals, -np.inf).max(axis=1)
    return rising, np.where(beta > low, residuals, np.inf).min(axis=1)


def _certified(features, signs, subsets, betas, solved, C) -> np.ndarray:
    """Whether the duality gaps are small, in double precision; β is balanced in it, in place."""
    low, high = box(signs, C)
    beta = betas[solved]
    free = (beta > low) & (beta < high)
    excess = beta.sum(axis=1) / np.maximum(np.count_nonzero(free, axis=1), 1)
    beta = betas[solved] = np.clip(np.where(free, beta - excess[:, None], beta), low, high)
    decision, norms = np.zeros_like(beta), np.zeros(len(beta))
    for start in range(0, len(features), _FEATURES):
        block = slice(start, start + _FEATURES)
        part = features[block].astype(np.float64)
        weights = np.where(subsets[:, block], beta @ part.T, 0.0)
        norms += np.einsum("ij,ij->i", weights, weights)
        decision += weights @ part
    rising, falling = _violations(signs - decision, beta, low, high)
    bias = 0.5 * (rising + falling)
    hinge = np.maximum(0.0, 1.0 - signs * (decision + bias[:, None])).sum(axis=1)
    gap = norms + C * hinge - beta @ signs + np.abs(bias * beta.sum(axis=1))
    return gap <= _GAP * C * len(signs)
