"""Help with mistyped names."""

from __future__ import annotations

from difflib import get_close_matches


def nearest(word: str, known) -> str:
    """``"; did you mean 'a' or 'b'?"``, or the whole list where nothing is near.

    >>> nearest("wnie", ["wine", "sonar"])
    "; did you mean 'wine'?"
    >>> nearest("MRMR", ["mrmr", "relieff"])
    "; did you mean 'mrmr'?"
    """
    known = sorted(str(k) for k in known)
    plain: dict[str, list[str]] = {}
    for name in known:
        plain.setdefault(name.casefold(), []).append(name)
    found = get_close_matches(str(word).casefold(), plain, n=3, cutoff=0.5)
    close = [name for match in found for name in plain[match]][:3]
    if close:
        return "; did you mean " + " or ".join(repr(c) for c in close) + "?"
    more = ", …" if len(known) > 40 else ""
    return "; known: " + ", ".join(known[:40]) + more if known else ""
