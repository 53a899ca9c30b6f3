"""What methods that rank one feature per step share."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np

from fslib.base import Ranking

#: Differences below this are rounding: sums of equal terms in another order.
ROUNDING = 1e-12


def lowest_tied(greatest: np.ndarray) -> np.ndarray:
    """The least values that differ from the greatest ones by no more than rounding."""
    return greatest - ROUNDING * np.maximum(1.0, np.abs(greatest))


def first_best(values: np.ndarray) -> int:
    """The lowest index among the greatest values, up to rounding."""
    return (values >= lowest_tied(values.max())).argmax()


def report_progress(log: logging.Logger, step: int, n_steps: int) -> None:
    """Say now and then how far a long ranking has come."""
    if step % 500 == 0:
        log.info("%d of %d features ranked", step, n_steps)


def stepwise_ranking(order: np.ndarray, path: np.ndarray, n_features: int) -> Ranking:
    """A ranking whose scores are the criterion's value when each column's turn came."""
    scores = np.full(n_features, np.nan)
    scores[order] = path
    return Ranking(order, scores, path)


def rank_by_sum(
    relevance: np.ndarray,
    contribution: Callable[[int], np.ndarray],
    n_steps: int,
    log: logging.Logger,
) -> Ranking:
    """Rank the most relevant feature first, then by the sum of contributions of those before."""
    total = np.zeros_like(relevance)
    order = np.empty(n_steps, dtype=np.intp)
    path = np.empty(n_steps)
    best = order[0] = first_best(relevance)
    path[0] = relevance[best]
    for step in range(1, n_steps):
        total += contribution(best)
        total[best] = -np.inf
        best = order[step] = first_best(total)
        path[step] = total[best]
        report_progress(log, step, n_steps)
    return stepwise_ranking(order, path, len(relevance))
