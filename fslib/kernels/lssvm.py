r"""Left-out residuals of least-squares SVMs with bias, without training one model per fold.

The dual of an LS-SVM with kernel K and margin parameter C is the bordered system

.. math:: \begin{pmatrix} K + I/C & 1 \\ 1^T & 0 \end{pmatrix}
          \begin{pmatrix} \alpha \\ b \end{pmatrix} = \begin{pmatrix} y \\ 0 \end{pmatrix}.

With G the upper left block of its inverse, :math:`\alpha = Gy`, and the residuals that a model
trained without the rows F would leave on F are :math:`r_F = G_{FF}^{-1} \alpha_F`.
Rows are sorted by fold throughout; ``starts`` are the first rows of the folds.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dposv, dpotrf, dtrtri

#: Numbers in one work array (rows × candidates): three such arrays fit the second-level cache.
_CACHE_NUMBERS = 24_000

#: Triangles up to this size are inverted by LAPACK, larger ones by products of their parts.
_SMALL_TRIANGLE = 72


def _fold_slices(starts: np.ndarray, n: int) -> list[slice]:
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], n], strict=True)]


def _inverse_of_triangle(L: np.ndarray) -> np.ndarray:
    """Inverse of a lower triangle, mostly by matrix products: LAPACK's own inverse is slower."""
    n = len(L)
    if n <= _SMALL_TRIANGLE:
        return dtrtri(L, lower=1)[0]
    half = n // 2
    first, last = _inverse_of_triangle(L[:half, :half]), _inverse_of_triangle(L[half:, half:])
    inverse = np.zeros((n, n), order="F")
    inverse[:half, :half], inverse[half:, half:] = first, last
    between = dtrmm(1.0, first, L[half:, :half], side=1, lower=1)
    inverse[half:, :half] = dtrmm(-1.0, last, between, lower=1, overwrite_b=1)
    return inverse


def _dual(K: np.ndarray, y: np.ndarray, C: float | np.ndarray):
    """(R, H1, 1'H1, alpha), where H = R'R is the inverse of K + I/C. K is overwritten.

    C is one number, or one for each row: k times C for a row that stands for k equal ones.
    """
    K.flat[:: len(K) + 1] += 1.0 / C
    L, failed = dpotrf(K.T, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("the LS-SVM system is singular")
    R = _inverse_of_triangle(L)
    u, Hy = (R.T @ (R @ np.stack([np.ones(len(y)), y], axis=1))).T
    total = u.sum()
    return R, u, total, Hy - u * (Hy.sum() / total)


def bordered_solution(K: np.ndarray, y: np.ndarray, C: float) -> tuple[np.ndarray, float]:
    """alpha and the bias of the model trained on all rows; K is overwritten."""
    _, u, total, alpha = _dual(K, y, C)
    return alpha, float(u @ y / total)


def left_out_residuals(K: np.ndarray, y: np.ndarray, C: float, starts: np.ndarray) -> np.ndarray:
    """Residual y - f(x) of each row under the model trained without its fold; K is overwritten."""
    R, u, total, alpha = _dual(K, y, C)
    residuals = np.empty(len(y))
    for rows in _fold_slices(starts, len(y)):
        part = R[rows.start :, rows]  # the triangle has nothing above
        block = part.T @ part - np.outer(u[rows], u[rows] / total)
        residuals[rows] = dposv(block, alpha[rows], lower=1)[1]
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
    R, u, total, alpha = _dual(K, y, C)
    G = R.T @ R - np.outer(u, u / total)
    slices = _fold_slices(starts, n)
    AG = np.empty_like(G)
    residuals = np.empty(n)
    by_fold = np.zeros((len(slices), n))
    for fold, rows in enumerate(slices):
        right = np.column_stack([G[rows], alpha[rows]])
        solved = dposv(G[rows, rows], right, lower=1)[1]
        AG[rows], residuals[rows] = solved[:, :-1], solved[:, -1]
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
    kernel = distances * (-gamma / max(size, 1))
    return np.exp(kernel, out=kernel)


def rbf_factor(x: np.ndarray, g: float) -> np.ndarray:
    """exp(-g (x_i - x_j)^2), what a feature contributes to an RBF kernel; g may be negative."""
    kernel = np.subtract.outer(x, x)
    kernel *= kernel
    kernel *= -g
    return np.exp(kernel, out=kernel)
