r"""Left-out residuals of least-squares SVMs with bias, without training one model per fold.

The dual of an LS-SVM with kernel K and margin parameter C is the bordered system

.. math:: \begin{pmatrix} K + I/C & 1 \\ 1^T & 0 \end{pmatrix}
          \begin{pmatrix} \alpha \\ b \end{pmatrix} = \begin{pmatrix} y \\ 0 \end{pmatrix}.

With G the upper left block of its inverse, :math:`\alpha = Gy`, and the residuals that a model
trained without the rows F would leave on F are :math:`r_F = G_{FF}^{-1} \alpha_F`.
Rows are sorted by fold throughout; ``starts`` are the first rows of the folds.
"""

from __future__ import annotations

import numexpr
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri

# Candidates whose work arrays (three of n rows) stay in the second-level cache together.
_CACHE_NUMBERS = 24_000


def _fold_slices(starts: np.ndarray, n: int) -> list[slice]:
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True)]


def _dual(K: np.ndarray, y: np.ndarray, C: float):
    """Inverse H of K + I/C (lower triangle), H1 with its sum, and alpha; K is overwritten."""
    K.flat[:: len(K) + 1] += 1.0 / C
    factor, lower = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
    ones = np.ones(len(K))
    u, Hy = cho_solve((factor, lower), np.stack([ones, y], axis=1), check_finite=False).T
    H, failed = dpotri(factor, lower=1, overwrite_c=True)
    if failed:
        raise np.linalg.LinAlgError("the LS-SVM system is singular")
    total = u.sum()
    return H, u, total, Hy - u * (Hy.sum() / total)


def _held_out_block(H, u, total, rows: slice) -> np.ndarray:
    """G_FF of one fold, from the lower triangle of H."""
    lower = np.tril(H[rows, rows])
    block = lower + np.tril(lower, -1).T
    return block - np.outer(u[rows], u[rows] / total)


def left_out_residuals(K: np.ndarray, y: np.ndarray, C: float, starts: np.ndarray) -> np.ndarray:
    """Residual y - f(x) of each row under the model trained without its fold; K is overwritten."""
    H, u, total, alpha = _dual(K, y, C)
    residuals = np.empty(len(y))
    for rows in _fold_slices(starts, len(y)):
        factor = cho_factor(_held_out_block(H, u, total, rows), lower=True, check_finite=False)
        residuals[rows] = cho_solve(factor, alpha[rows], check_finite=False)
    return residuals


def residuals_of_each_change(K, y, C, starts, candidates: np.ndarray, sign: int):
    r"""Left-out residuals of a linear LS-SVM after adding (+1) or removing (-1) each feature.

    A feature x changes K by :math:`\sigma xx^T`. With v = Gx, p = A v for the block diagonal A of
    the :math:`G_{FF}^{-1}`, and r the residuals before the change,

    .. math:: r'_F = r_F - \sigma p_F \frac{x^T\alpha - p_F^T\alpha_F}{1+\sigma(x^Tv - v_F^Tp_F)},

    so all features of a block follow from one matrix product. Yields (columns, residuals) with
    one row of residuals per training row and one column per candidate.
    ``candidates`` has one column per feature; K is overwritten.
    """
    n, d = candidates.shape
    H, u, total, alpha = _dual(K, y, C)
    H = np.tril(H)
    G = H + np.tril(H, -1).T - np.outer(u, u / total)
    slices = _fold_slices(starts, n)
    AG = np.empty_like(G)
    residuals = np.empty(n)
    by_fold = np.zeros((len(slices), n))
    for fold, rows in enumerate(slices):
        factor = cho_factor(G[rows, rows], lower=True, check_finite=False)
        AG[rows] = cho_solve(factor, G[rows], check_finite=False)
        residuals[rows] = cho_solve(factor, alpha[rows], check_finite=False)
        by_fold[fold] = alpha - AG[rows].T @ alpha[rows]
    everything = np.vstack([G, AG, by_fold])
    width = max(64, _CACHE_NUMBERS // n)
    sizes = np.diff([*starts, n])
    for first in range(0, d, width):
        x = np.ascontiguousarray(candidates[:, first : first + width])
        product = everything @ x
        v, p, gap = product[:n], product[n : 2 * n], product[2 * n :]
        np.multiply(x, v, out=x)
        leverage = x.sum(axis=0)
        np.multiply(v, p, out=v)
        within = np.add.reduceat(v, starts, axis=0)
        gap /= sign + leverage - within
        p *= np.repeat(gap, sizes, axis=0)
        np.subtract(residuals[:, None], p, out=p)
        yield slice(first, first + x.shape[1]), p


def rbf_kernel(distances: np.ndarray, gamma: float, size: int) -> np.ndarray:
    """exp(-gamma d / m) of squared distances over m features; the empty set has distance 0."""
    return numexpr.evaluate("exp(d * s)", {"d": distances, "s": -gamma / max(size, 1)})


def rbf_kernel_of_change(distances, x, gamma: float, size: int, sign: int) -> np.ndarray:
    """The RBF kernel after adding (+1) or removing (-1) feature x; ``size`` is the new size."""
    scale = -gamma / max(size, 1)
    return numexpr.evaluate(
        "exp(d * s + (a - b) ** 2 * t)",
        {"d": distances, "a": x[:, None], "b": x[None, :], "s": scale, "t": sign * scale},
    )
