"""Every registered method keeps the base class's promises; a new one is tested by existing."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from fslib.registry import METHODS

# Settings that keep long searches short; whatever is not named here runs with its defaults.
CHEAP = {
    "amfes": {"n_subsets": 5},
    "boruta": {"n_trials": 4, "estimator": DecisionTreeClassifier(max_depth=3)},
    "daf": {"n_probes": 40},
    "genetic_search": {"population": 10, "generations": 3},
    "oracle": {"essential": [0]},
    "random_subsets": {"n_subsets": 5},
    "stability_selection": {"n_pairs": 4},
}


# Scores that come from an iterative solver are equal only as far as it solves (a duality gap of
# 1e-6); their order must not depend on that.
SOLVED_TO = {"svm_rfe": 1e-5}


def make(name: str, **settings):
    """The method under test: quick, seeded, and binning for itself where it needs codes."""
    cls = METHODS[name]
    known = cls().get_params()
    common = {"random_state": 0} if "random_state" in known else {}
    if cls.discrete_only:
        common["bins"] = 5
    return cls(**(common | CHEAP.get(name, {}) | settings))


def ranks_everything(method) -> bool:
    """Whether this instance is a ranking method that is asked for all columns."""
    return method.get_params().get("n_features_to_select", 0) is None


def methods_that(condition):
    """Run a test for the methods that meet a condition."""
    return pytest.mark.parametrize("name", [n for n in METHODS.names() if condition(make(n))])


every_method = methods_that(lambda method: True)
ranking_methods = methods_that(ranks_everything)


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    """Two classes, continuous and tie-free; columns 0 to 3 matter, ever less."""
    rng = np.random.default_rng(7)
    y = np.arange(64) % 2
    X = rng.normal(size=(64, 9))
    X[:, :4] += y[:, None] * np.array([1.9, 1.4, 1.0, 0.7])
    return X, y


@parametrize_with_checks([make(name) for name in METHODS.names()])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks feed degenerate data on purpose
        check(estimator)


@every_method
def test_order_ranking_and_support_agree(name, table):
    X, y = table
    method = make(name).fit(X, y)
    d = X.shape[1]
    assert len(np.unique(method.order_)) == len(method.order_)
    assert set(method.order_.tolist()) <= set(range(d))
    if ranks_everything(method):
        assert sorted(method.order_.tolist()) == list(range(d))
    expected = np.full(d, len(method.order_) + 1)
    expected[method.order_] = np.arange(1, len(method.order_) + 1)
    np.testing.assert_array_equal(method.ranking_, expected)
    assert method.scores_.shape == (d,)
    assert set(np.flatnonzero(method.support_)) <= set(method.order_.tolist())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        np.testing.assert_array_equal(method.transform(X), X[:, method.support_])


@ranking_methods
def test_keeps_the_first_of_its_order(name, table):
    X, y = table
    everything = make(name).fit(X, y)
    three = make(name, n_features_to_select=3).fit(X, y)
    np.testing.assert_array_equal(three.order_[:3], everything.order_[:3])
    np.testing.assert_array_equal(np.flatnonzero(three.support_), np.sort(everything.order_[:3]))


@methods_that(lambda method: "n_features_to_select" in method.get_params())
def test_a_share_of_the_features_is_a_number_of_them(name, table):
    X, y = table
    number, share = (make(name, n_features_to_select=wanted).fit(X, y) for wanted in (3, 0.34))
    np.testing.assert_array_equal(number.order_, share.order_)
    np.testing.assert_array_equal(number.support_, share.support_)
    assert make(name, n_features_to_select=0.01).fit(X, y).support_.sum() == 1


@ranking_methods
def test_says_that_transform_leaves_everything(name, table):
    X, y = table
    with pytest.warns(UserWarning, match="returned unchanged"):
        make(name).fit(X, y).transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        make(name, n_features_to_select=X.shape[1]).fit(X, y).transform(X)  # asked for


@methods_that(lambda method: "n_features_to_select" in method.get_params())
@pytest.mark.parametrize("wanted", [0, 10, 2.5, 1.0, True, "3"])
def test_refuses_a_count_it_cannot_keep(name, wanted, table):
    X, y = table
    with pytest.raises(ValueError, match="n_features_to_select"):
        make(name, n_features_to_select=wanted).fit(X, y)


@every_method
def test_same_seed_same_order(name, table):
    X, y = table
    first, second = make(name).fit(X, y), make(name).fit(X, y)
    np.testing.assert_array_equal(first.order_, second.order_)
    np.testing.assert_array_equal(first.scores_, second.scores_)


@pytest.mark.slow
@methods_that(lambda method: "n_jobs" in method.get_params())
def test_workers_change_nothing(name, table, other_processes):
    X, y = table
    one, four = (make(name, n_jobs=jobs).fit(X, y) for jobs in (1, 4))
    np.testing.assert_array_equal(one.order_, four.order_)
    np.testing.assert_array_equal(one.scores_, four.scores_)


@every_method
def test_fitting_together_equals_fitting_alone(name, table):
    X, y = table
    together = make(name).fit_together([make(name), make(name)], X, y)
    alone = make(name).fit(X, y)
    for method in together:
        np.testing.assert_array_equal(method.order_, alone.order_)
        np.testing.assert_array_equal(method.scores_, alone.scores_)


@methods_that(lambda method: method.deterministic)
def test_order_of_rows_does_not_matter(name, table):
    X, y = table
    shuffled = np.random.default_rng(1).permutation(len(X))
    before, after = make(name).fit(X, y), make(name).fit(X[shuffled], y[shuffled])
    np.testing.assert_array_equal(before.order_, after.order_)
    accuracy = SOLVED_TO.get(name, 1e-12)
    np.testing.assert_allclose(before.scores_, after.scores_, rtol=accuracy, atol=accuracy)


@methods_that(lambda method: method.deterministic and method.role == "competitor")
def test_order_of_columns_does_not_matter(name, table):
    X, y = table
    method = make(name)
    shuffled = np.random.default_rng(1).permutation(X.shape[1])
    before, after = clone(method).fit(X, y), clone(method).fit(X[:, shuffled], y)
    np.testing.assert_array_equal(before.order_, shuffled[after.order_])
    accuracy = SOLVED_TO.get(name, 1e-12)
    np.testing.assert_allclose(
        before.scores_[shuffled], after.scores_, rtol=accuracy, atol=accuracy
    )


@methods_that(lambda method: method.deterministic and ranks_everything(method))
def test_a_copy_ranks_after_its_original(name, table):
    X, y = table
    method = make(name).fit(np.column_stack([X, X[:, 0]]), y)
    assert method.ranking_[0] < method.ranking_[-1]


@every_method
def test_copies_are_no_obstacle(name, table):
    X, y = table
    assert len(make(name).fit(np.column_stack([X, X]), y).order_) >= 1


@every_method
def test_a_constant_column_is_no_obstacle(name, table):
    X, y = table
    method = make(name).fit(np.column_stack([np.full(len(X), 3.0), X]), y)
    assert not (np.isnan(method.scores_).any() and ranks_everything(method))


@every_method
def test_two_rows_rank_or_are_refused(name):
    X, y = [[0.0, 1.0, 2.0], [1.0, 1.0, 0.0]], [0, 1]
    try:
        method = make(name).fit(X, y)
    except ValueError:  # a method that cross-validates cannot fold two rows and may say so
        return
    assert len(method.order_) >= 1


@every_method
def test_refuses_one_class(name, table):
    X, _ = table
    with pytest.raises(ValueError, match="one class"):
        make(name).fit(X, np.zeros(len(X), dtype=int))


@every_method
@pytest.mark.parametrize(
    ("y", "reason"),
    [
        (np.linspace(0, 1, 64), r"regression target: it holds fractions, for example 0\.015"),
        (np.arange(64) // 2 * 7, "regression target: it holds 32 different numbers in 64 rows"),
    ],
)
def test_refuses_a_regression_target(name, y, reason, table):
    with pytest.raises(ValueError, match=reason):
        make(name).fit(table[0], y)


def test_codes_of_many_small_classes_are_no_regression_target():
    codes = np.arange(64) // 2
    assert make("correlation").fit(codes[:, None] * [1.0, 0.0], codes).order_[0] == 0


@every_method
def test_sparse_tables_give_the_same_or_are_refused(name, table):
    X, y = table
    X = np.where(X > 0.5, X, 0.0)
    method = make(name)
    if not method.accepts_sparse:
        with pytest.raises(TypeError, match="needs dense rows"):
            method.fit(csr_array(X), y)
        return
    method.fit(csr_array(X), y)
    dense = make(name).fit(X, y)
    np.testing.assert_array_equal(method.order_, dense.order_)
    np.testing.assert_allclose(method.scores_, dense.scores_, rtol=1e-12)
    np.testing.assert_array_equal(method.transform(csr_array(X)).toarray(), dense.transform(X))


@every_method
def test_refuses_missing_values(name, table):
    X, y = table
    X = X.copy()
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        make(name).fit(X, y)


@every_method
def test_refuses_text(name):
    with pytest.raises(ValueError, match="could not convert"):
        make(name).fit([["a", "b"], ["c", "d"]], [0, 1])


@every_method
def test_more_classes_rank_or_are_refused(name, table):
    X, _ = table
    y = np.array(["low", "middle", "high"])[np.arange(len(X)) % 3]
    if make(name).binary_only:
        with pytest.raises(ValueError, match="binary"):
            make(name).fit(X, y)
    else:
        assert len(make(name).fit(X, y).order_) >= 1


@methods_that(lambda method: method.discrete_only)
def test_refuses_continuous_values_it_would_count(name, table):
    X, y = table
    with pytest.raises(ValueError, match=r"bins=10"):
        make(name, bins=None).fit(X, y)


@methods_that(lambda method: method.discrete_only)
@pytest.mark.parametrize("bins", [0, 1, -3, 2.5, "5", True, [5]])
def test_refuses_bad_bins(name, bins, table):
    with pytest.raises(ValueError, match="bins must be None or an integer of at least 2"):
        make(name, bins=bins).fit(*table)


@methods_that(lambda method: method.discrete_only and method.accepts_sparse)
def test_sparse_codes_are_the_same_codes(name, table):
    X, y = table
    codes = np.where(X > 1, np.round(300 * X), 0)  # more than a byte holds
    dense, sparse = (make(name, bins=None).fit(t, y) for t in (codes, csr_array(codes)))
    np.testing.assert_array_equal(dense.order_, sparse.order_)
    np.testing.assert_array_equal(dense.scores_, sparse.scores_)
    codes[7, 3] = 0.25
    with pytest.raises(ValueError, match=r"column 3 is continuous \(for example 0\.25\)"):
        make(name, bins=None).fit(csr_array(codes), y)


@methods_that(lambda method: "verbose" in method.get_params())
def test_verbose_shows_progress_and_changes_nothing(name, table, capfd):
    X, y = table
    quiet = make(name).fit(X, y)
    assert capfd.readouterr().err == ""
    shown = make(name, verbose=1).fit(X, y)
    np.testing.assert_array_equal(quiet.order_, shown.order_)
    said = capfd.readouterr().err
    assert f"fslib.{name}: fit on 64 rows of 9 features" in said
    assert f"fslib.{name}: done in" in said


@every_method
@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_frames_keep_their_names(name, frame, table):
    X, y = table
    names = [f"f{column}" for column in range(X.shape[1])]
    data = frame({column: X[:, i] for i, column in enumerate(names)})
    plain, named = make(name).fit(X, y), make(name).fit(data, y)
    np.testing.assert_array_equal(plain.order_, named.order_)
    kept = [names[column] for column in np.flatnonzero(plain.support_)]
    assert named.get_feature_names_out().tolist() == kept


@methods_that(lambda method: method.discrete_only)
def test_codes_of_every_type_are_the_same_codes(name, table):
    X, y = table
    codes = (X > X.mean(axis=0)).astype(np.int64)
    expected = make(name, bins=None).fit(codes, y)
    for kind in (bool, np.int8, np.uint64, np.float32, np.float64):
        given = codes.astype(kind)
        method = make(name, bins=None).fit(given, y)
        np.testing.assert_array_equal(method.order_, expected.order_)
        np.testing.assert_array_equal(method.scores_, expected.scores_)
        np.testing.assert_array_equal(given, codes)
