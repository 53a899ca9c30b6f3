"""A number of things, or a share of them."""

from __future__ import annotations


def number_of(wanted: float, total: int) -> int:
    """How many of ``total`` things a number, or a share below 1, asks for; at least one.

    >>> number_of(3, 10), number_of(0.29, 100), number_of(0.05, 10)
    (3, 29, 1)
    """
    # Rounded first: 0.29 * 100 is a little less than 29.
    return max(1, int(round(wanted * total, 9))) if wanted < 1 else int(wanted)
