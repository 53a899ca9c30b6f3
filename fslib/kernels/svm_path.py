"""An exact linear SVM that follows its features as they come and go one at a time."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger

from fslib.kernels.svm_dual import TOLERANCE, box, solve_gram, violation

#: Above this many rows the Gram matrix is not kept; products go through the features.
_GRAM_ROWS = 1024


class SVMPath:
    r"""The dual solution of a linear SVM, kept exact while single features are added or removed.

    Removing a feature x turns K into K − xxᵀ. The old β solves the new problem exactly for the
    shifted targets y − x·w_x; moving those targets back to y in a straight line moves β along a
    piecewise linear path whose corners are the changes of the free set F = {i : 0 < yᵢβᵢ < C}.
    With the inverse H of the bordered matrix [[0, 1ᵀ], [1, K_FF]] each corner costs O(|F|² + n²),
    and H itself follows a feature by a rank-one update.

    Every step ends with one Newton correction and a check of the KKT conditions on freshly computed
    decisions. A step that cannot be certified is solved by LIBSVM instead and counted in
    ``n_fallbacks``.

    Parameters
    ----------
    features : array of shape (n_features, n_rows): the present features, one per row. Centred
        features give the same solution and better numbers.
    signs : labels ±1.
    C : upper bound of the coefficients.
    """

    def __init__(self, features: np.ndarray, signs: np.ndarray, C: float):
        self.signs, self.C = signs, C
        self.low, self.high = box(signs, C)
        self.n_fallbacks = 0
        self._features = features
        self._gram = None
        if len(signs) <= _GRAM_ROWS:
            self._gram = np.asfortranarray(features.T @ features)
        self._solve_afresh()

    def remove(self, x: np.ndarray, features: np.ndarray) -> None:
        """Follow the removal of feature ``x``; ``features`` are the ones that remain."""
        self._change(x, -1.0, features)

    def add(self, x: np.ndarray, features: np.ndarray) -> None:
        """Follow the addition of feature ``x``; ``features`` are all that are now present."""
        self._change(x, 1.0, features)

    def _change(self, x: np.ndarray, sign: float, features: np.ndarray) -> None:
        self._features = features
        if self._gram is not None:
            self._gram = dger(sign, x, x, a=self._gram, overwrite_a=1)
        shift = x * (sign * (x @ self.beta))
        try:
            self._change_inverse(x, sign)
            self._follow(shift)
            self._certify()
        except _Lost:
            self.n_fallbacks += 1
            self._solve_afresh()

    # -- products ------------------------------------------------------------------------------

    def _times(self, vector: np.ndarray) -> np.ndarray:
        """K @ vector."""
        if self._gram is not None:
            return self._gram @ vector
        return (self._features @ vector) @ self._features

    def _column(self, i: int) -> np.ndarray:
        if self._gram is not None:
            return self._gram[:, i]
        return self._features[:, i] @ self._features

    def _block(self, rows: np.ndarray) -> np.ndarray:
        if self._gram is not None:
            return self._gram[rows[:, None], rows]
        part = self._features[:, rows]
        return part.T @ part

    # -- the free set and its inverse ------------------------------------------------------------

    def _solve_afresh(self) -> None:
        gram = self._gram if self._gram is not None else self._features.T @ self._features
        self.beta, self.bias = solve_gram(np.ascontiguousarray(gram.T), self.signs, self.C)
        self._free = np.flatnonzero((self.beta > self.low) & (self.beta < self.high))
        self._inverse = None
        if len(self._free):
            try:
                self._invert()
                self._correct()
                self._certify()
            except _Lost:  # a degenerate free set: LIBSVM's own answer stands
                self._inverse = None

    def _invert(self) -> None:
        m = len(self._free)
        bordered = np.ones((m + 1, m + 1))
        bordered[0, 0] = 0.0
        bordered[1:, 1:] = self._block(self._free)
        try:
            self._inverse = np.asfortranarray(np.linalg.inv(bordered))
        except np.linalg.LinAlgError:
            raise _Lost from None
        self._since_inversion = 0

    def _change_inverse(self, x: np.ndarray, sign: float) -> None:
        if self._inverse is None:
            raise _Lost
        border = np.zeros(len(self._free) + 1)
        border[1:] = x[self._free]
        moved = self._inverse @ border
        denominator = 1.0 + sign * (border @ moved)
        if denominator < 1e-8:  # the free rows do not stay independent without x
            raise _Lost
        self._update_inverse(-sign / denominator, moved)

    def _update_inverse(self, factor: float, vector: np.ndarray) -> None:
        self._inverse = dger(factor, vector, vector, a=self._inverse, overwrite_a=1)
        self._since_inversion += 1

    def _enter(self, i: int) -> None:
        column = self._column(i)
        border = np.empty(len(self._free) + 1)
        border[0] = 1.0
        border[1:] = column[self._free]
        moved = self._inverse @ border
        pivot = column[i] - border @ moved
        if pivot < 1e-9 * max(column[i], 1e-300):  # row i depends on the free rows
            raise _Lost
        m = len(border)
        grown = np.empty((m + 1, m + 1), order="F")
        self._update_inverse(1.0 / pivot, moved)
        grown[:m, :m] = self._inverse
        grown[m, :m] = grown[:m, m] = moved / -pivot
        grown[m, m] = 1.0 / pivot
        self._inverse = grown
        self._free = np.append(self._free, i)

    def _leave(self, position: int) -> None:
        column = self._inverse[:, position + 1].copy()
        if not column[position + 1] > 0:
            raise _Lost
        self._update_inverse(-1.0 / column[position + 1], column)
        kept = np.delete(np.arange(len(column)), position + 1)
        self._inverse = np.asfortranarray(self._inverse[kept[:, None], kept])
        self._free = np.delete(self._free, position)
        if not len(self._free):
            raise _Lost

    # -- following the targets -----------------------------------------------------------------

    def _follow(self, shift: np.ndarray) -> None:
        """Move the targets from ``signs + shift`` to ``signs``; β is optimal for the former."""
        low, high = self.low, self.high
        beta = self.beta
        residual = self.signs + shift - self._times(beta) - self.bias
        remaining, changed = 1.0, -1
        for _ in range(4 * len(beta) + 100):
            free = self._free
            towards = np.zeros(len(free) + 1)
            towards[1:] = -shift[free]
            move = self._inverse @ towards
            step = np.zeros(len(beta))
            step[free] = move[1:]
            slope = -shift - self._times(step) - move[0]

            length, event, position = remaining, None, -1
            # free coefficients run into a bound
            target = np.where(move[1:] > 0, high[free], low[free])
            with np.errstate(divide="ignore", invalid="ignore"):
                lengths = (target - beta[free]) / move[1:]
            lengths[move[1:] == 0] = np.inf
            nearest = int(np.argmin(lengths))
            if lengths[nearest] < length:
                length, event, position = max(lengths[nearest], 0.0), "leave", nearest
            # bound coefficients become free when their residual changes sign
            at_low, at_high = beta <= low, beta >= high
            candidates = (at_low & (slope > 0)) | (at_high & (slope < 0))
            candidates[free] = False
            if changed >= 0:
                candidates[changed] = False
            bound = np.flatnonzero(candidates)
            if len(bound):
                lengths = -residual[bound] / slope[bound]
                nearest = int(np.argmin(lengths))
                if lengths[nearest] < length:
                    length, event, position = max(lengths[nearest], 0.0), "enter", nearest

            beta = beta + length * step
            self.bias += length * move[0]
            residual += length * slope
            remaining -= length
            if event is None:
                break
            if event == "leave":
                changed = free[position]
                beta[changed] = target[position]
                self._leave(position)
            else:
                self._enter(bound[position])
                changed = -1
        else:
            raise _Lost
        self.beta = beta

    def _correct(self) -> None:
        """One Newton step on the free set against the rounding gathered on the way."""
        if self._since_inversion > 100:
            self._invert()
        wrong = np.empty(len(self._free) + 1)
        wrong[0] = -self.beta.sum()
        residual = self.signs - self._times(self.beta) - self.bias
        wrong[1:] = residual[self._free]
        move = self._inverse @ wrong
        beta = self.beta.copy()
        beta[self._free] += move[1:]
        self.beta = np.clip(beta, self.low, self.high)
        self.bias += move[0]

    def _certify(self) -> None:
        self._correct()
        balance = abs(self.beta.sum())
        off = violation(self._times(self.beta), self.signs, self.beta, self.C)
        if not (off <= TOLERANCE and balance <= 1e-9 * self.C * len(self.beta)):
            raise _Lost


class _Lost(Exception):
    """The path cannot go on exactly: degenerate data or too much rounding."""
