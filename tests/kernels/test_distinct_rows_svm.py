"""SVMs on distinct rows against SVC on all rows and against SVC with weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from fslib.kernels.svm import dual
from fslib.kernels.svm.distinct import held_out_accuracies

TIGHT = 1e-9


def copies(seed: int, classes: int, n: int = 240, distinct: int = 40):
    """Rows drawn from a few points, their classes and folds."""
    random = np.random.default_rng(seed)
    points = random.normal(size=(distinct, 4))
    group = np.append(np.arange(distinct), random.integers(0, distinct, n - distinct))
    noisy = points[group, 0] + random.normal(size=n)
    y = np.searchsorted(np.quantile(noisy, np.arange(1, classes) / classes), noisy)
    return points, group, y, random.permutation(np.arange(n) % 3)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_accuracies_are_those_of_svc(classes, C, weighted):
    points, group, y, fold_of = copies(classes, classes)
    expected = []
    for fold in range(3):
        train, test = fold_of != fold, fold_of == fold
        rows, labels, counts = points[group[train]], y[train], None
        if weighted:
            kinds, counts = np.unique(
                np.stack([group[train], y[train]]), axis=1, return_counts=True
            )
            rows, labels = points[kinds[0]], kinds[1]
        model = SVC(kernel="linear", C=C, tol=TIGHT).fit(rows, labels, sample_weight=counts)
        expected.append(np.mean(model.predict(points[group[test]]) == y[test]))
    found = held_out_accuracies(points @ points.T, group, y, fold_of, C, TIGHT)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_class_missing_from_training_and_a_single_class():
    points = np.array([[0.0], [1.0], [2.0]])
    group, y = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 1, 1, 1])
    fold_of = np.array([0, 0, 0, 1, 1, 1])
    found = held_out_accuracies(points @ points.T, group, y, fold_of, 1.0, TIGHT)
    np.testing.assert_array_equal(found, [0.0, 0.0])


@pytest.mark.parametrize("classes", [2, 4])
def test_direct_call_and_svc_agree_on_several_classes(monkeypatch, classes):
    points, group, y, _ = copies(1, classes)
    kinds, counts = np.unique(np.stack([y, group]), axis=1, return_counts=True)
    gram = points[kinds[1]] @ points[kinds[1]].T
    problem = gram, kinds[0], 1.0, 1e-6, counts.astype(float)
    direct = dual.solve_classes(*problem)
    monkeypatch.setattr(dual, "_libsvm_fit", None)
    for ours, theirs in zip(direct, dual.solve_classes(*problem), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
