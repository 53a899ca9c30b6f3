"""ARFF files, dense, with numeric features and the class as the last attribute."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fslib.data.errors import DataError
from fslib.data.raw import Raw


def arff(
    files: dict[str, Path],
    *,
    folds: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
) -> Raw:
    """``folds``: the files to join, in order, and each one's fold; ``labels`` renames classes."""
    from scipy.io.arff import ArffError, loadarff

    blocks, found, names = [], [], None
    for name in folds or files:
        try:
            data, header = loadarff(files[name])
        except (ArffError, ValueError, StopIteration) as problem:
            raise DataError(f"{name}: cannot be read as ARFF ({problem}).") from problem
        names = names or header.names()
        if header.names() != names:
            raise DataError(f"{name}: its attributes are not those of the first file.")
        blocks.append(np.column_stack([data[n] for n in names[:-1]]).astype(float))
        last = data[names[-1]]
        found.append(np.char.decode(last) if last.dtype.kind == "S" else last.astype(int))
    spelling = [str(label) for label in np.concatenate(found)]
    return Raw(
        np.vstack(blocks),
        np.array([(labels or {}).get(label, label) for label in spelling]),
        names[:-1],
        fold=np.repeat(list(folds.values()), [len(b) for b in blocks]) if folds else None,
    )
