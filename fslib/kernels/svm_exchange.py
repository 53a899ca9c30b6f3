"""Exchanges of free rows, for an SVM much like one already solved."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from fslib.kernels.svm_dual import Solution

#: Exchanges after which another solver is quicker.
_MAX_EXCHANGES = 3
#: How far a certified answer's rows may be on the wrong side of the margin or free rows off it, and
#: α below 0 in units of C.
_WRONG = 1e-9


def solve_by_exchange(
    gram: np.ndarray, signs: np.ndarray, C: float, start: np.ndarray
) -> Solution | None:
    r"""The SVM's dual solution where no row is at its bound C, or None if it is not found soon.

    With the free rows F known, β solves

        K_FF β_F + b = y_F,   Σβ_F = 0.

    The first guess are the free rows of ``start``. Those whose α = yβ comes out negative leave F,
    and rows within the margin enter, all at once, until there are none: such an answer meets the
    KKT conditions. It is found where the guess is good and the free rows are independent.
    """
    # Σβ = 0, so a constant on all products changes nothing; without, those of centred rows are
    # singular where all rows are free.
    gram = gram + gram[0, 0]
    free = start != 0
    for _ in range(_MAX_EXCHANGES):
        rows = free.nonzero()[0]
        if not len(rows):
            return None
        part, own_signs = gram.take(rows, axis=0), signs.take(rows)
        targets = np.array([own_signs, np.ones(len(rows))])
        _, solved, info = dposv(
            part.take(rows, axis=1).T, targets.T, lower=1, overwrite_a=1, overwrite_b=1
        )
        if info:
            return None
        for_signs, for_ones = solved.T
        bias = for_signs.sum() / for_ones.sum()
        beta = for_signs - bias * for_ones
        alpha = own_signs * beta / C
        beyond = signs * (beta @ part + bias)
        beyond -= 1.0
        off = beyond.take(rows)
        beyond.put(rows, alpha)
        wrong = beyond < -_WRONG
        if not wrong.any():
            # Asked this way round, NaN is no answer.
            if not (alpha.max() <= 1.0 and np.abs(off).max() <= _WRONG):
                return None
            solution = np.zeros(len(signs))
            solution.put(rows, beta)
            return Solution(solution, float(bias))
        free ^= wrong
    return None
