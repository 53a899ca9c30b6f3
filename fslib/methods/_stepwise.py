"""What methods that rank one feature per step share."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable

import numpy as np

from fslib.base import Ranking

#: Criterion values closer than this tie: the order in which terms are summed changes last digits.
ROUNDING = 1e-12


def lowest_tied(greatest: np.ndarray) -> np.ndarray:
    """For each of the ``greatest`` values, the least value that ties with it."""
    return greatest - ROUNDING * np.maximum(1.0, np.abs(greatest))


def first_best(values: np.ndarray) -> int:
    """The lowest index among the greatest values, up to rounding."""
    return (values >= lowest_tied(values.max())).argmax()


def report_progress(log: logging.Logger, step: int, n_steps: int) -> None:
    """Say now and then how far a long ranking has come."""
    if step % 500 == 0:
        log.info("%d of %d features ranked", step, n_steps)


def stepwise_ranking(order: np.ndarray, path: np.ndarray, n_features: int) -> Ranking:
    """A ranking in which the score of a column is the criterion at the step that ranked it."""
    scores = np.full(n_features, np.nan)
    scores[order] = path
    return Ranking(order, scores, path)


def informed_ranking(order: np.ndarray, path: np.ndarray, n_features: int, name: str) -> Ranking:
    """A stepwise ranking that ends where all scores left are 0, the least that a score can be.

    Such features could only be put in the order of their columns, which says nothing: they stay
    unranked, with the score 0. One feature is ranked in any case.
    """
    told = max(1, int(np.count_nonzero(path > 0)))  # scores never rise from 0 again
    if told == n_features or path[-1] > 0:
        return stepwise_ranking(order, path, n_features)
    return ranking_until(told, order, path, n_features, name)


def ranking_until(
    told: int, order: np.ndarray, path: np.ndarray, n_features: int, name: str
) -> Ranking:
    """A stepwise ranking of the first ``told`` features; it says that all scores left are 0."""
    ranking = stepwise_ranking(order[:told], path[:told], n_features)
    ranking.scores[np.isnan(ranking.scores)] = 0.0
    warnings.warn(
        f"{name} ranks {told} of {n_features} features: all scores left are 0, and the order of "
        f"columns would be no information about the others.",
        stacklevel=3,
    )
    return ranking


def rank_by_sum(
    relevance: np.ndarray,
    contribution: Callable[[int], np.ndarray],
    n_steps: int,
    name: str,
) -> Ranking:
    """Rank the feature of greatest ``relevance`` first, the others step by step.

    Each step takes the feature f with the greatest sum of ``contribution(s)[f]`` over the features
    s ranked so far; contributions are not negative. ``name`` is the method's.
    """
    log = logging.getLogger(f"fslib.{name.lower()}")
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
    return informed_ranking(order, path, len(relevance), name)
