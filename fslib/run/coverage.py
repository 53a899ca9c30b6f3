"""What fingerprints cover, kept beside the results: so that a change can be named later."""

from __future__ import annotations

import json

from fslib.run.artefacts import atomic_path
from fslib.run.fingerprint import COVERED
from fslib.run.layout import Layout


def write_covered(at: Layout) -> None:
    """Keep what the fingerprints of this process cover, a small file each."""
    for made, covered in COVERED.items():
        if not at.code(made).exists():
            with atomic_path(at.code(made)) as temporary:
                temporary.write_text(json.dumps(covered, indent=1, sort_keys=True) + "\n")


def coverage(made: str, at: Layout) -> dict[str, str] | None:
    """Files and facts behind a fingerprint, nested fingerprints included; None if unknown."""
    covered = COVERED.get(made)
    if covered is None:
        if not at.code(made).exists():
            return None
        covered = json.loads(at.code(made).read_text())
    found = dict(covered["files"])
    for name, fact in covered["facts"].items():
        for value in fact if isinstance(fact, list) else [fact]:
            inner = coverage(value, at) if isinstance(value, str) else None
            found |= {f"{name} {value}": ""} if inner is None else inner
    return found
