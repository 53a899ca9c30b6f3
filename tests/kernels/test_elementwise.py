"""Fused expressions: the same bits as numpy's, for any number of threads."""

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fslib.kernels import elementwise
from fslib.prepare.steps import LARGEST, apply, fit
from fslib.run import threads

VALUES = st.floats(-LARGEST, LARGEST) | st.just(np.nan)
SHAPES = st.tuples(st.integers(1, 40), st.just(7))


@pytest.mark.parametrize("count", [None, 1, 2])
@pytest.mark.parametrize("scaling", ["minmax", "standard"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(X=arrays.arrays(float, SHAPES, elements=VALUES), rows=arrays.arrays(float, (9, 7)))
def test_large_tables_are_prepared_as_small_ones(X, rows, scaling, count, monkeypatch):
    monkeypatch.setattr(threads, "allowed", count)
    learned = fit(["median", scaling, "hard"], np.clip(X, -1e9, 1e9))
    for table in (X, np.asfortranarray(X), np.clip(rows, -LARGEST, LARGEST)):
        expected = apply(learned, table)
        with monkeypatch.context() as large:
            large.setattr(elementwise, "MANY", 0)
            np.testing.assert_array_equal(apply(learned, table), expected)


def test_the_number_of_values_alone_decides_who_computes(monkeypatch):
    asked = []
    monkeypatch.setattr(
        elementwise,
        "filled_and_scaled",
        lambda X, *learned: asked.append(X.shape) or np.zeros((1, 2)),
    )
    X = np.zeros((2**21, 2))
    learned = fit(["median", "minmax"], X[:3])
    for count in (None, 1, 2):
        monkeypatch.setattr(threads, "allowed", count)
        apply(learned, X)
        apply(learned, X[:-1])
    assert asked == [X.shape] * 3


def test_other_steps_of_large_tables_are_as_ever(monkeypatch):
    monkeypatch.setattr(elementwise, "MANY", 0)
    X = np.array([[0.0, np.nan], [1.0, 4.0], [5.0, 8.0]])
    assert apply(fit(["median"], X), X)[0].tolist() == [0.0, 6.0]
    assert apply(fit(["median", "bins2"], X), X).tolist() == [[0, 1], [0, 0], [1, 1]]
    assert apply(fit(["minmax"], X), X)[:, 0].tolist() == [0.0, 0.2, 1.0]
