"""Numbers as people read them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A duration in the unit that suits it.

    >>> [duration(s) for s in (0.0004, 0.02, 1.5, 300, 7200)]
    ['0.4 ms', '20 ms', '1.5 s', '5 min', '2 h']
    """
    for limit, factor, unit in ((1, 1000, "ms"), (120, 1, "s"), (7200, 1 / 60, "min")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds / 3600:.3g} h"


def count(n: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "run"), count(2000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
