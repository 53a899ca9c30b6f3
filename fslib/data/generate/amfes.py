"""The synthetic data of Chang & Chen (2009), TR-IIS-09-010, section 3.1 (after Guyon 2003)."""

from __future__ import annotations

import numpy as np

from fslib.data.generate.streams import shuffled, stream
from fslib.data.raw import Raw

ESSENTIAL = 15


def draw_model(rng: np.random.Generator, n_differing: int | None) -> tuple[np.ndarray, np.ndarray]:
    """``W`` (2 × c × c, uniform in [-1, 1]) and ``μ`` (2 × c, ±1) of the two classes.

    ``n_differing`` fixes in how many features the two means differ; free by default.
    """
    W = rng.uniform(-1, 1, size=(2, ESSENTIAL, ESSENTIAL))
    mu = rng.choice([-1.0, 1.0], size=(2, ESSENTIAL))
    if n_differing is not None:
        mu[1] = mu[0]
        mu[1, rng.choice(ESSENTIAL, size=n_differing, replace=False)] *= -1
    return W, mu


def draw_rows(rng: np.random.Generator, model, n_rows: int, n_features: int) -> np.ndarray:
    """Rows of alternating class: ``v = uW + μ`` cut at ±3, then uniform noise in [-1, 1]."""
    W, mu = model
    u = rng.normal(size=(n_rows, ESSENTIAL))
    X = rng.uniform(-1, 1, size=(n_rows, n_features))
    for c in (0, 1):
        X[c::2, :ESSENTIAL] = np.clip(u[c::2] @ W[c] + mu[c], -3, 3)
    return X


def group(files, *, group: int, n_rows: int, form: str, n_features: int, copy: int = 1) -> Raw:
    """A set of Group I or II: the first ``n_rows`` of the group's 1500, and its test rows.

    ``as_tables``: one model with exactly seven differing means, shared by both groups, as
    the paper's tables imply. ``as_text``: model, rows and test rows all redrawn per copy.
    Sizes are nested; the 1000 test rows are the same for all sizes of a group.
    """
    if form == "as_tables":
        model = draw_model(stream("amfes", form, "model"), n_differing=7)
    else:
        model = draw_model(stream("amfes", form, copy, "model"), n_differing=None)
    rows = draw_rows(stream("amfes", form, group, copy, "train"), model, 1500, n_features)
    test = draw_rows(stream("amfes", form, group, copy, "test"), model, 1000, n_features)
    X = np.vstack([rows[:n_rows], test])
    return shuffled(
        X,
        np.where(np.arange(len(X)) % 2 == 0, "1", "-1"),
        range(ESSENTIAL),
        stream("amfes", form, group, copy, "columns"),
        fold=np.repeat(["train", "test"], [n_rows, len(test)]),
    )


def quick(files, *, n_rows: int, n_features: int) -> Raw:
    """A small set of the same kind for the default study."""
    model = draw_model(stream("amfes", "quick", "model"), n_differing=7)
    X = draw_rows(stream("amfes", "quick", "rows"), model, n_rows, n_features)
    labels = np.where(np.arange(n_rows) % 2 == 0, "1", "-1")
    return shuffled(X, labels, range(ESSENTIAL), stream("amfes", "quick", "columns"))
