"""What methods that rank one feature per step share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fslib.base import Ranking


def stepwise_ranking(order: np.ndarray, path: np.ndarray, n_features: int) -> Ranking:
    """A ranking whose scores are the criterion's value when each column's turn came."""
    scores = np.full(n_features, np.nan)
    scores[order] = path
    return Ranking(order, scores, path)


def rank_by_sum(
    relevance: np.ndarray, contribution: Callable[[int], np.ndarray], n_steps: int
) -> Ranking:
    """Rank the most relevant feature first, then by the sum of contributions of those before."""
    total = np.zeros_like(relevance)
    order = np.empty(n_steps, dtype=np.intp)
    path = np.empty(n_steps)
    best = order[0] = relevance.argmax()
    path[0] = relevance[best]
    for step in range(1, n_steps):
        total += contribution(best)
        total[best] = -np.inf
        best = order[step] = total.argmax()
        path[step] = total[best]
    return stepwise_ranking(order, path, len(relevance))
