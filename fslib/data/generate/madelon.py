"""Guyon's Madelon recipe."""

from __future__ import annotations

from itertools import product

import numpy as np

from fslib.data.generate.streams import shuffled, stream
from fslib.data.raw import Raw

INFORMATIVE, REDUNDANT = 5, 15


def madelon(files, *, n_rows: int, n_features: int, separation: float, flipped: float) -> Raw:
    """A XOR-like problem: single features say next to nothing, together they decide.

    One cluster of normal points on each of the 32 vertices of a five-dimensional cube with
    corners at ± ``separation``, each with a random linear map of its own; half of the
    clusters belong to each class. 15 redundant features are random combinations of the five
    and the rest are standard normal probes. A share ``flipped`` of the labels is redrawn.
    The 5 informative and 15 redundant features are essential.
    Guyon (2003), Design of experiments for the NIPS 2003 variable selection benchmark.
    """
    rng = stream("madelon")
    vertices = separation * np.array(list(product((-1.0, 1.0), repeat=INFORMATIVE)))
    label_of_cluster = rng.permutation(np.arange(len(vertices)) % 2)
    cluster = rng.permutation(np.arange(n_rows) % len(vertices))
    maps = rng.uniform(-1, 1, size=(len(vertices), INFORMATIVE, INFORMATIVE))
    points = rng.normal(size=(n_rows, INFORMATIVE))
    informative = np.einsum("ni,nij->nj", points, maps[cluster]) + vertices[cluster]
    redundant = informative @ rng.uniform(-1, 1, size=(INFORMATIVE, REDUNDANT))
    essential = INFORMATIVE + REDUNDANT
    X = rng.normal(size=(n_rows, n_features))
    X[:, :essential] = np.hstack([informative, redundant])
    # Scale and shift hide the kinds of feature from anyone who looks at variances.
    X = X / X.std(axis=0) * rng.uniform(1, 100, size=n_features) + rng.uniform(-1, 1, n_features)
    label = label_of_cluster[cluster]
    redrawn = rng.uniform(size=n_rows) < flipped
    label[redrawn] = rng.integers(2, size=redrawn.sum())
    return shuffled(X, 2 * label - 1, range(essential), stream("madelon", "columns"))
