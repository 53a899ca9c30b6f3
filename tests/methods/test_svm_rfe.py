"""SVM-RFE against LIBSVM, step by step from the same surviving features."""

import numpy as np
import pytest
from sklearn.svm import SVC
from synthetic import degenerate, group, noisy

from fslib import SVMRFE

pytestmark = pytest.mark.filterwarnings("ignore:Solver terminated early")


def libsvm_scores(X, y):
    """Σ w² over the pairs of classes, with LIBSVM as tight as it gets."""
    model = SVC(kernel="linear", tol=1e-7, max_iter=2_000_000).fit(X, y)
    return (model.coef_**2).sum(axis=0)


def assert_every_step_removes_the_smallest(X, y, order, path, steps, atol=0.0):
    removed = order[::-1]
    for t in steps:
        scores = libsvm_scores(X[:, removed[t:]], y)
        slack = 1e-3 * np.sqrt(scores.min() * scores.max()) + 1e-6 * scores.max() + atol
        assert scores[0] <= scores.min() + slack
        assert path[t] == pytest.approx(scores[0], abs=slack)


@pytest.mark.parametrize(
    ("X", "y", "steps"),
    [
        (*group(40, 300), range(0, 299, 7)),
        (*group(150, 120), range(0, 119, 7)),
        (*noisy(200, 40), range(0, 39, 3)),
        (*group(600, 25), range(0, 24, 2)),
    ],
    ids=["wide", "square", "binary", "tall"],
)
def test_each_step_is_exact(X, y, steps):
    selector = SVMRFE().fit(X, y)
    assert sorted(selector.order_) == list(range(X.shape[1]))
    assert selector.n_fits_ == X.shape[1]
    assert_every_step_removes_the_smallest(X, y, selector.order_, selector.path_, steps)


def test_whole_order_without_near_ties():
    """Feature by feature as a plain loop over SVC has it, where every minimum is clear."""
    X, y = group(60, 25, 5, seed=4)
    alive, removed, clearest = list(range(25)), [], np.inf
    while alive:
        scores = libsvm_scores(X[:, alive], y)
        if len(alive) > 1:
            smallest, second = np.sqrt(np.sort(scores)[:2])
            clearest = min(clearest, (second - smallest) / np.sqrt(scores.max()))
        removed.append(alive.pop(int(scores.argmin())))
    assert clearest > 1e-4
    assert SVMRFE().fit(X, y).order_.tolist() == removed[::-1]


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_several_classes_sum_their_scores(multiclass):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.random((60, 30)) + (y[:, None] == np.arange(30) % 10)
    selector = SVMRFE(multiclass=multiclass).fit(X, y)
    assert set(selector.order_[:3] % 10) <= {0, 1, 2}
    if multiclass == "ovo":
        assert_every_step_removes_the_smallest(
            X, y, selector.order_, selector.path_, range(0, 29, 4)
        )


@pytest.mark.parametrize(("name", "X", "y"), list(degenerate()))
def test_degenerate_tables_are_ranked(name, X, y):
    selector = SVMRFE().fit(X, y)
    assert sorted(selector.order_) == list(range(X.shape[1]))
    assert np.isfinite(selector.path_).all()


def test_constant_columns_go_first_and_the_higher_of_equals():
    X, y = group(30, 8, 5)
    X = np.hstack([X, np.full((30, 2), 0.3), X[:, :1]])
    order = SVMRFE().fit(X, y).order_.tolist()
    assert order[-2:] == [8, 9]
    assert order.index(0) < order.index(10)


@pytest.mark.parametrize(
    ("step", "n_fits"), [(1, 40), (3, 14), (0.25, None), ("half", 6), (100, 1)]
)
def test_steps(step, n_fits):
    X, y = group(50, 40)
    selector = SVMRFE(step=step).fit(X, y)
    assert sorted(selector.order_) == list(range(40))
    if n_fits:
        assert selector.n_fits_ == n_fits
    if step == 3:  # the first three leave by the weights of all
        assert selector.order_[::-1][:3].tolist() == libsvm_scores(X, y).argsort()[:3].tolist()


@pytest.mark.parametrize("step", [0, -1, 1.5, "third", True])
def test_impossible_steps_are_named(step):
    X, y = group(20, 5, 5)
    with pytest.raises(ValueError, match="step must be"):
        SVMRFE(step=step).fit(X, y)


def test_labels_may_be_anything():
    X, y = group(40, 20)
    order = SVMRFE().fit(X, y).order_
    for labels in (np.where(y > 0, "yes", "no"), np.where(y > 0, 7, 3), y > 0):
        assert (SVMRFE().fit(X, labels).order_ == order).all()
    assert (SVMRFE().fit(X, -y).order_ == order).all()


@pytest.mark.parametrize("step", [1, 0.3])
def test_threads_share_the_problems_and_change_nothing(step):
    rng = np.random.default_rng(3)
    y = np.arange(48) % 4
    X = rng.normal(size=(48, 15))
    X[:, 4] += y
    one, three = (SVMRFE(step=step, n_jobs=jobs).fit(X, y) for jobs in (None, 3))
    np.testing.assert_array_equal(one.order_, three.order_)
    np.testing.assert_array_equal(one.scores_, three.scores_)
    assert one.n_fits_ == three.n_fits_
