"""Split schemes: what belongs where, for any class sizes and any seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fslib.split.schemes import REFIT, SplitError, make_splits

DEFAULTS = {"repeats": 1, "folds": 5, "test": 0.2, "ratios": [1.0], "stratified": True}
LABELS = st.lists(st.integers(5, 20), min_size=2, max_size=4).map(
    lambda sizes: np.repeat(np.arange(len(sizes)), sizes)
)


def splits(y, seed=1, dataset="d", **scheme):
    fold = scheme.pop("fold", None)
    final = scheme.pop("final", False)
    return make_splits(
        y, {**DEFAULTS, **scheme}, base_seed=seed, dataset=dataset, fold=fold, final=final
    )


@given(LABELS, st.integers(0, 5), st.sampled_from(["holdout", "kfold", "loo", "bootstrap"]))
def test_parts_are_disjoint_and_within_range(y, seed, scheme):
    try:
        made = splits(y, seed, scheme=scheme, repeats=2)
    except SplitError:
        assert scheme == "bootstrap", "only rows drawn with replacement may be all of one class"
        return
    for s in made:
        assert not set(s.train) & set(s.test)
        assert set(s.train) | set(s.test) <= set(range(len(y)))
        assert len(s.test)


@given(LABELS, st.integers(0, 5))
def test_folds_partition_the_rows_and_keep_class_shares(y, seed):
    made = splits(y, seed, scheme="kfold", folds=5, repeats=2)
    assert len(made) == 10
    for repeat in (0, 1):
        tests = [s.test for s in made if s.repeat == repeat]
        assert sorted(np.concatenate(tests)) == list(range(len(y)))
        for c in np.unique(y):
            counts = [np.sum(y[t] == c) for t in tests]
            assert max(counts) - min(counts) <= 1


@given(LABELS, st.integers(0, 5))
def test_stratified_holdout_takes_the_share_of_every_class(y, seed):
    (s,) = splits(y, seed, scheme="holdout", test=0.25)
    for c in np.unique(y):
        n = np.sum(y == c)
        assert np.sum(y[s.test] == c) == min(max(1, round(0.25 * n)), n - 1)


def test_bootstrap_draws_with_replacement_and_tests_out_of_bag():
    y = np.repeat([0, 1], 50)
    made = splits(y, scheme="shrinking_bootstrap", repeats=3, ratios=[0.1, 0.5, 1.0])
    assert [(s.repeat, s.ratio) for s in made][:3] == [(0, 0.1), (0, 0.5), (0, 1.0)]
    for small, middle, whole in zip(made[::3], made[1::3], made[2::3], strict=True):
        assert (len(small.train), len(middle.train), len(whole.train)) == (10, 50, 100)
        assert len(np.unique(whole.train)) < 100
        assert set(whole.test) == set(range(100)) - set(whole.train)
        assert small.test.tolist() == middle.test.tolist() == whole.test.tolist()
        counts = [np.bincount(s.train, minlength=100) for s in (small, middle, whole)]
        assert (counts[0] <= counts[1]).all()
        assert (counts[1] <= counts[2]).all()


def test_fewer_repeats_give_the_first_of_more():
    y = np.repeat([0, 1, 2], 20)
    for scheme in ("holdout", "kfold", "bootstrap"):
        few, many = splits(y, scheme=scheme, repeats=2), splits(y, scheme=scheme, repeats=4)
        for a, b in zip(few, many, strict=False):
            assert a.train.tolist() == b.train.tolist()


def test_seed_and_dataset_name_decide():
    y = np.repeat([0, 1], 30)
    base = splits(y, scheme="holdout")[0].test.tolist()
    assert splits(y, scheme="holdout")[0].test.tolist() == base
    assert splits(y, seed=2, scheme="holdout")[0].test.tolist() != base
    assert splits(y, dataset="e", scheme="holdout")[0].test.tolist() != base


def test_original_fold_and_refit():
    fold = np.array(["train", "test", "train", "train", "test"])
    first, refit = splits(np.array([0, 1, 1, 0, 0]), scheme="original", fold=fold, final=True)
    assert (first.train.tolist(), first.test.tolist()) == ([0, 2, 3], [1, 4])
    assert refit.split == REFIT
    assert refit.train.tolist() == [0, 1, 2, 3, 4]
    assert not len(refit.test)


@pytest.mark.parametrize(
    ("y", "scheme", "message"),
    [
        (np.array([0, 0, 0, 1]), {"scheme": "kfold"}, "class '1' has 1 row.*fewer than 5 folds"),
        (np.array([0, 0, 0, 1]), {"scheme": "holdout"}, "class '1' has 1 row"),
        (np.array([0, 1]), {"scheme": "original"}, "no original fold"),
        (np.array([0, 1]), {"scheme": "loo"}, "only one class"),
        (np.array([0, 1, 1]), {"scheme": "kfold", "stratified": False}, "5 folds of 3 rows"),
    ],
)
def test_schemes_that_do_not_fit_say_why(y, scheme, message):
    with pytest.raises(SplitError, match=message):
        splits(y, **scheme)
