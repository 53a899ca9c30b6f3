"""Iterative RELIEF."""

from __future__ import annotations

import logging
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fslib.base import FeatureSelector, Ranking
from fslib.kernels.margins import margins_of_rows
from fslib.prepare.scale import minmax
from fslib.registry import register

_log = logging.getLogger("fslib.irelief")


@register
class IRelief(FeatureSelector):
    r"""Weight features by the margin between soft nearest misses and hits, iterated.

    With features scaled to [0, 1], :math:`d_{ni} = \sum_f w_f |x_{nf} - x_{if}|` and
    :math:`k_{ni} = \exp(-d_{ni}/\sigma)`, sample :math:`n` has the misses :math:`M_n` (other
    classes) and the hits :math:`H_n` (its own class without itself), and

    .. math::
        \nu = \sum_n \gamma_n \Bigl(
            \sum_{i \in M_n} \frac{k_{ni}}{\sum_{M_n} k} |x_n - x_i|
          - \sum_{i \in H_n} \frac{k_{ni}}{\sum_{H_n} k} |x_n - x_i| \Bigr), \quad
        \gamma_n = \frac{\sum_{H_n} k}{\sum_{i \ne n} k}, \quad
        w \leftarrow \nu^+ / \lVert \nu^+ \rVert_2

    from :math:`w = 1/d` until :math:`\lVert \Delta w \rVert_2 <` ``tol``. A sample alone in its
    class has no hit, so :math:`\gamma_n = 0`. Features are ranked by their margin :math:`\nu_f`, so
    features of weight 0 come last, the most negative margin at the end. Where no margin is
    positive, the weights of the iteration before stay. Large tables iterate in float32 and sum the
    last margins again in float64.

    Parameters
    ----------
    sigma : float, optional
        Width of the kernel; by default :math:`\sqrt d / 10`, a tenth of the greatest distance
        that unit weights allow. Convergence is certain only for a width that is large enough.
    max_iter : int
    tol : float
    n_features_to_select : int or float, optional
        How many of the best to keep, or which share of all; all by default.
    verbose : int
        1 shows the progress, 2 more of it.

    Attributes
    ----------
    sigma_ : the width used.
    n_iter_ : iterations done.

    References
    ----------
    Sun & Li (2006), Proc. ICML, 913-920; Sun (2007), IEEE TPAMI 29, 1035-1051.

    Examples
    --------
    >>> from fslib import IRelief
    >>> X = [[0.0, 0.3], [0.1, 0.9], [0.9, 0.2], [1.0, 0.8]]
    >>> IRelief().fit(X, [0, 0, 1, 1]).scores_.round(3).tolist()
    [1.0, 0.0]
    """

    def __init__(self, sigma=None, max_iter=100, tol=1e-4, n_features_to_select=None, verbose=0):
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol
        self.n_features_to_select = n_features_to_select
        self.verbose = verbose

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        self.sigma_ = np.sqrt(X.shape[1]) / 10 if self.sigma is None else self.sigma
        if not self.sigma_ > 0:
            raise ValueError(f"sigma must be positive, got {self.sigma!r}.")
        margins_for = margins_of_rows(minmax(X), y, self.sigma_)
        weights = np.full(X.shape[1], 1 / X.shape[1])
        for iteration in range(1, self.max_iter + 1):
            self.n_iter_ = iteration
            margins = margins_for(weights)
            before, weights = weights, _unit_weights(margins, weights)
            change = np.linalg.norm(weights - before)
            _log.info("iteration %d: weights changed by %.2g", iteration, change)
            if change < self.tol or not (margins > 0).any():
                break
        else:
            warnings.warn(
                f"IRelief did not converge in {self.max_iter} iterations; "
                f"a larger sigma than {self.sigma_:.3g} or a larger tol may help.",
                ConvergenceWarning,
                stacklevel=2,
            )
        margins, order = _tied(margins_for.exactly())
        return Ranking(order, _unit_weights(margins, before))


def _unit_weights(margins: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Positive margins, scaled to length 1; the weights ``before`` where no margin is positive."""
    positive = np.maximum(margins, 0.0)
    length = np.linalg.norm(positive)
    return positive / length if length > 0 else before


def _tied(margins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Margins, made equal where they differ by rounding only, and columns by descending margin.

    Matrix products round the margins of equal columns differently; equal columns must tie.

    >>> margins, order = _tied(np.array([1.0, 3.0 - 1e-15, 3.0]))
    >>> margins.tolist(), order.tolist()
    ([1.0, 3.0, 3.0], [1, 2, 0])
    """
    order = np.argsort(-margins)
    falling = margins[order]
    lower = falling[:-1] - falling[1:] > 1e-12 * np.abs(falling[[0, -1]]).max()
    if lower.all():
        return margins, order
    lower, place = np.append(True, lower), np.empty(len(order), dtype=np.intp)
    place[order] = np.cumsum(lower) - 1
    # Keys place * d + column are distinct integers: sorting them takes a quarter of a stable sort.
    return falling[lower][place], np.argsort(place * len(place) + np.arange(len(place)))
