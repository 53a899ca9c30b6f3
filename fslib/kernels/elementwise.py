"""Expressions over large arrays that numexpr fuses into one pass, in all threads of the job.

numexpr and numpy give the same bits, and the number of values alone decides which of them computes.
``benchmarks/results/numexpr.md`` has the measurements, also of what is left to numpy.
"""

from __future__ import annotations

import numpy as np

from fslib.run import threads

#: Below this number of values numpy's passes are as quick: they find the array in the cache.
MANY = 2**22


def filled_and_scaled(
    X: np.ndarray, fill: np.ndarray, shift: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """``(x - shift) / scale`` of each column, with ``fill`` in place of NaN.

    >>> X = np.array([[np.nan, 2.0], [3.0, np.nan]])
    >>> filled_and_scaled(X, np.array([9.0, 4.0]), np.ones(2), np.full(2, 2.0)).tolist()
    [[4.0, 0.5], [1.0, 1.5]]
    """
    import numexpr  # most processes never need it

    if threads.allowed is not None:  # outside of jobs the user's settings of numexpr hold
        numexpr.set_num_threads(threads.allowed)
    operands = {"x": X, "shift": shift, "scale": scale, "filled": (fill - shift) / scale}
    expression = "where(x == x, (x - shift) / scale, filled)"
    # Its own result numexpr allocates in pages of the smallest size, at twice numpy's cost.
    return numexpr.evaluate(expression, operands, out=np.empty(X.shape))
