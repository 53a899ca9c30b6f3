"""The obvious implementations that benchmarks/filters.py compares with, and its optional peers."""

from __future__ import annotations

import csv
import logging
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment


def information(x, z, bins):
    """Mutual information of two columns of codes, the numpy way."""
    p = np.bincount(x * bins + z, minlength=bins * bins).reshape(bins, bins) / len(x)
    expected = p.sum(axis=1, keepdims=True) * p.sum(axis=0)
    filled = p > 0
    return (p[filled] * np.log(p[filled] / expected[filled])).sum()


def greedy(relevance, pairs, criterion, redundancies):
    """One mRMR ranking from all mutual informations."""
    order, remaining = [int(relevance.argmax())], list(range(len(relevance)))
    remaining.remove(order[0])
    while remaining:
        redundancy = redundancies(pairs, remaining, order)
        best = remaining[int(criterion(relevance[remaining], redundancy).argmax())]
        order.append(best)
        remaining.remove(best)
    return order


def one_by_one(pairs, remaining, order):
    """The mean redundancy of each candidate, as the formula has it."""
    return np.array([pairs[f, order].mean() for f in remaining])


def all_at_once(pairs, remaining, order):
    """The mean redundancy of each candidate, without a loop over the candidates."""
    return pairs[np.ix_(remaining, order)].mean(axis=1)


def assignment_per_prefix(su, order_a, order_b, lengths):
    """Similarity of two sequences for the given prefix lengths, one assignment each."""
    values = []
    for k in lengths:
        block = su[np.ix_(order_a[:k], order_b[:k])]
        values.append(block[linear_sum_assignment(block, maximize=True)].mean())
    return np.array(values)


def sum_as_written(weights, gaps):
    """``sum_i w_i gaps_i`` as the formula has it."""
    return (weights[:, None] * gaps).sum(axis=0)


def irelief(X, y, sigma, n_iter, weighted_sum=np.matmul):
    """I-RELIEF with a loop over samples."""
    weights = np.full(X.shape[1], 1 / X.shape[1])
    for _ in range(n_iter):
        margins = np.zeros(X.shape[1])
        for n in range(len(X)):
            gaps = np.abs(X - X[n])
            kernel = np.exp(-weighted_sum(weights, gaps.T) / sigma)
            miss = y != y[n]
            hit = ~miss
            hit[n] = False
            if not hit.any():
                continue
            gamma = kernel[hit].sum() / (kernel[hit].sum() + kernel[miss].sum())
            nearest_miss = weighted_sum(kernel[miss], gaps[miss]) / kernel[miss].sum()
            nearest_hit = weighted_sum(kernel[hit], gaps[hit]) / kernel[hit].sum()
            margins += gamma * (nearest_miss - nearest_hit)
        positive = np.maximum(margins, 0)
        weights = positive / np.linalg.norm(positive)
    return weights


def irelief_lean(X, y, sigma, n_iter):
    """I-RELIEF with a loop over samples that copies neither hits nor misses."""
    weights = np.full(X.shape[1], 1 / X.shape[1])
    for _ in range(n_iter):
        margins = np.zeros(X.shape[1])
        for n in range(len(X)):
            gaps = np.abs(X - X[n])
            kernel = np.exp(-(gaps @ weights) / sigma)
            kernel[n] = 0
            misses = np.where(y != y[n], kernel, 0)
            hits = kernel - misses
            if hits.sum() > 0:
                shares = misses / misses.sum() - hits / hits.sum()
                margins += hits.sum() / kernel.sum() * (shares @ gaps)
        positive = np.maximum(margins, 0)
        weights = positive / np.linalg.norm(positive)
    return weights


def interact(X, y, by_uncertainty, threshold):
    """INTERACT's elimination with a dictionary of rows."""

    def inconsistency(columns):
        groups = defaultdict(Counter)
        for row, label in zip(map(tuple, X[:, columns].tolist()), y.tolist(), strict=True):
            groups[row][label] += 1
        return 1 - sum(max(c.values()) for c in groups.values()) / len(y)

    kept = list(by_uncertainty)
    rate = inconsistency(kept)
    for f in by_uncertainty[::-1]:
        rest = [g for g in kept if g != f]
        without = inconsistency(rest)
        if without - rate <= threshold and rest:
            kept, rate = rest, without
    return kept


def feast():
    """FEAST (C), from the package ``fstoolbox``; None where it is not installed."""
    try:
        logging.disable(logging.WARNING)  # fstoolbox warns about its own library on import
        import fstoolbox
    except ImportError:
        return None
    finally:
        logging.disable(logging.NOTSET)
    return fstoolbox


def scikit_feature_mrmr():
    """scikit-feature's mRMR, from the package ``skfeature-chappers``; None if not installed."""
    try:
        from skfeature.function.information_theoretical_based import MRMR
    except ImportError:
        return None
    return MRMR.mrmr


_PRAZNIK = """
library(praznik)
table <- read.csv("{path}", header=FALSE)
table[] <- lapply(table, factor)
y <- table[[ncol(table)]]; X <- table[-ncol(table)]
best <- min(sapply(seq_len({repeats}), function(i)
  sum(system.time({method}(X, y, {k}, threads=1))[1:2])))
cat(best)
"""


def praznik_seconds(method: str, X, y, k: int, repeats: int) -> float | None:
    """CPU seconds of the R package praznik; None where R or the package is missing."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(np.column_stack([X, y]).tolist())
        script = _PRAZNIK.format(path=path, method=method, k=k, repeats=repeats)
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else None
