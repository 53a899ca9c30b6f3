"""Split schemes: what belongs where, for any class sizes and any seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fslib.data.dataset import Dataset
from fslib.data.tables import write_table
from fslib.split.schemes import REFIT, SCHEMES, Rows, SplitError, make_splits
from fslib.split.stage import split_notes, write_splits

DEFAULTS = {"repeats": 1, "folds": 5, "test": 0.2, "ratios": [1.0], "stratified": True}
DEFAULTS |= {"most_rows": None}
LABELS = st.lists(st.integers(5, 20), min_size=2, max_size=4).map(
    lambda sizes: np.repeat(np.arange(len(sizes)), sizes)
)


def splits(y, seed=1, dataset="d", **scheme):
    known = {name: scheme.pop(name, None) for name in ("fold", "group", "time")}
    final = scheme.pop("final", False)
    rows = Rows(dataset, y, **known)
    return make_splits(rows, {**DEFAULTS, **scheme}, base_seed=seed, final=final)


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
def test_pairs_of_original_training_rows_leave_the_test_rows_alone(y, seed):
    fold = np.where(np.arange(len(y)) % 3, "train", "test")
    known = np.flatnonzero(fold == "train")
    made = splits(y, seed, scheme="original_holdout", repeats=3, fold=fold)
    plain = splits(y[known], seed, scheme="holdout", repeats=3)
    assert [len(s.test) for s in made] == [len(s.test) for s in plain]
    for s in made:
        assert sorted([*s.train, *s.test]) == known.tolist()
        assert set(y[s.test]) == set(y[known])
    with pytest.raises(SplitError, match="has no original fold"):
        splits(y, scheme="original_holdout")


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


# Groups, times, samples

GROUPED = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 1)), min_size=12, max_size=30
).filter(lambda groups: 5 <= sum(c for _, c in groups) <= len(groups) - 5)


@given(GROUPED, st.integers(0, 5), st.booleans())
def test_groups_are_never_on_both_sides(groups, seed, stratified):
    sizes, classes = zip(*groups, strict=True)
    y, group = np.repeat(classes, sizes), np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    try:
        made = splits(y, seed, scheme="group_kfold", group=group, repeats=2, stratified=stratified)
    except SplitError:
        assert not stratified, "folds that ignore classes may leave one class to train"
        return
    assert len(made) == 10
    for s in made:
        assert not set(group[s.train]) & set(group[s.test])
    for repeat in (0, 1):
        tests = [s.test for s in made if s.repeat == repeat]
        assert sorted(np.concatenate(tests)) == list(range(len(y)))


def test_group_folds_keep_class_shares_where_groups_allow_it():
    y = np.repeat([0, 0, 0, 1], 10)
    group = np.arange(40).astype(str)
    for s in splits(y, scheme="group_kfold", group=group):
        assert np.sum(y[s.test] == 1) == 2


def test_group_folds_depend_on_names_alone():
    y, group = np.tile([0, 1], 30), np.repeat(np.arange(20), 3).astype(str)
    once = splits(y, scheme="group_kfold", group=group, repeats=2)
    again = splits(y, scheme="group_kfold", group=group, repeats=3)
    other = splits(y, scheme="group_kfold", group=group, dataset="e")
    for a, b in zip(once, again, strict=False):
        np.testing.assert_array_equal(a.test, b.test)
    assert any(a.test.tolist() != b.test.tolist() for a, b in zip(once, other, strict=False))


def test_time_predicts_later_rows_from_earlier_ones():
    rng = np.random.default_rng(0)
    times = rng.permutation(np.repeat(np.arange(30.0), 2))
    y = rng.integers(0, 2, 60)
    made = splits(y, scheme="time", time=times, folds=4, repeats=3)
    assert len(made) == 4
    for s in made:
        assert times[s.train].max() < times[s.test].min()
    tested = np.concatenate([s.test for s in made])
    assert len(tested) == len(set(tested)) == 48


def test_time_keeps_groups_apart_too():
    times, group = np.arange(40.0), np.tile(np.arange(20), 2).astype(str)
    for s in splits(np.arange(40) // 2 % 2, scheme="time", time=times, group=group, folds=3):
        assert not set(group[s.train]) & set(group[s.test])


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"scheme": "group_kfold"}, "has no groups: name the column"),
        ({"scheme": "time"}, "has no time: name the column"),
        ({"scheme": "group_kfold", "group": np.tile(list("abc"), 4)}, "5 folds of 3 groups"),
        (
            {"scheme": "group_kfold", "group": np.array([*"aaabbbcdefgh"])},
            "class '0' has 1 group.*fewer than the two sides",
        ),
        ({"scheme": "time", "time": np.repeat([1.0, 2.0], 6)}, "2 distinct times"),
    ],
)
def test_structures_that_do_not_fit_are_named(known, message):
    with pytest.raises(SplitError, match=message):
        splits(np.repeat([0, 1], [3, 9]), **known)


@pytest.mark.parametrize(
    ("known", "scheme"),
    [
        ({}, "kfold"),
        ({"group": np.repeat(np.arange(10), 4).astype(str)}, "group_kfold"),
        ({"time": np.arange(40.0), "group": np.arange(40).astype(str)}, "time"),
    ],
)
def test_auto_is_what_the_data_call_for(known, scheme):
    y = np.arange(40) // 4 % 2
    for a, b in zip(
        splits(y, scheme="auto", **known), splits(y, scheme=scheme, **known), strict=True
    ):
        np.testing.assert_array_equal(a.test, b.test)


@pytest.mark.parametrize("scheme", sorted(SCHEMES.keys() - {"auto"}))
def test_how_many_rows_train_is_known_before_they_are_drawn(scheme):
    rows = np.arange(120)
    known = {"fold": np.where(rows % 3, "train", "test"), "group": rows.astype(str), "time": rows}
    asked = {"scheme": scheme, "repeats": 2, "ratios": [1.0, 0.5]}
    for s in splits(rows % 2, **asked, **known):
        share = SCHEMES[scheme].share(DEFAULTS | asked, s.split, 2 / 3)
        assert len(s.train) == pytest.approx(share * len(rows), abs=2)


def test_samples_of_large_tables_keep_the_shares():
    y = np.repeat([0, 1, 2], [9000, 900, 3])
    made = splits(y, scheme="holdout", test=0.2, most_rows=500, final=True)
    for s in made:
        assert len(s.train) + len(s.test) <= 505
        assert not set(s.train) & set(s.test)
        assert set(y[s.train]) == {0, 1, 2}
        assert np.mean(y[s.train] == 1) == pytest.approx(0.091, abs=0.005)
    assert len(made[0].test) == pytest.approx(100, abs=3)
    same = splits(y, scheme="holdout", test=0.2, most_rows=9903)
    np.testing.assert_array_equal(same[0].test, splits(y, scheme="holdout", test=0.2)[0].test)


def test_splits_say_what_a_reader_must_know(tmp_path):
    y = np.tile([0, 1], 500)
    group = np.repeat(np.arange(100), 10).astype(str)
    table, out = str(tmp_path / "table.parquet"), str(tmp_path / "splits.parquet")
    write_table(Dataset("d", y[:, None], y, ["a"], ["n", "p"], group=group), table)
    scheme = DEFAULTS | {"scheme": "auto", "most_rows": 200}
    write_splits(table, out, dataset="d", scheme=scheme, seed=1, final=True)
    assert split_notes(out) == [
        "rows of one group stay on one side of every split (100 groups of 1,000 rows)",
        "of 1,000 rows every split has a stratified sample, at most 200 to train and 40 to test "
        "(`most_rows: 200`)",
    ]
    write_splits(table, out, dataset="d", scheme=DEFAULTS | {"scheme": "kfold"}, seed=1, final=True)
    assert split_notes(out) == []
