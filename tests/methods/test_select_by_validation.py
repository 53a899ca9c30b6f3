"""The selection procedure by its definition, and the measures of essential features."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC
from synthetic import group

from fslib import AMFES, Correlation
from fslib.evaluate.essential import recovery
from fslib.methods.select_by_validation import SelectByValidation, by_credit, credits_of


def test_the_procedure_by_hand():
    """Three pairs over four features, worked out on paper."""
    orders = np.array([[3, 1, 0, 2], [1, 3, 2, 0], [3, 0, 1, 2]])
    curves = np.array([[0.6, 0.8, 0.8, 0.7], [0.9, 0.9, 0.5, 0.5], [0.5, 0.7, 0.8, 0.8]])
    credit, size, peaks = credits_of(orders, curves)
    assert peaks.tolist() == [2, 1, 3]  # the smallest k on ties
    assert credit.tolist() == [1, 3, 0, 2]  # 1 in all; 3 in the first and last; 0 in the last
    assert size == 2  # mean curve 0.667, 0.8, 0.7, 0.667
    assert by_credit(credit, orders).tolist() == [1, 3, 0, 2]


def test_equal_credits_go_to_the_smaller_mean_rank_then_column():
    orders = np.array([[2, 0, 1, 3], [0, 2, 1, 3]])
    assert by_credit(np.array([1, 1, 1, 1]), orders).tolist() == [0, 2, 1, 3]


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
    assert (one.pair_orders_ == two.pair_orders_).all()
    assert (one.curves_ == two.curves_).all()
    assert one.n_fits_ == two.n_fits_ == 4 * 4 * 4


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
