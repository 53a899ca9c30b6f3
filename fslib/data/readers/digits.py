"""The six feature sets of UCI's handwritten numerals (mfeat)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fslib.data.raw import Raw, numbered
from fslib.data.readers.text import numbers, rows_of


def mfeat(files: dict[str, Path]) -> Raw:
    """The six files side by side; 200 rows of each digit in turn, labels are implied."""
    parts = {name.partition("-")[2]: numbers(rows_of(p, None)) for name, p in files.items()}
    X = np.hstack(list(parts.values()))
    names = [n for part, block in parts.items() for n in numbered(f"{part}_", block.shape[1])]
    return Raw(X, (np.arange(len(X)) // 200).astype(str), names)
