"""Numbers as people read them."""

from __future__ import annotations

import math

#: Keeps a number and its unit on one line.
NBSP = "\u00a0"


def form(value, kind: str) -> str:
    """A value as people read it.

    >>> form(0.0004, "p").split(), form(None, "number"), form(1234.5, "number")
    (['<', '0.001'], '–', '1,230')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if kind == "percent":
        return f"{100 * value:.1f}{NBSP}%"
    if kind == "points":
        return f"{100 * value:+.1f}".replace("-", "−")
    if kind == "p":
        return f"<{NBSP}0.001" if value < 0.001 else f"{value:.3f}"
    if kind == "rank":
        return f"{value:.2f}"
    if kind == "fixed":
        return f"{value:.3f}".replace("-", "−")
    if kind == "seconds":
        return duration(value).replace(" ", NBSP)
    if kind == "number":
        shown = float(f"{value:.3g}") if math.isfinite(value) else value
        return f"{shown:,.10g}".replace("-", "−").replace("inf", "∞")
    return str(value)


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
