"""Curves against scikit-learn's classifiers, one size at a time."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from fslib.criteria.base import fixed_folds
from fslib.evaluate.classifier import (
    CLASSIFIERS,
    decision_curve,
    name_of,
    predict_curve,
    title_of,
    tuned_settings,
)
from fslib.run import threads
from fslib.run.seeds import random_state, seed

PEERS = {
    "knn1": KNeighborsClassifier(1),
    "knn3": KNeighborsClassifier(3),
    "lssvm": RidgeClassifier(alpha=1.0, solver="cholesky"),
    "nb": GaussianNB(),
    "nb_categorical": CategoricalNB(),
    "svm_linear": SVC(kernel="linear", tol=1e-8),
    "svm_rbf": SVC(gamma="auto", tol=1e-8),
    "svm_rbf_tuned": SVC(gamma="auto", tol=1e-8),
    "logistic": LogisticRegression(max_iter=1000),
    "random_forest": RandomForestClassifier(100, random_state=0),
    "gradient_boosting": HistGradientBoostingClassifier(random_state=0),
}
#: A model per size takes long: these are compared at a few sizes.
SLOW = ("logistic", "random_forest", "gradient_boosting")


def table(n_train, n_test, d, n_classes=2, seed=0, codes=False):
    rng = np.random.default_rng(seed)
    n = n_train + n_test
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, d)) * rng.uniform(0.1, 10, d)
    X[:, ::3] += y[:, None] * rng.uniform(0, 2, X[:, ::3].shape[1])
    if codes:
        X = np.floor(4 * (X - X.min(axis=0)) / (np.ptp(X, axis=0) + 1e-9))
        X[0] = 3  # every column's highest code is seen in training
    else:
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return X[:n_train], y[:n_train], X[n_train:]


def one_by_one(name, X_train, y_train, X_test, sizes):
    return np.stack(
        [PEERS[name].fit(X_train[:, :k], y_train).predict(X_test[:, :k]) for k in sizes]
    )


@pytest.mark.parametrize("name", CLASSIFIERS.names())
@pytest.mark.parametrize(
    ("n_train", "d", "n_classes"), [(50, 120, 2), (160, 60, 2), (90, 40, 3), (60, 25, 4)]
)
def test_every_size_is_what_scikit_learn_predicts(name, n_train, d, n_classes):
    data = table(n_train, 30, d, n_classes, codes=name == "nb_categorical")
    sizes = [1, d // 2] if name in SLOW else range(1, d + 1)
    if name == "lssvm" and n_classes > 2:
        with pytest.raises(ValueError, match="two classes"):
            predict_curve(name, *data, sizes)
        return
    ours, theirs = predict_curve(name, *data, sizes), one_by_one(name, *data, sizes)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("seed", range(4))
def test_parameters_are_chosen_as_by_a_grid_search_on_all_features(seed):
    X_train, y_train, X_test = table(80, 30, 12, seed=seed)
    width = 1 / (X_train.var() * 12)
    grid = {"C": [1.0, 10.0, 100.0], "gamma": [width / 4, width, 4 * width]}
    folds = PredefinedSplit(fixed_folds(y_train, 3))
    search = GridSearchCV(SVC(tol=1e-8), grid, cv=folds).fit(X_train, y_train)
    chosen = tuned_settings("svm_rbf_tuned", X_train, y_train)
    assert chosen == pytest.approx(search.best_params_)
    sizes = [1, 5, 12]
    ours = predict_curve("svm_rbf_tuned", X_train, y_train, X_test, sizes, chosen)
    for line, k in zip(ours, sizes, strict=True):
        theirs = SVC(**chosen, tol=1e-8).fit(X_train[:, :k], y_train).predict(X_test[:, :k])
        np.testing.assert_array_equal(line, theirs)


def test_most_classifiers_have_nothing_to_choose():
    X_train, y_train, _ = table(30, 5, 4)
    assert tuned_settings("svm_rbf", X_train, y_train) == {}
    assert tuned_settings("svm_rbf_tuned", X_train, np.zeros(30, dtype=int)) == {}


@pytest.mark.parametrize("name", CLASSIFIERS.names())
def test_sizes_may_be_sparse_and_in_any_order(name):
    data = table(60, 20, 80, codes=name == "nb_categorical")
    wanted = [70, 3, 71, 3, 40, 72, 1]
    sizes = sorted(set(wanted)) if name in SLOW else list(range(1, 81))
    every = dict(zip(sizes, predict_curve(name, *data, sizes), strict=True))
    for line, k in zip(predict_curve(name, *data, wanted), wanted, strict=True):
        np.testing.assert_array_equal(line, every[k])


@pytest.mark.parametrize("name", CLASSIFIERS.names())
def test_absent_classes_keep_the_codes(name):
    X_train, y_train, X_test = table(60, 20, 10, 4, codes=name == "nb_categorical")
    present = np.isin(y_train, [1, 3])
    predicted = predict_curve(name, X_train[present], y_train[present], X_test, [2, 10])
    assert set(np.unique(predicted)) <= {1, 3}
    only = y_train == 2
    assert (predict_curve(name, X_train[only], y_train[only], X_test, [2, 10]) == 2).all()


@pytest.mark.parametrize("name", CLASSIFIERS.names())
def test_degenerate_tables_are_predicted(name):
    """Constant and duplicated columns, repeated rows, two rows: something is always predicted."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (12, 6)).astype(float)
    X[:, 1], X[:, 3] = 1.0, X[:, 2]
    X = np.vstack([X, X[:4], X])
    y = np.arange(len(X)) % 2
    assert predict_curve(name, X, y, X[:5], range(1, 7)).shape == (6, 5)
    assert predict_curve(name, X[:2], y[:2], X[:5], [1, 6]).shape == (2, 5)
    assert predict_curve(name, X, y, X[:0], [1]).shape == (1, 0)


def test_smoothing_of_gaussian_variances_follows_the_columns_used():
    """A later column of huge variance must not smooth the earlier ones away."""
    X_train, y_train, X_test = table(40, 20, 6)
    X_train[:, 3] *= 1e6
    X_test[:, 3] *= 1e6
    data = X_train, y_train, X_test
    np.testing.assert_array_equal(
        predict_curve("nb", *data, range(1, 7)), one_by_one("nb", *data, range(1, 7))
    )


@pytest.mark.parametrize("gamma", [None, 2.0])
@pytest.mark.parametrize("k", [3, 8])
def test_least_squares_svm_solves_the_bordered_system(gamma, k):
    X, y, tests = table(40, 20, 8)

    def kernel(a, b):
        squares = ((a[:, None, :k] - b[None, :, :k]) ** 2).sum(axis=2)
        return a[:, :k] @ b[:, :k].T if gamma is None else np.exp(-gamma * squares / k)

    ones = np.ones((40, 1))
    system = np.block([[kernel(X, X) + np.eye(40) / 10, ones], [ones.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(system, np.append(np.where(y == 0, 1.0, -1.0), 0.0))
    decision = kernel(tests, X) @ solution[:40] + solution[40]
    settings = {"C": 10.0} if gamma is None else {"C": 10.0, "gamma": gamma}
    (predicted,) = predict_curve("lssvm", X, y, tests, [k], settings)
    np.testing.assert_array_equal(predicted, np.where(decision < 0, 1, 0))


def test_codes_never_seen_in_training_count_zero():
    X, y = np.array([[0], [0], [1], [1], [1]]), np.array([0, 0, 0, 1, 1])
    # unseen: P(0)·1/(3+2) = 0.12 against P(1)·1/(2+2) = 0.1
    assert predict_curve("nb_categorical", X, y, [[7]], [1]).tolist() == [[0]]
    with pytest.raises(ValueError, match="discretise"):
        predict_curve("nb_categorical", X + 0.5, y, [[7]], [1])


def test_mistakes_are_named():
    data = table(10, 2, 3)
    with pytest.raises(ValueError, match="did you mean 'knn3'"):
        predict_curve("knn", *data, [1])
    with pytest.raises(ValueError, match=r"1\.\.3"):
        predict_curve("knn3", *data, [4])


def shared_vote(k, X_train, y_train, row):
    """The definition, row by row: rows as far as the last neighbour share what votes are left."""
    distances = ((X_train - row) ** 2).sum(axis=1)
    last = np.sort(distances)[min(k, len(distances)) - 1]
    nearer, as_far = distances < last, distances == last
    share = (min(k, len(distances)) - nearer.sum()) / as_far.sum()
    classes = np.unique(y_train)
    votes = [
        (nearer & (y_train == c)).sum() + share * (as_far & (y_train == c)).sum() for c in classes
    ]
    return classes[np.argmax(np.round(votes, 9))]


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([1, 3]), st.integers(2, 4))
def test_neighbours_at_equal_distance_share_their_vote(seed, k, n_classes):
    """On tables of few levels ties are common; small whole numbers make distances exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    y = np.arange(60) % n_classes
    train, test = X[:40], X[40:]
    found = predict_curve(f"knn{k}", train, y[:40], test, [1, 2, 4])
    for line, size in zip(found, [1, 2, 4], strict=True):
        expected = [shared_vote(k, train[:, :size], y[:40], row[:size]) for row in test]
        np.testing.assert_array_equal(line, expected)
    order = rng.permutation(40)
    again = predict_curve(f"knn{k}", train[order], y[:40][order], test, [1, 2, 4])
    np.testing.assert_array_equal(again, found)


def test_neighbours_of_many_test_rows_are_found_in_blocks():
    X_train, y_train, X_test = table(50, 257, 8)
    whole = predict_curve("knn3", X_train, y_train, X_test, range(1, 9))
    single = [predict_curve("knn3", X_train, y_train, row[None], range(1, 9)) for row in X_test]
    np.testing.assert_array_equal(whole, np.concatenate(single, axis=1))


def test_threads_share_the_blocks_of_test_rows(monkeypatch):
    X_train, y_train, X_test = table(50, 457, 8)
    alone = predict_curve("knn3", X_train, y_train, X_test, range(1, 9))
    monkeypatch.setattr(threads, "allowed", 3)
    together = predict_curve("knn3", X_train, y_train, X_test, range(1, 9))
    np.testing.assert_array_equal(together, alone)


def test_neighbours_in_long_tables_take_the_memory_of_a_block():
    """All distances would take 80 MB, those of 100 test rows 16 MB a copy."""
    X_train, y_train, X_test = table(20_000, 500, 2)
    tracemalloc.start()
    predict_curve("knn3", X_train, y_train, X_test, [1, 2])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6


ANYBODYS = {
    "name": "bagged",
    "use": "sklearn.ensemble:BaggingClassifier",
    "n_estimators": 5,
    "estimator": {"use": "sklearn.tree:DecisionTreeClassifier", "max_depth": 2},
}


def test_any_class_is_a_classifier_with_its_own_seed():
    data = table(60, 30, 8)
    one, again, other = (
        decision_curve(ANYBODYS, *data, [2, 8], random_state=state) for state in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.probabilities(), again.probabilities())
    assert (one.probabilities() != other.probabilities()).any()
    X_train, y_train, X_test = data
    inner = DecisionTreeClassifier(max_depth=2, random_state=random_state(seed(1, "estimator")))
    peer = BaggingClassifier(inner, 5, random_state=1).fit(X_train[:, :2], y_train)
    np.testing.assert_array_equal(one.predicted[0], peer.predict(X_test[:, :2]))
    assert (name_of(ANYBODYS), title_of("bagged"), title_of("nb")) == ("bagged",) * 2 + (
        "Naive Bayes",
    )


def test_margins_of_any_class_are_used_where_it_has_no_probabilities():
    asked = {"name": "ridge", "use": "sklearn.linear_model:RidgeClassifier"}
    for n_classes in (2, 3):
        X_train, y_train, X_test = table(60, 30, 8, n_classes)
        found = decision_curve(asked, X_train, y_train, X_test, [8])
        assert found.probabilities() is None
        values = RidgeClassifier().fit(X_train, y_train).decision_function(X_test)
        np.testing.assert_allclose(
            found.scores()[-1, 0], values if n_classes == 2 else values[:, -1]
        )
