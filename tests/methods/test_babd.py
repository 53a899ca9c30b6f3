"""Block addition and block deletion against runs worked by hand, and its guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fslib import BABD
from fslib.criteria.base import Criterion, fixed_folds
from fslib.criteria.lssvm import LSSVMCriterion
from fslib.criteria.stopwatch import Stopwatch
from fslib.methods.babd import _Search


class Table(Criterion):
    """A criterion that looks its errors up."""

    def __init__(self, errors: dict[str, float]):
        super().__init__(np.zeros((1, 1)), np.zeros(1), np.zeros(1, dtype=int))
        self.errors = {tuple(int(c) for c in key): value for key, value in errors.items()}

    def _value(self, subset):
        return -self.errors[tuple(subset.tolist())]


def search(
    errors: dict[str, float], max_exponent: int, tolerance: float = 1e-5, falling: bool = False
) -> _Search:
    return _Search(Table(errors), max_exponent, tolerance, Stopwatch("babd"), falling)


def steps(searched: _Search) -> list[tuple]:
    return [(s.action, s.columns, s.error, s.threshold) for s in searched.trace]


def test_a_run_worked_by_hand():
    errors = {
        "01234": 0.50,
        # the first ranking is 0, 1, 2, 3, 4; blocks of 1 and 2 give 0.70 and 0.60: above T, but
        # the first set ever, so both join and T stays
        **{"0": 0.70, "1": 0.80, "2": 0.90, "3": 0.95, "4": 1.00, "01": 0.60},
        # the second is 3, 2, 4; the block of two reaches 0.40 < T, by more than the tolerance
        **{"012": 0.55, "013": 0.45, "014": 0.65, "0123": 0.40},
        # adding 4 would give back 0.50: no gain, and 0.40 <= T ends addition
        # deletion: 1 alone may go; then 2 and 0 may, but not both: the better half is 2
        **{"123": 0.42, "023": 0.38, "23": 0.37, "03": 0.36, "02": 0.90},
    }
    searched = search(errors, max_exponent=1)
    subset, error = searched.select(np.arange(5))
    assert subset.tolist() == [0, 3]
    assert error == 0.36
    assert steps(searched) == [
        ("start", (0, 1, 2, 3, 4), 0.50, 0.50),
        ("add", (0, 1), 0.60, 0.50),
        ("add", (3, 2), 0.40, 0.40),
        ("delete", (1,), 0.38, 0.38),
        ("delete", (2,), 0.36, 0.36),
    ]


def test_without_improvement_the_top_feature_joins_and_the_threshold_stays():
    errors = {"012": 0.1, "0": 0.5, "1": 0.6, "2": 0.7, "01": 0.55, "02": 0.60, "12": 0.1}
    searched = search(errors, max_exponent=0)
    subset, error = searched.select(np.arange(3))
    assert subset.tolist() == [1, 2]
    assert error == 0.1
    assert steps(searched) == [
        ("start", (0, 1, 2), 0.1, 0.1),
        ("add", (0,), 0.5, 0.1),
        ("add", (1,), 0.55, 0.1),
        ("add", (2,), 0.1, 0.1),
        ("delete", (0,), 0.1, 0.1),
    ]


def test_addition_ends_with_an_improvement_within_the_tolerance():
    errors = {"012": 0.50, "0": 0.495, "1": 0.8, "2": 0.9}
    searched = search(errors, max_exponent=0, tolerance=0.01)
    assert searched.select(np.arange(3))[0].tolist() == [0]
    assert steps(searched)[1:] == [("add", (0,), 0.495, 0.495)]


def test_blocks_are_doubled_only_while_the_error_falls():
    singles = {str(c): 0.9 + 0.01 * c for c in range(5)}
    errors = {"01234": 0.30, **singles, "0": 0.60, "01": 0.65, "0123": 0.10}
    # Of all blocks that of four is best; two are no better than one, so four are never looked at.
    later = {"02": 0.62, "03": 0.63, "04": 0.64, "0124": 0.7, "0134": 0.7, "0234": 0.7, "1234": 0.7}
    best = search(errors | later, max_exponent=2)
    best.add_blocks(np.arange(5), 0.30)
    assert steps(best)[0] == ("add", (0, 1, 2, 3), 0.10, 0.10)
    falling = search(errors | later | {"012": 0.2}, max_exponent=2, falling=True)
    assert falling.block_errors(np.empty(0, int), np.arange(5), [1, 2, 4]) == [0.60, 0.65]
    assert best.block_errors(np.empty(0, int), np.arange(5), [1, 2, 4]) == [0.60, 0.65, 0.10]


def test_folds_are_shuffled_by_the_seed_and_stay_stratified():
    X, y = problem(2, n=40)
    by_class = np.argsort(y, kind="stable")
    X, y = X[by_class], y[by_class]
    plain, one, again, other = (BABD(random_state=seed)._folds(y) for seed in (None, 1, 1, 2))
    assert (one == again).all()
    assert (one != plain).any()
    assert (one != other).any()
    for folds in (plain, one, other):
        counts = np.array([[((folds == f) & (y == c)).sum() for c in (0, 1)] for f in range(5)])
        assert (counts == 4).all()
    fitted = BABD(random_state=1).fit(X, y)
    assert fitted.error_ == -LSSVMCriterion(X, y, one).one(fitted.order_)


def test_refuses_unknown_blocks():
    with pytest.raises(ValueError, match="'best' or 'falling', got 'rising'"):
        BABD(blocks="rising").fit(*problem(0))


def test_an_increment_that_does_worse_is_undone():
    errors = {"01": 0.3, "0": 0.2, "1": 0.9, "023": 0.5, "2": 0.6, "3": 0.7, "02": 0.4, "03": 0.45}
    searched = search(errors | {"23": 0.9}, max_exponent=0, tolerance=1.0)
    # [0, 1] ends with {0} at 0.2; {0} with [2, 3] starts at 0.5 and its best, {0}, is 0.2 again
    subset, error = searched.passes([np.array([0, 1]), np.array([2, 3])], repeat=False)
    assert subset.tolist() == [0]
    assert error == 0.2
    worse = errors | {"0": 0.2, "023": 0.1, "23": 0.05}
    searched = search(worse | {"0": 0.2, "02": 0.25, "03": 0.3, "2": 0.15, "3": 0.16}, 0)
    subset, error = searched.passes([np.array([0, 1]), np.array([2, 3])], repeat=False)
    assert subset.tolist() == [2, 3]
    assert error == 0.05


def problem(seed: int, n: int = 24, d: int = 40):
    random = np.random.default_rng(seed)
    X, y = random.random((n, d)), random.permutation(np.arange(n) % 2)
    X[:, seed % d] += 0.4 * y
    return X, y


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 1000),
    criterion=st.sampled_from(["mae", "mm"]),
    exponent=st.integers(0, 5),
    blocks=st.sampled_from(["best", "falling"]),
)
def test_guarantees(seed, criterion, exponent, blocks):
    X, y = problem(seed)
    J = LSSVMCriterion(X, y, fixed_folds(y, 5), criterion)
    settings_ = {
        "criterion": criterion, "max_block_exponent": exponent, "increment": 15, "blocks": blocks
    }  # fmt: skip
    batch = BABD(**settings_).fit(X, y)
    one, many = (BABD(mode=mode, **settings_).fit(X, y) for mode in ("one_pass", "multi_pass"))
    assert batch.error_ <= -J.one(np.arange(40))
    assert one.error_ <= -J.one(np.arange(15))
    assert many.error_ <= one.error_
    for fitted in (batch, one, many):
        assert fitted.error_ == -J.one(fitted.order_)
        runs = np.split(
            fitted.path_, [i for i, s in enumerate(fitted.trace_) if s.action == "start"]
        )
        assert all((np.diff(run) <= 0).all() for run in runs)


def test_members_are_ordered_by_what_their_loss_costs():
    X, y = problem(3)
    fitted = BABD().fit(X, y)
    J = LSSVMCriterion(X, y, fixed_folds(y, 5))
    cost = -J.minus_each(fitted.order_) - fitted.error_
    np.testing.assert_allclose(fitted.scores_[fitted.order_], cost, atol=1e-12)
    assert (np.diff(cost) <= 1e-12).all()


def test_rbf_keeps_the_parameters_it_chose():
    X, y = problem(5, d=8)
    fitted = BABD(kernel="rbf").fit(X, y)
    J = LSSVMCriterion(X, y, fixed_folds(y, 5), "mae", "rbf")
    assert (fitted.C_, fitted.gamma_) == (J.C, J.gamma)
    assert fitted.error_ == -J.one(fitted.order_) <= -J.one(np.arange(8))


@pytest.mark.parametrize("mode", ["batch", "one_pass"])
def test_a_time_limit_still_gives_a_set(mode):
    X, y = problem(6)
    assert len(BABD(mode=mode, increment=10, time_limit=0.0).fit(X, y).order_) >= 1


def test_refuses_an_unknown_mode():
    with pytest.raises(ValueError, match="multi_pass"):
        BABD(mode="twice").fit(*problem(0))


def test_facts_say_where_it_started_and_how_often_rankings_were_tied():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 6)), np.tile([0, 1], 15)
    X[:, 2] += y
    everything = BABD(mode="all").fit(X, y)
    alone = BABD().fit(X, y)
    assert alone.facts_["start_error"] == everything.facts_["error"]
    assert alone.facts_["tied_rankings"] == 0.0
    assert not {"start_error", "tied_rankings"} & set(everything.facts_)
    # With every column there twice, additions always have two equally good candidates.
    twice = BABD(max_block_exponent=0).fit(np.hstack([X, X]), y)
    assert twice.facts_["tied_rankings"] > 0.5
