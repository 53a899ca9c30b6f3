"""An exact linear SVM that follows its features as they come and go one at a time."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger, sger

from fslib.kernels.svm.dual import TOLERANCE, box
from fslib.kernels.svm.linear import solve

#: Above this many rows, and with fewer features than rows, no Gram matrix is kept: K v is computed
#: as Xᵀ(X v).
_GRAM_ROWS = 1024
#: From this many rows on, the free rows' columns of K are kept in single precision.
_SINGLE_ROWS = 700
#: Rank-one updates after which the inverse is computed anew.
_REINVERT = 200
#: Empty slots of a new inverse: so many rows can become free before it is copied to a larger array.
_ROOM = 16
#: Up to this many rows LIBSVM solves an SVM faster than a path follows it with few features.
FEW_ROWS = 128


def worth_following(n_features: int, n_rows: int) -> bool:
    """Whether following one more feature costs less than a fresh solution.

    With few features for the rows, a change of one feature changes the free set many times.
    """
    return n_features > (2 * n_rows if n_rows <= FEW_ROWS else n_rows / 12)


class SVMPath:
    r"""The dual solution of a linear SVM, kept exact while single features are added or removed.

    Removing a feature x turns K into K − xxᵀ. The old β solves the new problem exactly for the
    shifted targets y − x·w_x; moving those targets back to y in a straight line moves β along a
    piecewise linear path whose corners are the changes of the free set F = {i : 0 < yᵢβᵢ < C}.
    With the inverse H of the bordered matrix [[0, 1ᵀ], [1, K_FF]] each corner costs O(|F|² + n²),
    and H itself follows a feature by a rank-one update.

    Every step ends with one Newton correction and a check of the KKT conditions on freshly computed
    decisions. A step that cannot be certified is solved afresh and counted in ``n_fallbacks``. So
    corners may be found in single precision where that saves time.

    Parameters
    ----------
    features : array of shape (n_features, n_rows): the present features, one per row. Centred
        features give the same solution and better numbers.
    signs : labels ±1.
    C : upper bound of the coefficients.
    """

    def __init__(self, features: np.ndarray, signs: np.ndarray, C: float):
        self.signs, self.C = signs, C
        self.n_fallbacks = 0
        self._turning = False
        self._low, self._high = box(signs, C)
        self._middle = 0.5 * (self._low + self._high)
        self._features = features
        self._gram = self._columns = None
        if self._gram_pays():
            self._gram = (features.T @ features).T  # in Fortran's order, as BLAS updates it
        self._solve_afresh()

    def remove(self, x: np.ndarray, features: np.ndarray) -> None:
        """Follow the removal of feature ``x``; ``features`` are the ones that remain."""
        self._change(x, -1.0, features)

    def add(self, x: np.ndarray, features: np.ndarray) -> None:
        """Follow the addition of feature ``x``; ``features`` are all that are now present."""
        self._change(x, 1.0, features)

    def _change(self, x: np.ndarray, sign: float, features: np.ndarray) -> None:
        self._features = features
        if not self._gram_pays():
            self._gram = None
        if self._gram is not None:
            self._gram = dger(sign, x, x, a=self._gram, overwrite_a=1)
        if self._columns is not None and self._inverse is not None:
            single = x.astype(np.float32)
            at_slots = single.take(self._slots, mode="clip")
            self._columns = sger(sign, single, at_slots, a=self._columns, overwrite_a=1)
        try:
            self._change_inverse(x, sign)
            # Where the free set changed with the last feature it will often change with this one.
            if self._turning or not self._settle():
                self._follow(x * (sign * (x @ self.beta)))
                self._settle_or_give_up()
        except _Lost:
            self.n_fallbacks += 1
            self._solve_afresh()

    # -- products ------------------------------------------------------------------------------

    def _gram_pays(self) -> bool:
        n_features, n = self._features.shape
        return n <= _GRAM_ROWS or n_features >= n

    def _times(self, vector: np.ndarray) -> np.ndarray:
        """K @ vector."""
        if self._gram is not None:
            return self._gram @ vector
        return (self._features @ vector) @ self._features

    def _slot_times(self, inner: np.ndarray) -> np.ndarray:
        """K @ vector for a vector of the free rows, without care for rounding."""
        if self._columns is not None:
            return self._columns @ inner.astype(np.float32)
        vector = np.zeros(len(self.signs) + 1)
        vector.put(self._slots, inner)
        return self._times(vector[:-1])

    def _column(self, i: int) -> np.ndarray:
        if self._gram is not None:
            return self._gram[:, i]
        return self._features[:, i] @ self._features

    def _block(self, rows: np.ndarray) -> np.ndarray:
        if self._gram is not None:
            return self._gram[rows[:, None], rows]
        part = self._features[:, rows]
        return part.T @ part

    def _single_columns(self, rows: np.ndarray) -> np.ndarray | None:
        if len(self.signs) < _SINGLE_ROWS:
            return None
        if self._gram is not None:
            return self._gram[:, rows].astype(np.float32)
        features = self._features.astype(np.float32)
        return features.T @ features[:, rows]

    # -- the free set and its inverse ------------------------------------------------------------
    #
    # Every free row has a slot: entry k + 1 of the inverse belongs to row _slots[k]. An empty slot
    # has zeros in the inverse and the number n, of a row that does not exist, in _slots. So rows
    # leave and enter without moving other rows; vectors indexed by slots have n + 1 entries.

    def _solve_afresh(self) -> None:
        solution = solve(self._features, self.signs, self.C)
        self.beta, self.bias, _ = solution
        # An interior point leaves coefficients near a bound, not at it.
        margin = 1e-5 * np.abs(self.beta).max()
        self.beta = np.where(self.beta < self._low + margin, self._low, self.beta)
        self.beta = np.where(self.beta > self._high - margin, self._high, self.beta)
        inner = (self.beta > self._low) & (self.beta < self._high)
        # Direction in which β may leave its bound: 1 at the lower, −1 at the upper, else 0.
        self._way = np.where(inner, 0.0, np.where(self.beta > self._low, -1.0, 1.0))
        self._inverse = None
        if inner.any():
            try:
                self._invert()
                self._settle_or_give_up()
            except _Lost:  # a degenerate free set: the answer stands as it is
                self.beta, self.bias, _ = solution
                self._inverse = None

    def _invert(self) -> None:
        free = np.flatnonzero(self._way == 0)
        m = len(free)
        bordered = np.ones((m + 1, m + 1))
        bordered[0, 0] = 0.0
        bordered[1:, 1:] = self._block(free)
        try:
            inverse = np.linalg.inv(bordered)
        except np.linalg.LinAlgError:
            raise _Lost from None
        self._place(inverse, free, self._single_columns(free))
        self._updates = 0

    def _place(self, inverse: np.ndarray, rows: np.ndarray, columns: np.ndarray | None) -> None:
        """Copy an inverse, and columns of K, into arrays with empty slots."""
        filled, n = len(inverse), len(self.signs)
        self._inverse = np.zeros((filled + _ROOM, filled + _ROOM), order="F")
        self._inverse[:filled, :filled] = inverse
        self._slots = np.append(rows, np.full(_ROOM, n))
        if columns is not None:
            self._columns = np.zeros((n, len(self._slots)), np.float32, order="F")
            self._columns[:, : filled - 1] = columns

    def _update(self, factor: float, vector: np.ndarray) -> None:
        self._inverse = dger(factor, vector, vector, a=self._inverse, overwrite_a=1)
        self._updates += 1

    def _at_slots(self, first: float, values: np.ndarray) -> np.ndarray:
        out = np.empty(len(self._slots) + 1)
        out[0] = first
        # Any value will do for empty slots: the inverse is zero there.
        values.take(self._slots, mode="clip", out=out[1:])
        return out

    def _change_inverse(self, x: np.ndarray, sign: float) -> None:
        if self._inverse is None:
            raise _Lost
        border = self._at_slots(0.0, x)
        moved = self._inverse @ border
        denominator = 1.0 + sign * (border @ moved)
        if denominator < 1e-8:  # the free rows do not stay independent without x
            raise _Lost
        self._update(-sign / denominator, moved)

    def _enter(self, i: int) -> None:
        column = self._column(i)
        border = self._at_slots(1.0, column)
        moved = self._inverse @ border
        pivot = column[i] - border @ moved
        if pivot <= 1e-9 * column[i]:  # row i depends on the free rows
            raise _Lost
        self._update(1.0 / pivot, moved)
        empty = np.flatnonzero(self._slots == len(self.signs))
        if not len(empty):
            self._place(self._inverse, self._slots, self._columns)
            moved = np.append(moved, np.zeros(_ROOM))
            empty = [len(self._slots) - _ROOM]
        slot = empty[0]
        moved /= -pivot
        moved[slot + 1] = 1.0 / pivot
        self._inverse[:, slot + 1] = self._inverse[slot + 1, :] = moved
        self._slots[slot] = i
        self._way[i] = 0.0
        if self._columns is not None:
            self._columns[:, slot] = column

    def _leave(self, slot: int, way: float) -> None:
        column = self._inverse[:, slot + 1].copy()
        if not column[slot + 1] > 0:
            raise _Lost
        self._update(-1.0 / column[slot + 1], column)
        self._inverse[:, slot + 1] = self._inverse[slot + 1, :] = 0.0
        self._way[self._slots[slot]] = way
        self._slots[slot] = len(self.signs)
        if (self._slots == len(self.signs)).all():
            raise _Lost

    # -- following the targets -----------------------------------------------------------------

    def _follow(self, shift: np.ndarray) -> None:
        """Move the targets from ``signs + shift`` to ``signs``; β is optimal for the former."""
        n = len(self.signs)
        residual = self.signs + shift
        residual -= self._times(self.beta)
        residual -= self.bias
        beta, low, high = (_padded(v) for v in (self.beta, self._low, self._high))
        towards = -shift
        until_entry = np.empty(n)
        remaining, left = 1.0, n
        for corner in range(4 * n + 100):
            slots = self._slots
            move = self._inverse @ self._at_slots(0.0, towards)
            inner = move[1:]
            slope = towards - self._slot_times(inner)
            slope -= move[0]

            # The first free row to reach a bound ...
            target = np.where(inner > 0, high.take(slots), low.take(slots))
            until_exit = target - beta.take(slots)
            moving = inner != 0
            np.divide(until_exit, inner, out=until_exit, where=moving)
            until_exit[~moving] = np.inf
            slot = int(until_exit.argmin())
            leaving = until_exit[slot]
            # ... and the first row at a bound whose residual turns to where β may go.
            until_entry.fill(-np.inf)
            np.divide(residual, slope, out=until_entry, where=slope * self._way > 0)
            if left < n:
                until_entry[left] = -np.inf  # the row that just left: its residual moves away
            row = int(until_entry.argmax())
            entering = -until_entry[row]

            length = max(0.0, min(remaining, leaving, entering))
            beta[slots] += length * inner
            self.bias += length * move[0]
            residual += length * slope
            remaining -= length
            if remaining <= 0.0:
                self._turning = corner > 0
                break
            if leaving <= entering:
                left = self._slots[slot]
                beta[left] = target[slot]
                self._leave(slot, -1.0 if inner[slot] > 0 else 1.0)
            else:
                self._enter(row)
                left = n
        else:
            raise _Lost
        self.beta = beta[:n]

    def _settle(self) -> bool:
        """One Newton step on the free set; kept if its KKT conditions hold, on fresh decisions.

        Where the free set does not change with a feature, this Newton step is the whole change;
        where it does, the step removes the rounding that the corners of the path have added up.
        """
        if self._updates > _REINVERT:
            self._invert()
        n = len(self.signs)
        residual = self.signs - self._times(self.beta)
        residual -= self.bias
        move = self._inverse @ self._at_slots(-self.beta.sum(), residual)
        beta, bias = _padded(self.beta), self.bias + move[0]
        beta.put(self._slots, beta.take(self._slots) + move[1:])
        beta = beta[:n]
        if np.abs(beta - self._middle).max() > 0.5 * self.C:  # out of the box
            return False
        residual = self.signs - self._times(beta)
        residual -= bias
        # At a bound the residual must not point to where β may go; free rows must have none.
        wrong = np.where(self._way == 0, np.abs(residual), residual * self._way)
        if wrong.max() > TOLERANCE or abs(beta.sum()) > 1e-9 * self.C * n:
            return False
        self.beta, self.bias = beta, bias
        return True

    def _settle_or_give_up(self) -> None:
        if not self._settle():
            self._invert()
            if not self._settle():
                raise _Lost


def _padded(values: np.ndarray) -> np.ndarray:
    """A copy with one more entry, zero, for the row n that empty slots name."""
    out = np.zeros(len(values) + 1)
    out[:-1] = values
    return out


class _Lost(Exception):
    """The path cannot go on exactly: degenerate data or too much rounding."""
