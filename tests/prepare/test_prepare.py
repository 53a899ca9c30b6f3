"""Preparation steps against scikit-learn and hand-worked examples; fitted on training rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from fslib.prepare import binarise_by_mean, equal_width, minmax, sigma3, standard
from fslib.prepare.steps import PreparationError, apply, fit, preparation_name, step

TABLES = arrays(
    np.float64,
    st.tuples(st.integers(2, 12), st.integers(1, 4)),
    elements=st.floats(-1e6, 1e6, width=32),
)


@given(TABLES)
def test_scaling_equals_scikit_learn(X):
    train, test = X[: max(1, len(X) // 2)], X
    for name, peer in (("minmax", MinMaxScaler()), ("standard", StandardScaler())):
        found = apply(fit([name], train), test)
        # scikit-learn treats tiny deviations as constant; compare where it does not.
        scaled = peer.fit(train).scale_ != 1.0
        np.testing.assert_allclose(
            found[:, scaled], peer.transform(test)[:, scaled], rtol=1e-6, atol=1e-6
        )


def test_median_fills_with_the_training_median_and_equals_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    X[rng.random(X.shape) < 0.3] = np.nan
    found = apply(fit(["median"], X[:20]), X)
    np.testing.assert_array_equal(found, SimpleImputer(strategy="median").fit(X[:20]).transform(X))


def test_column_without_any_training_value_becomes_constant_zero():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0], [5.0, 3.0]])
    found = apply(fit(["median", "minmax"], X[:2]), X)
    assert found[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert found[:, 1].tolist() == [0.0, 1.0, 2.0]


def test_bins_of_test_rows_stay_within_the_training_bins():
    fitted = fit(["bins4"], np.array([[0.0], [1.0]]))
    assert apply(fitted, np.array([[-9.0], [0.25], [0.5], [1.0], [9.0]])).ravel().tolist() == [
        0,
        1,
        2,
        3,
        3,
    ]


@given(TABLES, st.integers(1, 12))
def test_steps_on_all_rows_equal_the_library_functions(X, bins):
    for name, function in (
        ("minmax", minmax),
        ("standard", standard),
        ("binary", binarise_by_mean),
        ("sigma3", sigma3),
        (f"bins{bins}", lambda table: equal_width(table, bins)),
    ):
        np.testing.assert_array_equal(apply(fit([name], X), X), function(X))


@given(TABLES, st.integers(1, 12))
def test_equal_width_codes(X, bins):
    codes = equal_width(X, bins)
    assert codes.min() >= 0
    assert codes.max() <= bins - 1
    for column, values in zip(codes.T, X.T, strict=True):
        assert (np.diff(column[np.argsort(values, kind="stable")]) >= 0).all()
        if values.max() > values.min():
            assert column[values.argmax()] == bins - 1


def test_a_hard_margin_is_a_matter_of_scale():
    random = np.random.default_rng(0)
    X = random.random((60, 4))
    y = (X[:, 0] + 0.3 * random.random(60) > 0.6).astype(int)
    plain, scaled = (apply(fit(steps, X), X) for steps in (["minmax"], ["minmax", "hard"]))
    hard = SVC(kernel="linear", C=1000.0, tol=1e-8).fit(plain, y).decision_function(plain)
    soft = SVC(kernel="linear", C=1.0, tol=1e-8).fit(scaled, y).decision_function(scaled)
    np.testing.assert_allclose(soft, hard, atol=1e-3)


def test_unknown_step_names_the_nearest():
    with pytest.raises(PreparationError, match=r"'minmaxx'.*did you mean 'minmax'"):
        step("minmaxx")


def test_steps_apply_in_order():
    X = np.array([[0.0], [np.nan], [10.0]])
    assert apply(fit(["median", "bins2"], X), X).ravel().tolist() == [0.0, 1.0, 1.0]
    assert preparation_name(["median", "bins2"]) == "median-bins2"
