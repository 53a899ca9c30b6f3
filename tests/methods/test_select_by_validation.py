"""The selection procedure by its definition, and the measures of essential features."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE, SelectKBest, f_classif
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from synthetic import group

from fslib import AMFES, CMIM, BestPrefix, Correlation
from fslib.evaluate.essential import recovery
from fslib.methods._validated import by_credit
from fslib.methods.select_by_validation import SelectByValidation, credits_of


def test_the_procedure_by_hand():
    """Three pairs over four features, worked out on paper."""
    ranks = np.array([[3, 2, 4, 1], [4, 1, 3, 2], [2, 3, 4, 1]])  # 3 1 0 2, 1 3 2 0, 3 0 1 2
    curves = np.array([[0.6, 0.8, 0.8, 0.7], [0.9, 0.9, 0.5, 0.5], [0.5, 0.7, 0.8, 0.8]])
    credit, size, peaks = credits_of(ranks, curves)
    assert peaks.tolist() == [2, 1, 3]  # the smallest k on ties
    assert credit.tolist() == [1, 3, 0, 2]  # 1 in all; 3 in the first and last; 0 in the last
    assert size == 2  # mean curve 0.667, 0.8, 0.7, 0.667
    assert by_credit(credit, ranks).tolist() == [1, 3, 0, 2]


def test_equal_credits_go_to_the_smaller_mean_rank_then_column():
    ranks = np.array([[2, 3, 1, 4], [1, 3, 2, 4]])
    assert by_credit(np.array([1, 1, 1, 1]), ranks).tolist() == [0, 2, 1, 3]


def test_it_does_what_the_paper_says_on_a_table():
    X, y = group(60, 30, 5, seed=1)
    codes = (y > 0).astype(int)
    selector = SelectByValidation(Correlation(), n_pairs=6, random_state=3).fit(X, y)
    pairs = StratifiedShuffleSplit(6, test_size=0.2, random_state=3).split(X, codes)
    for p, (train, validation) in enumerate(pairs):
        order = Correlation().fit(X[train], y[train]).order_
        assert (selector.pair_orders_[p] == order).all()
        for k in (1, 5, 17, 30):
            model = SVC(kernel="linear", tol=1e-7).fit(X[train][:, order[:k]], y[train])
            accuracy = model.score(X[validation][:, order[:k]], y[validation])
            assert selector.curves_[p, k - 1] == pytest.approx(accuracy)
    mean = selector.curves_.mean(axis=0)
    size = np.flatnonzero(mean >= mean.max() - 1e-12)[0] + 1
    assert sorted(selector.order_[:size]) == selector.get_support(indices=True).tolist()
    assert sorted(selector.order_) == list(range(30))
    assert [len(s) for s in selector.pair_sets_] == selector.peaks_.tolist()
    assert selector.scores_.max() <= 6


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same():
    X, y = group(50, 20, 5, seed=2)
    ranker = AMFES(n_subsets=4)
    one, two = (
        SelectByValidation(ranker, n_pairs=4, n_jobs=jobs, random_state=0).fit(X, y)
        for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.pair_orders_, two.pair_orders_)
    assert (one.curves_ == two.curves_).all()
    assert one.n_fits_ == two.n_fits_ == 4 * 4 * 4


def test_rankings_of_different_lengths():
    """CMIM leaves features unranked that tell nothing more, in each pair others."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (24, 40)), np.arange(24) % 2
    X[:, 5] = y ^ (np.arange(24) < 3)
    with pytest.warns(UserWarning, match="all scores left are 0"):
        selector = SelectByValidation(CMIM(), n_pairs=4, classifier="knn3", random_state=0).fit(
            X, y
        )
    assert len({len(order) for order in selector.pair_orders_}) > 1
    assert selector.curves_.shape == (4, 40)
    assert selector.support_[5]
    with pytest.warns(UserWarning, match="all scores left are 0"):
        assert 5 in BestPrefix(CMIM(), random_state=0).fit(X, y).order_


def test_any_classifier_and_any_ranker_by_their_definition():
    """Folds, rankings and models of scikit-learn alone give the same choice."""
    X, y = group(80, 12, 3, seed=4)
    chosen = BestPrefix(SelectKBest(k=5), classifier=LogisticRegression(), random_state=1)
    chosen.fit(X, y)
    folds = StratifiedKFold(5, shuffle=True, random_state=1).split(X, y)
    hits = np.zeros(12)
    for train, test in folds:
        order = np.argsort(-f_classif(X[train], y[train])[0], kind="stable")
        for k in range(1, 13):
            model = LogisticRegression().fit(X[train][:, order[:k]], y[train])
            hits[k - 1] += (model.predict(X[test][:, order[:k]]) == y[test]).sum()
    np.testing.assert_allclose(chosen.path_, hits / 80)
    best = np.argsort(-f_classif(X, y)[0], kind="stable")[: hits.argmax() + 1]
    assert chosen.order_.tolist() == best.tolist()


@pytest.mark.parametrize(
    "ranker",
    [
        f_classif,
        ExtraTreesClassifier(n_estimators=20),
        RFE(LogisticRegression(), n_features_to_select=3),
        make_pipeline(StandardScaler(), LinearSVC()),
    ],
)
def test_any_ranker_with_scores(ranker):
    X, y = group(60, 8, 3, seed=5)
    settings = {"classifier": KNeighborsClassifier(3), "random_state": 0}
    one, two = (BestPrefix(ranker, **settings).fit(X, y) for _ in range(2))
    assert one.order_.tolist() == two.order_.tolist()  # seeds reach the estimator within
    assert 1 <= len(one.order_) <= 8
    assert SelectByValidation(ranker, n_pairs=2, **settings).fit(X, y).support_.any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"classifier": "nbb"},
        {"classifier": 3},
        {"classifier": LinearRegression()},
        {"ranker": "mrmr"},
    ],
)
def test_what_is_no_classifier_or_ranker_is_refused(wrong):
    X, y = group(40, 5, 2, seed=6)
    with pytest.raises((ValueError, TypeError), match=r"classifier|neither a selector"):
        BestPrefix(**wrong).fit(X, y)


def test_validation_rows_are_never_seen_by_the_ranker():
    """A column that gives the label away in validation rows only is not chosen for it."""
    rng = np.random.default_rng(0)
    X, y = rng.random((100, 6)), np.arange(100) % 2
    X[:, 2] += y

    class Peeking(Correlation):
        def fit(self, X, y):
            seen.append(len(X))
            return super().fit(X, y)

    seen = []
    selector = SelectByValidation(Peeking(), n_pairs=3, random_state=0, max_size=2).fit(X, y)
    assert seen == [80, 80, 80]
    assert selector.curves_.shape == (3, 2)
    assert selector.support_[2]


def test_recovery_by_hand():
    found = recovery([5, 3, 9, 1, 0], essential=[3, 5, 1], k=3)
    assert found == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "phi": 2})
    # phi looks at the whole order, not only at the selected part
    assert recovery([5, 3, 1, 0], essential=[1, 3, 5], k=1)["phi"] == 3
    assert recovery([0, 1], essential=[5]) == {"precision": 0, "recall": 0, "f1": 0, "phi": 0}
    # of 11 selected, 9 of 15 essential: F1 of the paper's formula
    found = recovery(np.arange(6, 30), essential=np.arange(15), k=11)
    precision, recall = 9 / 11, 9 / 15
    assert found["f1"] == pytest.approx(2 * precision * recall / (precision + recall))
