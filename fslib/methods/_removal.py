"""How many features methods that eliminate features remove at a time."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real


def removal_of(step: int | float | str) -> Callable[[int], int]:
    """A function of the number of surviving features: how many of them go, at least one.

    ``step`` is a number, a share (below 1) of the surviving features, or "half".

    >>> [removal_of(step)(7) for step in (2, 0.3, 0.1, "half")]
    [2, 2, 1, 4]
    """
    if isinstance(step, str) and step == "half":
        return lambda n: (n + 1) // 2
    if isinstance(step, Integral) and not isinstance(step, bool) and step >= 1:
        return lambda n: min(n, int(step))
    if isinstance(step, Real) and 0 < step < 1:
        return lambda n: max(1, int(n * step))
    raise ValueError(f"step must be a positive integer, a share below 1 or 'half', got {step!r}.")
