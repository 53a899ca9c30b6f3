"""Naive Bayes on one fold for a population of feature subsets.

Log-likelihoods add over features, so the scores of all subsets for a class are one product of
their masks with the per-feature terms. Where the two best classes are closer than the rounding
of that product, the terms are added again in scikit-learn's own order, so that predictions are
those of ``GaussianNB`` and ``CategoricalNB``, ties included.
"""

from __future__ import annotations

import numpy as np

_ROUNDING = np.finfo(np.float64).eps


def correct_counts(fold, columns: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Held-out rows that each subset classifies correctly.

    ``masks`` has one row per subset and one column per entry of ``columns``.
    """
    scores, magnitude = fold.scores(columns, masks)
    best = scores[0].copy()
    second = np.full_like(best, -np.inf)
    winner = np.zeros(best.shape, dtype=np.intp)
    for code, score in enumerate(scores[1:], start=1):
        ahead = score > best
        np.maximum(second, np.minimum(best, score), out=second)
        np.maximum(best, score, out=best)
        winner[ahead] = code
    # Twice the worst rounding of a sum of as many terms in either order, for both classes.
    slack = 8 * (len(columns) + 4) * _ROUNDING
    close = best - second <= slack * (np.abs(best) + np.abs(second) + magnitude[:, None])
    for subset in np.flatnonzero(close.any(axis=1)):
        rows = np.flatnonzero(close[subset])
        exact = fold.plain_scores(columns[masks[subset] > 0], rows)
        winner[subset, rows] = np.argmax(exact, axis=1)
    n_rows = fold.of_class.shape[1]
    return fold.of_class.take(winner * n_rows + np.arange(n_rows)).sum(axis=1)


class _Fold:
    """What both kinds of naive Bayes share: the classes in training, and the rows to classify.

    ``group`` has a number per row, the same for equal rows, which are classified once; None where
    rows are not known to be equal. ``of_class`` (classes × distinct held-out rows) is the number of
    held-out rows of each class that equal each distinct one.
    """

    def __init__(self, y: np.ndarray, held_out: np.ndarray, group: np.ndarray | None):
        self.present, self.counts = np.unique(y[~held_out], return_counts=True)
        asked = np.flatnonzero(held_out)
        self.n_held_out = len(asked)
        first, place = np.arange(len(asked)), np.arange(len(asked))
        if group is not None:
            _, first, place = np.unique(group[asked], return_index=True, return_inverse=True)
        self.of_class = np.stack(
            [np.bincount(place[y[asked] == c], minlength=len(first)) for c in self.present]
        )
        self.asked = asked[first]


class GaussianFold(_Fold):
    """Class means and variances of the training rows, and the rows held out."""

    def __init__(self, X, y, held_out, group, var_smoothing: float):
        super().__init__(y, held_out, group)
        train, labels = X[~held_out], y[~held_out]
        self.test = np.ascontiguousarray(X[self.asked].T)
        classes = [train[labels == code] for code in self.present]
        self.means = np.stack([rows.mean(axis=0) for rows in classes])
        self.variances = np.stack([rows.var(axis=0) for rows in classes])
        self.floors = var_smoothing * train.var(axis=0)
        self.log_prior = np.log(self.counts / self.counts.sum())

    def scores(self, columns, masks):
        """Log joint likelihoods per class, subset and row, and a bound of their other terms."""
        test = self.test[columns]
        floor_of = np.max(masks * self.floors[columns], axis=1)
        floors, which = np.unique(floor_of, return_inverse=True)
        scores, magnitude = [], np.zeros(len(masks))
        with np.errstate(divide="ignore", invalid="ignore"):
            for prior, mean, variance in zip(
                self.log_prior, self.means[:, columns], self.variances[:, columns], strict=True
            ):
                smoothed = variance + floors[:, None]
                logs = np.log(2.0 * np.pi * smoothed)
                constant = _masked_sums(masks, logs, which)
                magnitude = np.maximum(magnitude, _masked_sums(masks, np.abs(logs), which))
                squares = test - mean[:, None]
                squares *= squares
                quadratic = (masks * (1.0 / smoothed)[which]) @ squares
                quadratic += constant[:, None]
                quadratic *= -0.5
                quadratic += prior
                scores.append(quadratic)
        # Constant columns alone leave no variance: GaussianNB then answers with the first class.
        for score in scores:
            score[floor_of == 0] = 0.0
        magnitude[floor_of == 0] = 0.0
        return scores, magnitude

    def plain_scores(self, subset, rows):
        """``GaussianNB``'s own expression for one subset."""
        X = self.test[subset][:, rows].T.copy()
        floor = self.floors[subset].max()
        scores = np.empty((len(rows), len(self.present)))
        with np.errstate(divide="ignore", invalid="ignore"):
            for code, prior in enumerate(self.log_prior):
                variance = self.variances[code, subset] + floor
                score = -0.5 * np.sum(np.log(2.0 * np.pi * variance))
                score -= 0.5 * np.sum((X - self.means[code, subset]) ** 2 / variance, 1)
                scores[:, code] = prior + score
        return scores


def _masked_sums(masks: np.ndarray, values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Row sums of ``masks * values[which]`` where a mask is 1; infinities outside do not count."""
    if len(values) == 1:
        return masks @ np.where(np.isfinite(values[0]), values[0], 0.0)
    return np.einsum("ij,ij->i", masks, np.where(np.isfinite(values), values, 0.0)[which])


class CategoricalFold(_Fold):
    """Log probabilities of every category, looked up for the rows held out."""

    def __init__(self, codes, y, held_out, group, alpha: float):
        super().__init__(y, held_out, group)
        sizes = codes.max(axis=0) + 1
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        flat = codes + starts
        self.test = np.ascontiguousarray(flat[self.asked].T)
        train, labels = flat[~held_out], y[~held_out]
        self.log_probability = np.empty((len(self.present), sizes.sum()))
        for i, code in enumerate(self.present):
            counts = np.bincount(train[labels == code].ravel(), minlength=sizes.sum()) + alpha
            totals = np.add.reduceat(counts, starts)
            self.log_probability[i] = np.log(counts) - np.repeat(np.log(totals), sizes)
        self.log_prior = np.log(self.counts) - np.log(self.counts.sum())

    def scores(self, columns, masks):
        """Log joint likelihoods per class, subset and row, and a bound of their other terms."""
        test = self.test[columns]
        scores = [
            masks @ log_probability[test] + prior
            for prior, log_probability in zip(self.log_prior, self.log_probability, strict=True)
        ]
        return scores, np.zeros(len(masks))

    def plain_scores(self, subset, rows):
        """``CategoricalNB``'s own order of additions for one subset."""
        test = self.test[subset][:, rows]
        sums = np.cumsum(self.log_probability[:, test], axis=1)[:, -1]
        return sums.T + self.log_prior
