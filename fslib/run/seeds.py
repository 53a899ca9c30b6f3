"""Seeds from the names of things, never from loop position."""

from __future__ import annotations

import hashlib


def seed(*names) -> int:
    """A 64-bit hash of the names, the same on every machine.

    >>> seed(1, "wine", "kfold", 0, "mrmr") == seed(1, "wine", "kfold", 0, "mrmr")
    True
    >>> seed("ab", "c") == seed("a", "bc")
    False
    """
    text = "\x1f".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def random_state(value: int) -> int:
    """The part of a 64-bit seed that numpy's legacy generators accept."""
    return value % 2**32
