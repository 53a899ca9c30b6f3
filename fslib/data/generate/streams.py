"""Random streams with names, and the finish every generated table gets."""

from __future__ import annotations

import hashlib

import numpy as np

from fslib.data.raw import Raw, numbered


def stream(*names) -> np.random.Generator:
    """A generator seeded by names alone.

    >>> stream("a", 1).integers(100) == stream("a", 1).integers(100)
    np.True_
    """
    digest = hashlib.sha256("/".join(str(n) for n in names).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def shuffled(
    X: np.ndarray, labels, essential, rng: np.random.Generator, *, names=None, fold=None
) -> Raw:
    """A generated table with its columns permuted.

    Ties go to the lower column, so that essential columns in front would win ties unearned.
    Values are rounded to six decimals: the last bits of a product depend on the CPU.
    Without ``names`` the columns are named by place, so that a name gives nothing away.
    """
    order = rng.permutation(X.shape[1])
    place = np.argsort(order)
    return Raw(
        X=np.round(X[:, order], 6) + 0.0,  # + 0.0 turns -0.0 into 0.0
        labels=np.asarray(labels).astype(str),
        feature_names=numbered("x", X.shape[1]) if names is None else [names[i] for i in order],
        fold=fold,
        essential=np.sort(place[np.asarray(essential, dtype=int)]),
    )
