"""What every criterion promises, and that the fast ones equal scikit-learn's cross-validation."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from fslib.criteria.base import fixed_folds
from fslib.criteria.named import criterion_for
from fslib.criteria.parallel import evaluate
from fslib.criteria.svm import LinearSVMCriterion
from fslib.kernels.svm import dual

NAMED = ["knn3", "nb", "nb_categorical", "svm_linear", "svm_rbf", "lssvm_mae", "lssvm_mm"]


def table(seed: int, codes: bool = False, classes: int = 2, n: int = 45, d: int = 8):
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % classes)
    X = random.integers(0, 3, (n, d)).astype(float) if codes else random.normal(size=(n, d))
    X[:, 0] += y
    return X, y


def subsets_of(d: int, seed: int, count: int) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [
        np.sort(random.choice(d, random.integers(1, d + 1), replace=False)) for _ in range(count)
    ]


def accuracy(model, X, y, folds, subset) -> float:
    return cross_val_score(model, X[:, subset], y, cv=PredefinedSplit(folds)).mean()


@pytest.mark.parametrize("name", NAMED)
def test_every_way_of_asking_gives_the_same_value(name):
    X, y = table(0, codes=name == "nb_categorical")
    J = criterion_for(name, X, y, 3)
    subset, rest = [1, 4, 6], [0, 2, 3, 5, 7]
    single = [J.one([*subset, column]) for column in rest]
    np.testing.assert_allclose(J.many([[column, *subset] for column in rest]), single, atol=1e-12)
    np.testing.assert_allclose(J.plus_each(subset, rest), single, atol=1e-12)
    without = [J.one([4, 1]), J.one([1, 6]), J.one([6, 4])]
    np.testing.assert_allclose(J.minus_each([6, 4, 1]), without, atol=1e-12)


@pytest.mark.parametrize("name", ["knn3", "nb", LogisticRegression()])
def test_counts_one_model_per_subset_and_fold(name):
    J = criterion_for(name, *table(0), 3)
    J.one([0])
    J.many([[0], [1, 2]])
    J.plus_each([0], [1, 2])
    J.minus_each([3, 4])
    assert J.n_fits == 3 * 7


def test_a_function_gets_the_columns_and_the_classes():
    X, y = table(0)
    J = criterion_for(lambda part, labels: float(part.sum() + labels.sum()), X, y, 3)
    assert J.one([2, 5]) == pytest.approx(X[:, [2, 5]].sum() + y.sum())
    assert J.n_fits == 1


def test_an_estimator_is_scored_on_the_fixed_folds():
    X, y = table(1)
    model = LogisticRegression()
    expected = cross_val_score(model, X[:, [0, 3]], y, cv=StratifiedKFold(3)).mean()
    assert criterion_for(model, X, y, 3).one([3, 0]) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["continuous", "constant column", "few values"])
def test_gaussian_naive_bayes_is_scikit_learns(kind, classes):
    X, y = table(classes, codes=kind == "few values", classes=classes)
    if kind == "constant column":
        X[:, 2] = 7.0
        X[y == 0, 3] = 1.0
    J = criterion_for("nb", X, y, 3)
    subsets = [*subsets_of(8, 1, 40), np.array([2])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant columns divide by zero in GaussianNB itself
        plain = [accuracy(GaussianNB(), X, y, J.fold_of, subset) for subset in subsets]
    assert J.many(subsets).tolist() == plain


@pytest.mark.parametrize("classes", [2, 4])
def test_categorical_naive_bayes_is_scikit_learns(classes):
    X, y = table(classes, codes=True, classes=classes)
    X[:, 5] = X[:, 4]
    J = criterion_for("nb_categorical", X, y, 3)
    subsets = subsets_of(8, 2, 40)
    plain = [
        accuracy(
            CategoricalNB(min_categories=X[:, subset].max(axis=0).astype(int) + 1),
            X,
            y,
            J.fold_of,
            subset,
        )
        for subset in subsets
    ]
    assert J.many(subsets).tolist() == plain


def test_categorical_naive_bayes_refuses_continuous_values():
    with pytest.raises(ValueError, match="equal_width"):
        criterion_for("nb_categorical", *table(0), 3)


def decisions(model, X, y, folds, subset) -> np.ndarray:
    """Decision values of all rows, each from the model trained without its fold."""
    values = []
    for train, test in PredefinedSplit(folds).split():
        fitted = model.fit(X[train][:, subset], y[train])
        values.append(np.abs(fitted.decision_function(X[test][:, subset])).ravel())
    return np.concatenate(values)


both_svms = pytest.mark.parametrize(
    ("name", "params", "model"),
    [
        ("svm_linear", {"C": 0.5}, SVC(kernel="linear", C=0.5, decision_function_shape="ovo")),
        ("svm_rbf", {"C": 2.0, "gamma": 0.1}, SVC(C=2, gamma=0.1, decision_function_shape="ovo")),
    ],
)


@pytest.mark.parametrize("classes", [2, 3])
@both_svms
@pytest.mark.parametrize("n", [45, 240])
def test_svm_is_svc_but_for_decisions_within_its_tolerance(name, params, model, classes, n):
    X, y = table(3, classes=classes, n=n)
    J = criterion_for(name, X, y, 3, params)
    for subset in subsets_of(8, 3, 6):
        undecided = (decisions(model, X, y, J.fold_of, subset) <= 2e-3).sum()
        fold_size = np.bincount(J.fold_of).min()
        difference = abs(J.one(subset) - accuracy(model, X, y, J.fold_of, subset))
        assert difference <= undecided / fold_size / 3 + 1e-12


@pytest.mark.parametrize("classes", [2, 4])
@both_svms
def test_svm_trains_on_distinct_rows_where_they_are_few(name, params, model, classes, monkeypatch):
    """Terms of texts: most are absent, and most rows are equal to another."""
    random = np.random.default_rng(5)
    y = random.integers(0, classes, 400)
    X = np.where(random.random((400, 60)) < 0.03 + 0.02 * y[:, None], random.integers(1, 4), 0.0)
    trained = []

    def recorded(gram, labels, *settings):
        trained.append(len(labels))
        return dual.solve_classes(gram, labels, *settings)

    monkeypatch.setattr("fslib.kernels.svm.distinct.solve_classes", recorded)
    J = criterion_for(name, X, y, 3, params)
    for size in (1, 4, 12):
        subset = np.sort(random.choice(60, size, replace=False))
        value = J.one(subset)
        n_distinct = len(np.unique(X[:, subset], axis=0))
        assert n_distinct < 200
        assert len(trained) == 3
        assert max(trained) <= classes * n_distinct
        trained.clear()
        undecided = (decisions(model, X, y, J.fold_of, subset) <= 5e-3).sum()
        difference = abs(value - accuracy(model, X, y, J.fold_of, subset))
        assert difference <= undecided / np.bincount(J.fold_of).min() / 3 + 1e-12


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("nb", {}),
        ("nb_categorical", {}),
        ("lssvm_mae", {}),
        ("lssvm_mm", {"C": 10.0}),
        ("lssvm_mm", {"kernel": "rbf", "C": 10.0, "gamma": 0.5}),
    ],
)
def test_rows_equal_on_all_columns_count_once(name, params, monkeypatch):
    random = np.random.default_rng(8)
    y = random.integers(0, 2, 300)
    X = ((random.random((300, 4)) < 0.3 + 0.3 * y[:, None]) + 0.0).round()
    merged = criterion_for(name, X, y, 3, params)
    monkeypatch.setattr(f"{type(merged).__module__}.DISTINCT_SHARE", 0.0)
    plain = criterion_for(name, X, y, 3, params)
    sizes = [
        len(J.Z) if name.startswith("lssvm") else sum(len(fold.asked) for fold in J.folds)
        for J in (merged, plain)
    ]
    assert sizes[0] <= 3 * 2 * 16
    assert sizes[1] == 300
    subsets = [[0], [1, 2], [0, 1, 2, 3]]
    np.testing.assert_allclose(merged.many(subsets), plain.many(subsets), rtol=1e-10)
    plus = [J.plus_each([1], [0, 2, 3]) for J in (merged, plain)]
    np.testing.assert_allclose(*plus, rtol=1e-10)
    minus = [J.minus_each([1, 2, 3]) for J in (merged, plain)]
    np.testing.assert_allclose(*minus, rtol=1e-10)


@pytest.mark.parametrize("codes", [False, True])
def test_one_kernel_serves_all_pairs_of_classes_on_wide_tables(codes, monkeypatch):
    """60 features, 30 rows in a pair of classes."""
    X, y = table(6, codes, classes=3, n=45, d=60)
    model = SVC(kernel="linear", decision_function_shape="ovo")
    monkeypatch.setattr(LinearSVMCriterion, "_of_all_rows", None)
    J = criterion_for("svm_linear", X, y, 3, {"C": 1.0})
    undecided = (decisions(model, X, y, J.fold_of, np.arange(60)) <= 5e-3).sum()
    expected = accuracy(model, X, y, J.fold_of, np.arange(60))
    assert J.one(range(60)) == pytest.approx(expected, abs=undecided / 45 + 1e-12)


def test_svm_parameters_are_chosen_once_on_all_features():
    X, y = table(4, n=60)
    J = criterion_for("svm_rbf", X, y, 3, {"C": [0.01, 1.0, 10.0], "gamma": [0.01, 0.1]})
    scores = {
        (C, gamma): accuracy(SVC(C=C, gamma=gamma), X, y, J.fold_of, np.arange(8))
        for C in (0.01, 1.0, 10.0)
        for gamma in (0.01, 0.1)
    }
    assert scores[J.params["C"], J.params["gamma"]] == max(scores.values())
    assert J.n_fits == 3 * 6


def test_a_candidate_is_not_in_the_set_already():
    J = criterion_for("knn3", *table(0), 3)
    with pytest.raises(ValueError, match="already"):
        J.plus_each([1, 2], [2, 3])


@pytest.mark.slow
def test_processes_change_nothing(other_processes):
    X, y = table(5)
    subsets = subsets_of(8, 4, 80)
    alone, together = criterion_for("nb", X, y, 3), criterion_for("nb", X, y, 3)
    np.testing.assert_array_equal(evaluate(alone, subsets), evaluate(together, subsets, n_jobs=2))
    assert alone.n_fits == together.n_fits


def test_folds_are_those_of_the_splitter():
    y = np.arange(20) % 2
    for cv in (3, KFold(4), StratifiedKFold(5, shuffle=True, random_state=1)):
        folds = fixed_folds(y, cv)
        splitter = StratifiedKFold(3) if cv == 3 else cv
        for fold, (_, test) in enumerate(splitter.split(np.zeros(20), y)):
            np.testing.assert_array_equal(np.flatnonzero(folds == fold), test)


def test_folds_must_hold_out_every_row_once():
    with pytest.raises(ValueError, match="row"):
        fixed_folds(np.arange(20) % 2, ShuffleSplit(3, random_state=0))
    with pytest.raises(ValueError, match="at least 2"):
        fixed_folds(np.array([0, 1]), 3)


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(ValueError, match="svm_linear"):
        criterion_for("svm_liner", *table(0), 3)


def test_k_nearest_neighbours_is_scikit_learns_on_tie_free_data():
    for classes, k in ((2, 1), (2, 3), (4, 3), (3, 5)):
        X, y = table(6, classes=classes, n=90, d=20)
        J = criterion_for(f"knn{k}", X, y, 3)
        subsets = subsets_of(20, 5, 20)
        model = KNeighborsClassifier(k)
        plain = [accuracy(model, X, y, J.fold_of, subset) for subset in subsets]
        assert J.many(subsets).tolist() == plain
