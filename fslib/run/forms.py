"""Values as pages and figures show them."""

from __future__ import annotations

import math

from fslib.run.numbers import duration

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
