"""Counting kernels against scikit-learn, closed forms and loops."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from fslib.kernels import pairs
from fslib.kernels.conditional import (
    BinaryConditionalInformation,
    ConditionalInformation,
    conditional_information,
)
from fslib.kernels.information import CountLogs, DiscreteTable, mutual_information
from fslib.kernels.joint import JointInformation


@st.composite
def tables(draw, max_levels=12):
    """Discrete tables of uneven arity, with gaps, negative codes and constants."""
    seed = draw(st.integers(0, 2**32 - 1))
    n, d = draw(st.integers(2, 80)), draw(st.integers(1, 9))
    rng = np.random.default_rng(seed)
    arity = rng.integers(1, max_levels + 1, d)
    codes = (rng.random((n, d)) ** 2 * arity).astype(np.int64)
    spread, shift = rng.choice([1, 3, 10**6], d), rng.integers(-5, 6, d)
    y = rng.integers(0, draw(st.integers(2, 4)), n)
    return codes * spread + shift, np.unique(y, return_inverse=True)[1]


def entropy(*columns) -> float:
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    p = counts / counts.sum()
    return float(-(p * np.log(p)).sum())


@given(tables())
@settings(max_examples=60, deadline=None)
def test_mutual_information_is_scikit_learns(table):
    X, y = table
    expected = [mutual_info_score(column, y) for column in X.T]
    np.testing.assert_allclose(mutual_information(X, y), expected, atol=1e-12)


@given(tables())
@settings(max_examples=60, deadline=None)
def test_all_pairs_are_scikit_learns(table):
    X, _ = table
    expected = [[mutual_info_score(a, b) for a in X.T] for b in X.T]
    np.testing.assert_allclose(pairs.pairwise_information(DiscreteTable(X)), expected, atol=1e-12)


@given(tables())
@settings(max_examples=60, deadline=None)
def test_both_ways_to_count_pairs_agree_to_the_last_bit(table):
    discrete = DiscreteTable(table[0])
    counted = pairs._by_counting(discrete)
    multiplied = pairs._by_product(discrete)
    np.testing.assert_array_equal(counted, multiplied)


@pytest.mark.parametrize("n_rows", [255, 256, 4095, 4096, 20000])
def test_packed_counts_are_exact_at_the_limits_of_their_bits(n_rows):
    rng = np.random.default_rng(n_rows)
    X = (rng.random((n_rows, 70)) ** 3 * 6).astype(int)
    X[:, 3] = np.arange(n_rows) >= n_rows // 2  # two levels of equal and greatest count
    X[:, 4] = np.arange(n_rows) == 0  # a level of one row
    discrete = DiscreteTable(X)
    sums = pairs._by_product(discrete)
    for f in (0, 3, 4, 63, 69):
        row = discrete.joint_sums(discrete.codes[f], discrete.levels[f], first=f)
        np.testing.assert_array_equal(sums[f, f:], row)


def test_closed_forms():
    codes = np.array(list(product(range(3), range(4), range(2)))).repeat(5, axis=0)
    information = pairs.pairwise_information(DiscreteTable(codes))
    np.testing.assert_allclose(np.diag(information), np.log([3, 4, 2]), rtol=1e-13)
    # independent by construction: exactly 0, not merely small
    assert (information[~np.eye(3, dtype=bool)] == 0).all()
    su = pairs.symmetrical_uncertainty(np.column_stack([codes, codes[:, 0] * 7 - 2]))
    assert su[0, 3] == pytest.approx(1, abs=1e-15)


def test_a_bijection_of_the_labels_changes_no_bit():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 7, (150, 6))
    relabelled = np.array([4, 0, 6, 1, 3, 5, 2])[X]
    y = rng.integers(0, 3, 150)
    np.testing.assert_array_equal(mutual_information(X, y), mutual_information(relabelled, y))
    shuffled = rng.permutation(150)
    np.testing.assert_array_equal(
        pairs.symmetrical_uncertainty(X), pairs.symmetrical_uncertainty(relabelled[shuffled])
    )


def test_symmetrical_uncertainty_by_its_definition():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 4, (60, 5))
    X[:, 4] = 2
    su = pairs.symmetrical_uncertainty(X)
    for a, b in product(range(4), repeat=2):
        shared = entropy(X[:, a]) + entropy(X[:, b]) - entropy(X[:, a], X[:, b])
        expected = 2 * shared / (entropy(X[:, a]) + entropy(X[:, b]))
        assert su[a, b] == pytest.approx(expected, abs=1e-12)
    assert su[4].tolist() == [0, 0, 0, 0, 1]


def test_identifiers_with_one_row_per_level_are_counted_too():
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.permutation(3000), rng.permutation(3000), rng.integers(0, 2, 3000)])
    information = pairs.pairwise_information(DiscreteTable(X))
    assert information[0, 1] == pytest.approx(np.log(3000))
    assert information[0, 2] == pytest.approx(entropy(X[:, 2]), abs=1e-12)


def test_sums_of_logs_are_exact():
    for n in (2, 3, 10, 1000, 10**6):
        logs = CountLogs(n)
        multiples = logs.T / logs.unit
        assert (multiples == np.round(multiples)).all()
        assert 2 * multiples[-1] < 2**53
        np.testing.assert_allclose(logs.T[-1], n * np.log(n), rtol=1e-14)


@given(tables(max_levels=5))
@settings(max_examples=40, deadline=None)
def test_conditional_information_by_its_definition(table):
    X, y = table
    d = X.shape[1]
    f, g = (index.ravel() for index in np.indices((d, d)))
    values = ConditionalInformation(X, y)(f, g)
    expected = [
        entropy(X[:, a], X[:, b])
        + entropy(y, X[:, b])
        - entropy(X[:, a], X[:, b], y)
        - entropy(X[:, b])
        for a, b in zip(f, g, strict=True)
    ]
    np.testing.assert_allclose(values, expected, atol=1e-12)


@given(tables(max_levels=2))
@settings(max_examples=40, deadline=None)
def test_bit_planes_agree_with_counting_to_the_last_bit(table):
    X, y = table
    d = X.shape[1]
    f, g = (index.ravel() for index in np.indices((d, d)))
    counted, planes = ConditionalInformation(X, y), BinaryConditionalInformation(X, y)
    np.testing.assert_array_equal(counted.relevance, planes.relevance)
    np.testing.assert_array_equal(counted(f, g), planes(f, g))


def test_bit_planes_are_used_for_two_levels_of_any_code():
    X = np.array([[0, 5], [7, 5], [0, -3], [7, -3]])
    assert isinstance(
        conditional_information(X, np.array([0, 1, 0, 1])), BinaryConditionalInformation
    )
    X[0, 0] = 3
    kind = type(conditional_information(X, np.array([0, 1, 0, 1])))
    assert kind is ConditionalInformation


@given(tables(max_levels=4))
@settings(max_examples=30, deadline=None)
def test_joint_information_by_its_definition(table):
    X, y = table
    joint = JointInformation(X, y)
    for s in range(X.shape[1]):
        information, triple_entropy = joint.with_feature(s)
        for f in range(X.shape[1]):
            together = entropy(X[:, f], X[:, s], y)
            expected = entropy(X[:, f], X[:, s]) + entropy(y) - together
            assert information[f] == pytest.approx(expected, abs=1e-12)
            assert triple_entropy[f] == pytest.approx(together, abs=1e-12)
