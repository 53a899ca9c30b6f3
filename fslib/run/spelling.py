"""Help with mistyped names."""

from __future__ import annotations

from difflib import get_close_matches


def nearest(word: str, known) -> str:
    """``"; did you mean 'a' or 'b'?"``, or the whole list where nothing is near.

    >>> nearest("wnie", ["wine", "sonar"])
    "; did you mean 'wine'?"
    """
    known = sorted(str(k) for k in known)
    close = get_close_matches(str(word), known, n=3, cutoff=0.5)
    if close:
        return "; did you mean " + " or ".join(repr(c) for c in close) + "?"
    more = ", …" if len(known) > 40 else ""
    return "; known: " + ", ".join(known[:40]) + more if known else ""
