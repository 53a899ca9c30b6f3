"""Tables for the SVM tests: the paper's generator, and tables that break solvers."""

import numpy as np


def group(n, d, n_essential=15, seed=0):
    """Guyon's design as in the AMFES paper: essential columns first, in [0, 1], labels ±1."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.uniform(-1, 1, (n, d))
    differing = rng.permutation(n_essential)[:7]
    mean = rng.choice([-1.0, 1.0], n_essential)
    for label in (1, -1):
        W = rng.uniform(-1, 1, (n_essential, n_essential))
        u = rng.standard_normal(((y == label).sum(), n_essential))
        X[y == label, :n_essential] = np.clip(u @ W + mean, -3, 3)
        mean[differing] *= -1
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y


def noisy(n, d, seed=0, flips=0.1):
    """Binary features and a label that some of them explain, with a share of it flipped."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < 0.5).astype(float)
    y = np.where(X[:, : max(1, d // 8)].mean(axis=1) > 0.5, 1.0, -1.0)
    y[rng.random(n) < flips] *= -1
    y[:2] = 1, -1
    return X, y


def correlated(n, d, seed=0):
    """Features that follow a few hidden ones, and a label that does not: many free rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 8)) @ rng.standard_normal((8, d)) + rng.standard_normal((n, d))
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)


def degenerate():
    """Name and table of every kind that has troubled a solver."""
    rng = np.random.default_rng(3)
    X, y = group(40, 30, 5, seed=1)
    yield "separable", X + 3 * y[:, None] * (np.arange(30) < 2), y
    yield "repeated rows", np.vstack([X, X[:15], X]), np.concatenate([y, y[:15], y])
    yield "contradicting rows", np.vstack([X, X]), np.concatenate([y, -y])
    yield "constant columns", np.hstack([np.ones((40, 3)), X, np.full((40, 4), 0.1)]), y
    yield "repeated columns", np.hstack([X, X, X[:, :7]]), y
    yield "two rows", X[:2], y[:2]
    yield "three rows", X[[0, 1, 2]], y[[0, 1, 2]]
    yield "identical classes", np.tile(rng.random((1, 30)), (20, 1)), y[:20]
    yield "one against many", X, np.where(np.arange(40) == 7, 1.0, -1.0)
    yield "large scale", X * 1e4, y
    yield "small scale", X * 1e-4, y
    yield "few values", *noisy(60, 12, seed=2)
    yield "fewer features than classes of rows", X[:, :2], y
    yield "one feature", X[:, :1], y
