"""The soft-margin SVM's dual problem, its certificate, and LIBSVM as its reference solver.

Everywhere in the SVM kernels the dual is written in signed coefficients β = y·α:

    minimise ½ βᵀKβ − yᵀβ   subject to   Σβ = 0,  0 ≤ yᵢβᵢ ≤ C,

with labels y of ±1 and an unregularised bias. Its solution predicts by the sign of Kβ + b.
"""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import NamedTuple

import numpy as np

try:  # scikit-learn's private binding: SVC's own checks cost ten times a small problem
    from sklearn.svm._libsvm import fit as _libsvm_fit
    from sklearn.svm._libsvm import set_verbosity_wrap as _set_verbosity

    _set_verbosity(0)
except ImportError:
    _libsvm_fit = None

#: Largest KKT violation of an answer that counts as exact, in units of the margin.
TOLERANCE = 1e-6
#: Iterations after which LIBSVM is not expected to reach its tolerance any more.
_PATIENCE = 1_000_000


class Solution(NamedTuple):
    """A solution of the dual: signed coefficients and bias."""

    beta: np.ndarray
    bias: float
    fallback: bool = False
    """Whether no solver but LIBSVM, without a limit, could give an answer."""


def box(signs: np.ndarray, C: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds of β."""
    low = np.where(signs > 0, 0.0, -C)
    return low, low + C


def solve_gram(
    gram: np.ndarray,
    signs: np.ndarray,
    C: float,
    tol: float = TOLERANCE,
    counts: np.ndarray | None = None,
) -> Solution:
    """LIBSVM's solution for a precomputed kernel (C-contiguous float64).

    ``counts`` says how many equal rows each row stands for: its bound is that multiple of C.

    LIBSVM keeps the kernel in single precision and may never reach a tight tolerance on badly
    scaled data. The tolerance is then loosened twice, a hundredfold each time.
    """
    return _until_done(try_gram, gram, signs, C, tol, counts)


def try_gram(
    gram: np.ndarray,
    signs: np.ndarray,
    C: float,
    max_iter: int,
    tol: float = TOLERANCE,
    counts: np.ndarray | None = None,
) -> tuple[Solution, bool]:
    """What LIBSVM has after at most ``max_iter`` iterations, and whether that meets ``tol``."""
    machines, done = _libsvm(gram, signs, C, max_iter, tol, counts)
    beta = np.zeros(len(signs))
    # LIBSVM's decision is positive for the lower label; ours, like SVC's, for the higher one.
    beta.put(machines.support, -machines.coefficients[0])
    return Solution(beta, -float(machines.biases[0])), done


class Machines(NamedTuple):
    """What LIBSVM makes of several classes: one machine for every pair of them."""

    support: np.ndarray
    """Rows with a coefficient in some machine, by class."""
    n_support: np.ndarray
    """How many of them each class has."""
    coefficients: np.ndarray
    """Of each row in ``support``, one coefficient for every other class in their order."""
    biases: np.ndarray
    """One for each pair (0, 1), (0, 2), …, (1, 2), …; the lower class has positive decisions."""


def solve_classes(
    gram: np.ndarray, labels: np.ndarray, C: float, tol: float, counts: np.ndarray
) -> Machines:
    """LIBSVM's machines for all pairs of two classes or more, from one call.

    ``labels`` ascend; the rest is as in :func:`solve_gram`.
    """
    return _until_done(_libsvm, gram, labels.astype(np.float64), C, tol, counts)


def _until_done(attempt, gram, labels, C, tol, counts):
    for tolerance in (tol, 1e2 * tol, 1e4 * tol):
        answer, done = attempt(gram, labels, C, _PATIENCE, tolerance, counts)
        if done:
            break
    return answer


def _libsvm(gram, labels, C, max_iter, tol, counts) -> tuple[Machines, bool]:
    if _libsvm_fit is None:
        return _svc(gram, labels, C, max_iter, tol, counts)
    try:
        support, _, n_support, coefficients, biases, _, _, status, _ = _libsvm_fit(
            gram,
            labels,
            svm_type=0,
            kernel="precomputed",
            sample_weight=np.ones(len(labels)) if counts is None else counts,
            C=C,
            tol=tol,
            cache_size=200.0,
            max_iter=max_iter,
        )
    except (TypeError, ValueError):  # the private signature is not promised to stay
        return _svc(gram, labels, C, max_iter, tol, counts)
    return Machines(support, n_support, coefficients, biases), status == 0


def _svc(gram, labels, C, max_iter, tol, counts) -> tuple[Machines, bool]:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    model = SVC(kernel="precomputed", C=C, tol=tol, max_iter=max_iter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(gram, labels, sample_weight=counts)
    # SVC turns the sign of two classes, and of two alone.
    sign = -1.0 if len(model.classes_) == 2 else 1.0
    coefficients, biases = sign * model.dual_coef_, sign * model.intercept_
    return Machines(model.support_, model.n_support_, coefficients, biases), model.fit_status_ == 0


def binary_problems(y: np.ndarray, multiclass: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and ±1 labels of the two-class problems that class codes break up into.

    ``"ovo"``: every pair of classes, as SVC does; ``"ovr"``: each class against all others.
    Two classes are one problem either way.
    """
    classes = np.unique(y)
    if multiclass not in ("ovo", "ovr"):
        raise ValueError(f"multiclass must be 'ovo' or 'ovr', got {multiclass!r}.")
    if len(classes) == 2 or multiclass == "ovo":
        pairs = [(np.flatnonzero((y == a) | (y == b)), b) for a, b in combinations(classes, 2)]
    else:
        pairs = [(np.arange(len(y)), c) for c in classes]
    return [(rows, np.where(y[rows] == positive, 1.0, -1.0)) for rows, positive in pairs]
