"""A primal active-set method for the linear SVM's dual, from an answer that is nearly right."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dsymv, dsyr

from fslib.kernels.svm.dual import TOLERANCE, Solution, box

#: Rows of the start that are this near to a bound, relative to the row farthest inside, are taken
#: to be at it.
_NEAR = 0.1
#: All rows enter whose residuals pull at least this share of the strongest pull.
_PULL = 0.6
#: Rank-one updates after which the inverse is computed anew, unless rounding shows before.
_REINVERT = 1000


class Lost(Exception):
    """The solution cannot be found exactly: degenerate data, too much rounding, too many steps."""


class ActiveSet:
    r"""The dual solution of a linear SVM, kept exact while single features are added or removed.

    The rows F with 0 < yᵢβᵢ < C are free, all others at a bound. With residuals r = y − Kβ − b, a
    Newton step on the free rows,

        [[0, 1ᵀ], [1, K_FF]] (Δb, Δβ) = (−Σβ, r_F),

    ends at the first bound it meets, and that row leaves F; after a whole step the rows whose
    residuals pull them from their bound into the box enter F. The solution is reached when there
    is none; this is checked on freshly computed residuals.

    A feature x that comes or goes turns K into K ± xxᵀ and r into r ∓ x·w_x, and leaves the old β
    feasible. The inverse of the bordered matrix follows a feature, a row that enters and a row that
    leaves by a rank-one update each. Of it and of K only the upper triangle is kept. The inverse
    lies in a table that has room for more rows and is zero there: to copy it whenever a row comes
    or goes would take longer than all updates.

    Parameters
    ----------
    features : array of shape (n_features, n_rows): the present features, one per row, centred.
    signs : labels ±1.
    C : upper bound of the coefficients.
    start : coefficients to start from.
    gram : ``features.T @ features``, if known; the first change of a feature overwrites it.

    Raises
    ------
    Lost
        Here and by :meth:`change`. After that the object is of no use.

    References
    ----------
    Nocedal & Wright (2006), Numerical Optimization, section 16.5.
    """

    def __init__(
        self,
        features: np.ndarray,
        signs: np.ndarray,
        C: float,
        start: np.ndarray,
        gram: np.ndarray | None = None,
    ):
        self.signs, self.C = signs, C
        self._low, self._high = box(signs, C)
        self._features = features
        if gram is None and self._gram_pays():
            gram = features.T @ features
        self._gram = None if gram is None else gram.T  # in Fortran's order, as BLAS updates it
        above = np.clip(start - self._low, 0.0, C)
        inside = np.minimum(above, C - above)
        least, (n_features, n) = _NEAR * inside.max(), features.shape
        if n_features < n:  # more free rows than features would depend on each other
            least = max(least, np.partition(inside, -n_features - 1)[-n_features - 1])
        self._free = np.flatnonzero(inside > least)
        # Direction in which β may leave its bound: 1 at the lower, −1 at the upper, else 0.
        self._way = np.where(above > 0.5 * C, -1.0, 1.0)
        self._way[self._free] = 0.0
        self.beta = np.where(self._way > 0, self._low, self._high)
        self.beta[self._free] = start[self._free]
        self.bias = 0.0
        self._invert()
        self._measure()
        self._settle()

    @property
    def solution(self) -> Solution:
        return Solution(self.beta, self.bias)

    def change(self, x: np.ndarray, sign: float, features: np.ndarray) -> None:
        """Follow feature ``x`` as it comes (1) or goes (−1); ``features`` are then present."""
        self._features = features
        if not self._gram_pays():
            self._gram = None
        if self._gram is not None:
            self._gram = dsyr(sign, x, a=self._gram, overwrite_a=1)
        border = self._bordered(0.0, x)
        moved = self._solved(border)
        denominator = 1.0 + sign * (border @ moved)
        if denominator < 1e-8:  # the free rows do not stay independent without x
            raise Lost
        self._update(-sign / denominator, moved)
        self._residual -= x * (sign * (x @ self.beta))
        self._settle()

    def _gram_pays(self) -> bool:
        """Whether K is kept; with few features for the rows Kβ is computed as Xᵀ(Xβ)."""
        n_features, n = self._features.shape
        return 2 * n_features >= n

    def _measure(self) -> None:
        """Compute the residuals."""
        if self._gram is not None:
            decision = dsymv(1.0, self._gram, self.beta)
        else:
            decision = (self._features @ self.beta) @ self._features
        self._residual = self.signs - decision
        self._residual -= self.bias

    def _settle(self) -> None:
        """Move β to the solution; its residuals must be known."""
        self.beta = self.beta.copy()  # the last solution is somebody else's
        if self._updates > _REINVERT:
            self._invert()
        for _ in range(len(self.signs) + 100):
            self._walk()
            self._measure()
            # At a bound the residual must not point to where β may go; free rows must have none.
            wrong = np.where(self._way == 0, np.abs(self._residual), self._residual * self._way)
            worst = wrong.max()
            balanced = abs(self.beta.sum()) <= 1e-9 * self.C * len(self.signs)
            if worst <= TOLERANCE and balanced:
                return
            pulled = np.flatnonzero((wrong >= _PULL * worst) & (self._way != 0))
            if len(pulled) and balanced:
                if not any([self._enter(row) for row in pulled]):
                    raise Lost
            elif self._updates:
                self._invert()
            else:
                raise Lost
        raise Lost

    def _walk(self) -> None:
        """Go to the solution for the free rows, without those that meet a bound on the way."""
        move = self._solved(self._bordered(-self.beta.sum(), self._residual))
        move = move[: len(self._free) + 1]
        beta, low, high = (values[self._free] for values in (self.beta, self._low, self._high))
        while True:
            inner = move[1:]
            bound = np.where(inner > 0, high, low)
            share = np.full(len(inner), np.inf)
            np.divide(bound - beta, inner, out=share, where=inner != 0)
            slot = int(share.argmin())
            length = min(1.0, share[slot])
            beta += length * inner
            self.bias += length * move[0]
            if length == 1.0:
                self.beta[self._free] = beta
                return
            row = self._free[slot]
            self.beta[row] = bound[slot]
            self._way[row] = -1.0 if inner[slot] > 0 else 1.0
            column = self._leave(slot)
            move -= column * (move[slot + 1] / column[slot + 1])
            move *= 1.0 - length
            move = _without(slot + 1, move)
            beta, low, high = (_without(slot, values) for values in (beta, low, high))

    # -- the inverse of the free rows' bordered matrix -----------------------------------------

    def _bordered(self, first: float, values: np.ndarray) -> np.ndarray:
        out = np.zeros(len(self._inverse))
        out[0] = first
        inner = out[1 : len(self._free) + 1]
        values.take(self._free, out=inner, mode="clip")  # unlike "raise", without a copy
        return out

    def _invert(self) -> None:
        free = self._free
        if not len(free):
            raise Lost
        bordered = np.ones((len(free) + 1, len(free) + 1))
        bordered[0, 0] = 0.0
        if self._gram is not None:
            above = np.minimum.outer(free, free), np.maximum.outer(free, free)
            bordered[1:, 1:] = self._gram[above]
        else:
            part = self._features[:, free]
            bordered[1:, 1:] = part.T @ part
        try:
            self._inverse = _with_room(np.linalg.inv(bordered))
        except np.linalg.LinAlgError:
            raise Lost from None
        self._updates = 0

    def _solved(self, border: np.ndarray) -> np.ndarray:
        return dsymv(1.0, self._inverse, border)

    def _update(self, factor: float, vector: np.ndarray) -> None:
        self._inverse = dsyr(factor, vector, a=self._inverse, overwrite_a=1)
        self._updates += 1

    def _enter(self, row: int) -> bool:
        """Make a row free, unless it depends on the free rows."""
        size = len(self._free) + 1
        if size == len(self._inverse):
            self._inverse = _with_room(self._inverse)
        if self._gram is not None:
            column = _column(self._gram, row)
        else:
            column = self._features[:, row] @ self._features
        border = self._bordered(1.0, column)
        moved = self._solved(border)
        pivot = column[row] - border @ moved
        if pivot <= 1e-9 * column[row]:
            return False
        self._update(1.0 / pivot, moved)
        moved /= -pivot
        moved[size] = 1.0 / pivot
        self._inverse[: size + 1, size] = moved[: size + 1]
        self._free = np.append(self._free, row)
        self._way[row] = 0.0
        return True

    def _leave(self, slot: int) -> np.ndarray:
        """Remove the row at ``slot`` from the free rows; returns its column of the old inverse."""
        place, last = slot + 1, len(self._free)
        column = _column(self._inverse, place)
        if last == 1 or not column[place] > 0:
            raise Lost
        self._update(-1.0 / column[place], column)
        moving = self._inverse[:, last]  # takes the place
        self._inverse[:place, place] = moving[:place]
        self._inverse[place, place + 1 : last] = moving[place + 1 : last]
        self._inverse[place, place] = moving[last]
        moving[: last + 1] = 0.0
        self._free = _without(slot, self._free)
        return column[: last + 1]


def _column(upper: np.ndarray, place: int) -> np.ndarray:
    """A column of the symmetric table of which the upper triangle is given."""
    column = upper[:, place].copy()
    column[place:] = upper[place, place:]
    return column


def _with_room(inverse: np.ndarray) -> np.ndarray:
    """The upper triangle in a larger table of zeros, in Fortran's order, as BLAS updates it."""
    size = len(inverse)
    table = np.zeros((size + 8 + size // 16,) * 2, order="F")
    table[:size, :size] = np.triu(inverse)
    return table


def _without(place: int, values: np.ndarray) -> np.ndarray:
    """The values without one of them, whose place the last takes; overwritten."""
    values[place] = values[-1]
    return values[:-1]
