"""A linear SVM whose features come and go."""

from __future__ import annotations

import numpy as np

from fslib.kernels.svm.active_set import ActiveSet, Lost
from fslib.kernels.svm.linear import solve

#: Up to this many rows LIBSVM solves an SVM faster than an active set follows it with few features.
_FEW_ROWS = 128


def worth_following(n_features: int, n_rows: int) -> bool:
    """Whether following one more feature costs less than a fresh solution.

    With few features for the rows, a change of one feature changes the free rows many times.
    """
    return n_features > (2 * n_rows if n_rows <= _FEW_ROWS else n_rows / 12)


class FollowedSVM:
    """The exact dual solution of a linear SVM on features that come and go one at a time.

    Where an active set cannot follow a feature, the SVM is solved afresh. ``n_fits`` counts the
    solutions, ``n_fallbacks`` those that only LIBSVM, without a limit, could give.
    """

    def __init__(self, features: np.ndarray, signs: np.ndarray, C: float):
        self.signs, self.C = signs, C
        self.n_fits = self.n_fallbacks = 0
        self.solve(features)

    def solve(self, features: np.ndarray) -> None:
        """Forget what was before; ``features`` has one row per feature, centred."""
        self._active = None
        self.beta, self.bias, fallback = solve(features, self.signs, self.C)
        self.n_fits += 1
        self.n_fallbacks += fallback

    def change(self, x: np.ndarray, sign: float, features: np.ndarray) -> None:
        """Feature ``x`` comes (1) or goes (−1); ``features`` are then present."""
        if not worth_following(*features.shape):
            self.solve(features)
            return
        try:
            if self._active is None:
                self._active = ActiveSet(features, self.signs, self.C, self.beta)
            else:
                self._active.change(x, sign, features)
        except Lost:
            self.solve(features)
            return
        self.beta, self.bias, _ = self._active.solution
        self.n_fits += 1
