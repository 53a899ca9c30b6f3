"""How well classes were predicted: every measure, declared once.

Measures that need more than predicted classes take what a classifier's `Decisions` have: the area
under the ROC curve goes by probabilities, or else by decision values; log-loss goes by
probabilities, and a classifier without any (the SVMs) has no log-loss: null, never a calibration
that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fslib.evaluate.decisions import Decisions


@dataclass(frozen=True)
class Measure:
    """A number for the predictions of one classifier on one split."""

    name: str
    title: str
    greater_is_better: bool
    function: Callable[[Judged], np.ndarray | None]
    """One value per line of predictions; None where the classifier cannot be measured so."""
    note: str

    @property
    def sign(self) -> int:
        """1 where greater is better, −1 where less is."""
        return 1 if self.greater_is_better else -1


@dataclass(frozen=True)
class Judged:
    """Lines of predictions beside the true classes, given as codes."""

    truth: np.ndarray
    decisions: Decisions

    @cached_property
    def right(self) -> np.ndarray:
        return self.decisions.predicted == self.truth

    @cached_property
    def confusion(self) -> np.ndarray:
        """Lines × true classes × predicted classes: numbers of rows."""
        predicted = self.decisions.predicted
        n = int(max(self.truth.max(), predicted.max())) + 1
        pairs = self.truth * n + predicted
        starts = np.arange(len(predicted))[:, None] * n * n
        counts = np.bincount((pairs + starts).ravel(), minlength=len(predicted) * n * n)
        return counts.reshape(len(predicted), n, n)


def _accuracy(judged: Judged):
    return judged.right.mean(axis=1)


def _balanced_accuracy(judged: Judged):
    right, truth = judged.right, judged.truth
    return np.mean([right[:, truth == c].mean(axis=1) for c in np.unique(truth)], axis=0)


def _f1_macro(judged: Judged):
    counts = judged.confusion
    hits = np.diagonal(counts, axis1=1, axis2=2)
    both = counts.sum(axis=1) + counts.sum(axis=2)
    values = np.divide(2.0 * hits, both, out=np.zeros(hits.shape), where=both > 0)
    return values.sum(axis=1) / (both > 0).sum(axis=1)


def _matthews(judged: Judged):
    counts = judged.confusion.astype(float)
    n = counts.sum(axis=(1, 2))
    truth, predicted = counts.sum(axis=2), counts.sum(axis=1)
    covariance = n * np.trace(counts, axis1=1, axis2=2) - (truth * predicted).sum(axis=1)
    spread = (n**2 - (truth**2).sum(axis=1)) * (n**2 - (predicted**2).sum(axis=1))
    return np.divide(covariance, np.sqrt(spread), out=np.zeros(len(n)), where=spread > 0)


def _roc_auc(judged: Judged):
    from scipy.stats import rankdata

    truth, classes = judged.truth, judged.decisions.classes
    scores = judged.decisions.scores()
    if scores is None:
        return None
    areas = []
    # Of two classes one suffices: the other has the same area.
    present = [c for c in np.unique(truth) if 0 < (truth == c).sum() < len(truth)]
    for c in present[-1:] if len(classes) == 2 and len(present) == 2 else present:
        positive = truth == c
        n, m = positive.sum(), (~positive).sum()
        at = np.flatnonzero(classes == c)
        if not len(at):  # never seen in training: no row is more likely than another
            areas.append(np.full(scores.shape[1], 0.5))
            continue
        ranks = rankdata(scores[at[0]], axis=1)[:, positive].sum(axis=1)
        areas.append((ranks - n * (n + 1) / 2) / (n * m))
    return np.mean(areas, axis=0) if areas else None


def _log_loss(judged: Judged):
    probabilities = judged.decisions.probabilities()
    if probabilities is None:
        return None
    truth, classes = judged.truth, judged.decisions.classes
    at = np.searchsorted(classes, truth)
    known = np.isin(truth, classes)
    rows = np.arange(len(truth))
    given = probabilities[np.where(known, at, 0), :, rows].T
    tiny = np.finfo(float).eps
    return -np.log(np.clip(np.where(known, given, 0.0), tiny, 1.0)).mean(axis=1)


#: Every measure by the name that studies use.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", True, _accuracy, "share of rows predicted right"),
        Measure(
            "balanced_accuracy", "balanced accuracy", True, _balanced_accuracy,
            "mean over the classes of the share of rows predicted right",
        ),
        Measure(
            "roc_auc", "ROC-AUC", True, _roc_auc,
            "area under the ROC curve of each class against the rest, mean over the classes among "
            "the test rows",
        ),
        Measure(
            "log_loss", "log-loss", False, _log_loss,
            "mean of −log of the probability given to the true class, at least 2⁻⁵² each; null for "
            "classifiers without probabilities",
        ),
        Measure("f1_macro", "macro F1", True, _f1_macro, "mean over the classes of F1"),
        Measure(
            "matthews", "Matthews’ coefficient", True, _matthews,
            "correlation of true and predicted classes; 0 where one class is predicted throughout",
        ),
    )
}  # fmt: skip

#: What every study measures: the others cost time or mean nothing for some classifiers.
ALWAYS = ("accuracy", "balanced_accuracy")
