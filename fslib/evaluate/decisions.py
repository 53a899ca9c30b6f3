"""What a classifier says of test rows, for every number of features: classes, and how surely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Decisions:
    """Predicted classes of test rows, a line per number of features, and what they come from.

    Probabilities and margins are computed where a measure asks for them, and only then.
    """

    predicted: np.ndarray
    """Lines × test rows: class codes."""
    classes: np.ndarray
    """Class codes of the training rows, ascending."""
    raw: np.ndarray | list[np.ndarray] | None = None
    """What the classifier compares, classes × lines × test rows unless ``of_raw`` knows better."""
    of_raw: Callable | None = None
    """From ``raw`` to classes × lines × test rows."""
    sure: bool = False
    """Whether that are probabilities; otherwise margins, greater where a class is more likely."""

    @classmethod
    def by_likelihood(cls, logarithms: np.ndarray, classes: np.ndarray) -> Decisions:
        """From log-likelihoods of classes × lines × test rows."""
        best = most_likely(logarithms)
        return cls(classes[best], classes, logarithms, _normalised_likelihoods, sure=True)

    @classmethod
    def by_votes(cls, votes: np.ndarray, classes: np.ndarray) -> Decisions:
        """From votes of classes × lines × test rows; equal votes go to the lower class."""
        return cls(classes[most_likely(votes)], classes, votes, _shares, sure=True)

    @classmethod
    def by_pairs(cls, pairs: list[np.ndarray], classes: np.ndarray) -> Decisions:
        """From decisions between two classes each, positive for the second one.

        The class with most votes of the pairs is predicted, the lower code on ties: LIBSVM's rule.
        """
        votes = np.zeros((len(classes), *pairs[0].shape), dtype=np.intp)
        for (a, b), decision in zip(_pairs(len(classes)), pairs, strict=True):
            votes[a] += decision < 0
            votes[b] += decision >= 0
        return cls(classes[votes.argmax(axis=0)], classes, pairs, _margins)

    def lines(self, wanted: np.ndarray) -> Decisions:
        """Some of the lines, in any order."""
        if self.raw is None:
            return replace(self, predicted=self.predicted[wanted])
        pairwise = isinstance(self.raw, list)
        raw = [r[wanted] for r in self.raw] if pairwise else self.raw[:, wanted]
        return replace(self, predicted=self.predicted[wanted], raw=raw)

    def scores(self) -> np.ndarray | None:
        """Classes × lines × test rows: greater where a class is more likely; None if unknown."""
        if self.raw is None or self.of_raw is None:
            return self.raw
        return self.of_raw(self.raw)

    def probabilities(self) -> np.ndarray | None:
        """Classes × lines × test rows; None where a classifier has no probabilities."""
        return self.scores() if self.sure else None


def most_likely(likelihoods) -> np.ndarray:
    """``argmax`` along the first axis, the classes: numpy's own is slow along a short axis."""
    best, greatest = np.zeros(likelihoods.shape[1:], dtype=np.intp), likelihoods[0].copy()
    for c, likelihood in enumerate(likelihoods[1:], start=1):
        # As in numpy, the first NaN comes before all numbers.
        np.copyto(best, c, where=~(likelihood <= greatest) & ~np.isnan(greatest))
        np.maximum(greatest, likelihood, out=greatest)
    return best


def _normalised_likelihoods(logarithms: np.ndarray) -> np.ndarray:
    greatest = logarithms.max(axis=0)
    # A likelihood of −inf for every class says nothing of them.
    shifted = np.exp(logarithms - np.where(np.isfinite(greatest), greatest, 0.0))
    shifted = np.nan_to_num(shifted, nan=0.0, posinf=1.0)
    total = shifted.sum(axis=0)
    equal = np.full_like(shifted, 1.0 / len(shifted))
    return np.divide(shifted, total, out=equal, where=total > 0)


def _shares(votes: np.ndarray) -> np.ndarray:
    return votes / votes.sum(axis=0)


def _pairs(n: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(n) for b in range(a + 1, n)]


def _margins(pairs: list[np.ndarray]) -> np.ndarray:
    """scikit-learn's one-vs-rest values: votes, and sums of decisions that break ties of votes."""
    if len(pairs) == 1:
        return np.stack([-pairs[0], pairs[0]])
    n = int((1 + np.sqrt(1 + 8 * len(pairs))) / 2)
    votes, sums = np.zeros((2, n, *pairs[0].shape))
    for (a, b), decision in zip(_pairs(n), pairs, strict=True):
        sums[a] -= decision
        sums[b] += decision
        votes[a] += decision < 0
        votes[b] += decision >= 0
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))
