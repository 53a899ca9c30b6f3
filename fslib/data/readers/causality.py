"""Sets of the causality workbench in the files that are still to be had."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fslib.data.errors import DataError
from fslib.data.generate.lucas import FEATURES, MARKOV_BLANKET
from fslib.data.raw import Raw, numbered
from fslib.data.readers.text import numbers, rows_of

#: Where the real variables are among LUCAP's columns (1-based, in the order of FEATURES).
REAL_IN_LUCAP = (143, 5, 142, 32, 26, 110, 16, 46, 6, 4, 85)


def lucas(files: dict[str, Path]) -> Raw:
    """Eleven features and the target, in the documented order under Spanish headers."""
    values = numbers(rows_of(files["lucas.csv"], skip=1))
    labels = values[:, -1].astype(int).astype(str)
    essential = [FEATURES.index(f) for f in MARKOV_BLANKET]
    return Raw(values[:, :-1], labels, list(FEATURES), essential=np.array(essential))


def lucap(files: dict[str, Path]) -> Raw:
    """The rows of LUCAS with 132 probes among the features; targets come from the LUCAS file."""
    X = numbers(rows_of(files["lucap0_train.data"], None))
    original = lucas({"lucas.csv": files["lucas.csv"]})
    real = np.array(REAL_IN_LUCAP) - 1
    if not np.array_equal(X[:, real], original.X):
        raise DataError("lucap0_train.data and lucas.csv do not have the same rows.")
    names = numbered("probe", X.shape[1])
    for column, name in zip(real, FEATURES, strict=True):
        names[column] = name
    return Raw(X, original.labels, names)


def marti(files: dict[str, Path]) -> Raw:
    """A MATLAB matrix with the label (1 is +1, 2 is -1) in its last column."""
    from scipy.io import loadmat

    values = loadmat(files["marti1.mat"])["marti1"]
    labels = np.where(values[:, -1] == 1, "1", "-1")
    return Raw(values[:, :-1].astype(float), labels, numbered("f", values.shape[1] - 1))
