"""AMFES and RandomSubsets against a plain loop over SVC, and the paper's finding."""

import logging

import numpy as np
import pytest
from scipy.stats import wilcoxon
from sklearn.base import clone
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC
from synthetic import degenerate, group

from fslib import AMFES, SVMRFE, Correlation, RandomSubsets
from fslib.evaluate.essential import recovery
from fslib.kernels.svm.subsets import draw_subsets, stage_sizes, strongest_first

pytestmark = pytest.mark.filterwarnings("ignore:Solver terminated early")


def plain(X, y, sizes, n_subsets, seed):
    """The paper's steps I-IV, one SVC at a time, on the same draws."""
    rng = np.random.RandomState(seed)
    order = np.arange(X.shape[1])
    for kappa in sizes:
        columns = np.sort(order[:kappa])
        total, times = np.zeros(kappa), np.zeros(kappa)
        for subset in draw_subsets(rng, n_subsets, kappa, 0.5):
            model = SVC(kernel="linear", tol=1e-7).fit(X[:, columns[subset]], y)
            total[subset] += (model.coef_**2).sum(axis=0)
            times[subset] += 1
        theta = np.divide(total, times, out=np.full(kappa, np.nan), where=times > 0)
        theta = theta[np.searchsorted(columns, order[:kappa])]
        order[:kappa] = strongest_first(order[:kappa], theta)
    return order, theta


@pytest.mark.parametrize(
    ("n", "d", "n_classes"), [(30, 60, 2), (160, 30, 2), (260, 41, 2), (150, 200, 2), (60, 24, 3)]
)
def test_amfes_is_a_plain_loop_over_svc(n, d, n_classes):
    X, y = group(n, d, 5, seed=d)
    y = y if n_classes == 2 else np.arange(n) % n_classes
    selector = AMFES(n_subsets=12, random_state=5).fit(X, y)
    order, theta = plain(X, y, stage_sizes(d, 0.5), 12, seed=5)
    assert selector.order_.tolist() == order.tolist()
    last = selector.order_[: len(theta)]
    np.testing.assert_allclose(np.sort(selector.scores_[last]), np.sort(theta), rtol=1e-3)
    pairs = n_classes * (n_classes - 1) // 2
    assert selector.n_fits_ == 12 * len(stage_sizes(d, 0.5)) * pairs


def test_random_subsets_trains_as_many_svms_as_amfes():
    X, y = group(30, 100, 5)
    adaptive = AMFES(n_subsets=10, random_state=0).fit(X, y)
    at_once = RandomSubsets(n_subsets=10, random_state=0).fit(X, y)
    assert at_once.n_fits_ == adaptive.n_fits_ == 10 * 6
    order, theta = plain(X, y, [100], 60, seed=0)
    assert at_once.order_.tolist() == order.tolist()
    np.testing.assert_allclose(at_once.scores_, theta, rtol=1e-3)


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        (1 / 2, [2000, 1000, 500, 250, 125, 62, 31, 15, 7, 3]),
        (1 / 3, [2000, 666, 222, 74, 24, 8, 2]),
    ],
)
def test_stages(keep, expected):
    assert stage_sizes(2000, keep) == expected
    assert AMFES(n_subsets=2, keep=keep, random_state=0).fit(*group(6, 9, 5)).path_[0] == 9


@pytest.mark.parametrize("keep", [0.0, 1.0, -1, 2])
def test_impossible_options_are_named(keep):
    X, y = group(10, 5, 5)
    with pytest.raises(ValueError, match="keep"):
        AMFES(keep=keep).fit(X, y)
    with pytest.raises(ValueError, match="subset_fraction"):
        AMFES(subset_fraction=0).fit(X, y)
    with pytest.raises(ValueError, match="n_subsets"):
        AMFES(n_subsets=0).fit(X, y)


def test_features_that_separate_equally_well_tie():
    """Alone, each of these has a weight of 2, but for the solver's tolerance."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = np.where(rng.random((400, 6)) < 0.1, 1 - y[:, None], y[:, None]).astype(float)
    ranking = RandomSubsets(n_subsets=10, subset_fraction=1 / 6, random_state=0).fit(X, y)
    assert ranking.scores_.tolist() == [4.0] * 6
    assert ranking.order_.tolist() == list(range(6))


def test_features_never_drawn_rank_behind_in_their_previous_order():
    columns, strengths = np.array([4, 9, 2, 7, 1]), np.array([np.nan, 1.0, 1.0, np.nan, 3.0])
    assert strongest_first(columns, strengths).tolist() == [1, 2, 9, 4, 7]


def test_every_subset_of_a_size_is_as_likely():
    subsets = draw_subsets(np.random.RandomState(0), 6000, 4, 0.5)
    drawn = np.nonzero(subsets)[1].reshape(-1, 2)
    kinds, times = np.unique(drawn, axis=0, return_counts=True)
    assert kinds.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert np.abs(times - 1000).max() < 130  # four and a half standard deviations


def test_rounding_does_not_change_what_later_stages_draw():
    """Two features of nearly equal strength swap places; the rest of the ranking stays."""
    X, y = group(40, 300)
    noise = np.random.default_rng(0).standard_normal(X.shape)
    one = AMFES(random_state=0).fit(X, y).order_
    other = AMFES(random_state=0).fit(X * (1 + 1e-4 * noise), y).order_
    assert one[:20].tolist() == other[:20].tolist()
    assert (one == other).mean() > 0.9


def test_a_linear_kernel_by_the_general_formula_gives_the_squared_weights():
    X, y = group(30, 10, 5)
    direct = AMFES(n_subsets=8, random_state=1).fit(X, y)
    general = AMFES(n_subsets=8, random_state=1, kernel=lambda A, B: A @ B.T).fit(X, y)
    assert direct.order_.tolist() == general.order_.tolist()
    np.testing.assert_allclose(direct.scores_, general.scores_, rtol=1e-3)


@pytest.mark.parametrize(("name", "function"), [("rbf", rbf_kernel), ("poly", polynomial_kernel)])
def test_other_kernels_by_definition(name, function):
    X, y = group(30, 6, 5)
    selector = AMFES(n_subsets=1, subset_fraction=1.0, keep=0.2, kernel=name).fit(X, y)
    K = function(X, gamma=1 / 6)
    model = SVC(kernel="precomputed", tol=1e-7).fit(K, y)
    beta = np.zeros(30)
    beta[model.support_] = model.dual_coef_[0]
    expected = []
    for f in range(6):
        without = function(np.delete(X, f, axis=1), gamma=1 / 6)
        expected.append(abs(beta @ K @ beta - beta @ without @ beta))
    # the last stage, of one feature, changes the score of the best only
    others = selector.order_[1:]
    np.testing.assert_allclose(selector.scores_[others], np.array(expected)[others], rtol=1e-3)


@pytest.mark.parametrize(("name", "X", "y"), list(degenerate()))
@pytest.mark.parametrize("method", [AMFES, RandomSubsets])
def test_degenerate_tables_are_ranked(method, name, X, y):
    selector = method(n_subsets=3, random_state=0).fit(X, y)
    assert sorted(selector.order_) == list(range(X.shape[1]))
    assert selector.n_fallbacks_ >= 0


def test_seeds_are_seeds():
    X, y = group(30, 40)
    zero = AMFES(n_subsets=5, random_state=0).fit(X, y)
    assert (zero.order_ == AMFES(n_subsets=5, random_state=0).fit(X, y).order_).all()
    assert (zero.order_ != AMFES(n_subsets=5, random_state=1).fit(X, y).order_).any()


def test_progress_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="fslib.amfes"):
        AMFES(n_subsets=2, random_state=0).fit(*group(20, 12, 5))
    assert [r.args for r in caplog.records if "stage" in r.msg] == [(12,), (6,), (3,)]


@pytest.mark.slow
def test_amfes_puts_more_essential_features_on_top_than_rfe_and_correlation():
    """The paper's finding on Group I (table 13): one-sided Wilcoxon tests over fixed seeds."""
    phi = {"amfes": [], "rfe": [], "correlation": []}
    for seed in range(30):
        X, y = group(240, 200, seed=seed)
        columns = np.random.default_rng(seed).permutation(200)  # ties must not know the truth
        essential = np.flatnonzero(columns < 15)
        methods = {
            "amfes": AMFES(n_subsets=25, random_state=seed),
            "rfe": SVMRFE(),
            "correlation": Correlation(),
        }
        for name, method in methods.items():
            order = method.fit(X[:, columns], y).order_
            phi[name].append(recovery(order, essential)["phi"])
    for other in ("rfe", "correlation"):
        assert wilcoxon(phi["amfes"], phi[other], alternative="greater").pvalue < 0.01, phi


@pytest.mark.slow
@pytest.mark.parametrize("method", [AMFES(), RandomSubsets(), AMFES(kernel="rbf")])
def test_processes_share_a_stage_and_change_nothing(method, other_processes):
    """Three classes make three problems, and 60 subsets two blocks of each."""
    rng = np.random.default_rng(3)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 12))
    X[:, 4] += y
    method = method.set_params(n_subsets=60 if method.kernel == "linear" else 8, random_state=0)
    one, two = (clone(method).set_params(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.order_, two.order_)
    np.testing.assert_array_equal(one.scores_, two.scores_)
    assert one.n_fits_ == two.n_fits_
    assert one.n_fallbacks_ == two.n_fallbacks_
