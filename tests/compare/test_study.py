"""The comparison on studies whose right answer is known by construction."""

import numpy as np
import polars as pl
import pytest
from make_frames import Study, rich

from fslib.compare.schemas import SCHEMAS, schemas, write_table
from fslib.compare.statistics import corrected_t_test, holm
from fslib.compare.study import compare
from fslib.run.artefacts import CONTRACTS, ArtefactError, read_any
from fslib.run.layout import TABLES


def compared(s):
    return compare(s.frames(), datasets=s.datasets, settings=s.settings)


@pytest.fixture(scope="module")
def tables():
    return compared(rich())


def cell(table, **where):
    found = table.filter(pl.col(name) == value for name, value in where.items())
    assert len(found) == 1
    return found.row(0, named=True)


def main(tables, name, question="set"):
    """The part of a table that answers one question on all data sets."""
    where = {"question": question} | ({"field": ""} if "field" in tables[name].columns else {})
    return tables[name].filter(**where)


def test_all_tables_are_there_with_their_columns(tables):
    assert tuple(tables) == TABLES
    for name, columns in {"ledger": CONTRACTS["ledger"], **SCHEMAS}.items():
        assert list(tables[name].schema.items()) == list(columns.items()), name
    row = cell(tables["ledger"], dataset="breast_cancer", method="rfe")
    assert (row["ok"], row["out_of_memory"], row["reason"]) == (5, 2, "more than 2000 MB")


def test_further_measures_have_columns_of_their_own(tmp_path):
    s = rich()
    frames = s.frames()
    frames["accuracy"] = frames["accuracy"].with_columns(roc_auc="accuracy")
    tables = compare(frames, datasets=s.datasets, settings=s.settings)
    found = schemas(["accuracy", "balanced_accuracy", "roc_auc"])
    for name in ("curves", "scores"):
        assert tables[name].columns == list(found[name])
        write_table(tables[name], tmp_path / name, name)
        assert read_any(tmp_path / name).equals(tables[name])


def test_a_table_without_its_columns_is_not_written(tables, tmp_path):
    with pytest.raises(ArtefactError, match="expected question, field"):
        write_table(tables["ranks"].drop("groups"), tmp_path / "ranks", "ranks")
    assert not list(tmp_path.iterdir())


def test_rows_follow_the_studys_order_of_datasets(tables):
    for name in ("scores", "ledger", "recommendation", "cost"):
        order = tables[name]["dataset"].unique(maintain_order=True).to_list()
        assert order == ["wine", "breast_cancer", "digits", "waveform", "lucas"], name


def test_identical_methods_count_once(tables):
    ranked = main(tables, "ranks").drop_nulls("mean_rank")["method"].to_list()
    assert sorted(ranked) == [
        "all_features", "correlation = bw_ratio", "crash", "daf", "mrmr", "noise", "rfe",
    ]  # fmt: skip
    assert "identical" in tables["notes"]["kind"].to_list()
    assert {"correlation", "bw_ratio"} <= set(tables["cost"]["method"])


def test_one_differing_rank_makes_methods_different():
    s = Study(["a"])
    s.succeed("a", "x", 0.9).succeed("a", "y", 0.9)
    s.rows["selections"][-1] = (*s.rows["selections"][-1][:7], False)
    assert compared(s)["methods"]["label"].to_list() == ["x", "y"]


@pytest.mark.parametrize(
    ("scores", "kept", "same"),
    [
        ([3.0, 1.0 + 2e-16, 1.0], 3, True),  # rounding put the second feature before the third
        ([np.inf, np.inf, 1.0], 3, False),
        ([3.0, 1.0 + 1e-9, 1.0], 3, False),
        ([3.0, 2.0, 1.0], 1, True),  # what is not kept has no say
        ([None, None, None], 3, False),
        ([np.nan, np.nan, np.nan], 3, False),
    ],
)
def test_the_order_of_ties_makes_no_difference(scores, kept, same):
    s = Study(["a"])
    s.succeed("a", "x", 0.9, order=[0, 1, 2], size=3).succeed(
        "a", "y", 0.9, order=[0, 2, 1], size=3
    )
    s.rows["selections"] = [
        (*row[:6], scores[row[3] - 1], row[3] <= kept) for row in s.rows["selections"]
    ]
    assert compared(s)["methods"]["label"].to_list() == (["x = y"] * 2 if same else ["x", "y"])


def test_methods_without_selections_are_not_identical():
    s = Study(["a"])
    s.fail("a", "x", "error", "boom")
    s.fail("a", "y", "error", "boom")
    assert compared(s)["methods"]["label"].to_list() == ["x", "y"]


def test_controls_are_shown_but_not_ranked_except_all_features_as_a_set(tables):
    for question, unranked in (
        ("set", {"random", "oracle"}),
        ("order", {"random", "oracle", "all_features"}),
    ):
        controls = main(tables, "ranks", question).filter(pl.col("role") != "competitor")
        assert set(controls["method"]) == {"random", "all_features", "oracle"}
        assert set(controls.filter(pl.col("mean_rank").is_null())["method"]) == unranked
        assert not set(main(tables, "pairs", question)["method"]) & unranked
        assert not set(tables["recommendation"]["method"]) & set(controls["method"])


def test_random_is_the_mean_of_its_seeds():
    s = rich()
    accuracy = s.frames()["accuracy"].filter(
        pl.col("method").str.starts_with("random_"), pl.col("dataset") == "wine"
    )
    scores = main(compared(s), "scores", "order")
    row = cell(scores, dataset="wine", method="random", classifier="all")
    assert row["accuracy"] == pytest.approx(accuracy["accuracy"].mean())


def test_skipped_methods_are_not_ranked_and_say_why(tables):
    row = cell(main(tables, "ranks"), method="signal_to_noise")
    assert row["mean_rank"] is None
    assert row["note"] == "skipped on breast_cancer, waveform: binary_only: 3 classes"
    assert "signal_to_noise" in main(tables, "friedman")["left_out"].item()


def test_failures_share_the_last_ranks(tables):
    wine = main(tables, "scores").filter(dataset="wine", classifier="all")
    assert cell(wine, method="rfe")["rank"] == cell(wine, method="crash")["rank"] == 6.5
    assert cell(wine, method="rfe")["accuracy"] is None


def test_partial_failures_use_the_splits_that_finished(tables):
    row = cell(main(tables, "scores"), dataset="breast_cancer", method="rfe", classifier="all")
    assert (row["ok"], row["splits"]) == (4, 6)
    assert row["accuracy"] is not None
    note = cell(tables["notes"], dataset="breast_cancer", method="rfe")
    assert note["kind"] == "partial"


def test_a_study_without_a_refit_misses_none():
    s = Study(["a"], n_splits=3)
    s.succeed("a", "one", 0.9, splits=range(3))
    s.succeed("a", "two", 0.8, splits=range(3), order=np.arange(s.d)[::-1])
    assert cell(compared(s)["recommendation"], dataset="a")["note"] == ""
    s.fail("a", "one", "error", "boom", splits=[-1])
    s.fail("a", "two", "error", "boom", splits=[-1])
    note = cell(compared(s)["recommendation"], dataset="a")["note"]
    assert note == "no method finished every split and the refit"


def test_below_random_is_flagged(tables):
    for question in ("set", "order"):
        assert cell(main(tables, "ranks", question), method="noise")["below_random"] == 5
        assert cell(main(tables, "ranks", question), method="mrmr")["below_random"] == 0


def test_a_short_set_carries_its_accuracy_forward():
    s = Study(["a"], n_splits=3)
    s.succeed("a", "long", 0.9)
    s.succeed("a", "other", 0.8, order=np.arange(s.d)[::-1])
    s.succeed("a", "short", 0.9, size=7, sizes=(1, 2, 5, 7), order=np.roll(np.arange(s.d), 1))
    own = s.frames()["accuracy"].filter(pl.col("method") == "short")
    at = {k: own.filter(pl.col("k") == k)["accuracy"].mean() for k in (1, 2, 5, 7)}
    line = compared(s)["curves"].filter(method="short", classifier="all")
    # The sizes of the study are 1, 2, 5, 10 and 20; 7 stands for the last two.
    assert line["accuracy"].mean() == pytest.approx((at[1] + at[2] + at[5] + 2 * at[7]) / 5)


def test_all_features_are_a_constant_line(tables):
    scores = main(tables, "scores", "order")
    row = cell(scores, dataset="wine", method="all_features", classifier="all")
    assert row["accuracy"] == pytest.approx(row["best_value"])
    assert row["best_k"] == 30


def test_a_set_without_an_order_is_ranked_as_a_set_and_not_asked_for_an_order():
    s = rich()
    for dataset in s.datasets:
        s.succeed(dataset, "unordered", 0.99, size=12, sizes=(12,), order=np.arange(s.d))
    tables = compared(s)
    row = cell(main(tables, "scores"), dataset="wine", method="unordered", classifier="all")
    assert (row["size"], row["rank"]) == (12, 1)
    asked = main(tables, "answers", "order")
    assert asked.filter(method="unordered").is_empty()
    note = cell(tables["notes"], method="unordered")
    assert (note["kind"], note["note"]) == ("not asked", "gives a set: not asked for its order")
    assert cell(tables["recommendation"], dataset="wine")["k"] == 12


def test_pairs_are_the_corrected_test_on_common_splits():
    s = rich()
    tables = compared(s)
    pairs = main(tables, "pairs", "order").filter(dataset="digits")
    accuracy = s.frames()["accuracy"].filter(pl.col("dataset") == "digits")
    mean = accuracy.group_by("method", "split").agg(pl.col("accuracy").mean())
    best = pairs["best"][0]
    assert best == "rfe"

    def scores(method):
        return mean.filter(pl.col("method") == method).sort("split")["accuracy"].to_numpy()

    row = cell(pairs, method="mrmr")
    t, p = corrected_t_test(scores("mrmr") - scores("rfe"), 0.25)
    assert (row["t"], row["p"]) == pytest.approx((t, p))
    np.testing.assert_allclose(pairs["p_holm"], holm(pairs["p"].to_numpy()))


@pytest.mark.parametrize("measure", ["nogueira", "kuncheva"])
def test_recommendation_is_the_smallest_set_within_one_standard_error(measure):
    s = Study(["a"], n_splits=4)
    s.succeed("a", "x", 0.9, sizes=(), order=np.arange(s.d))
    s.succeed("a", "y", 0.9, sizes=(), order=np.arange(s.d)[::-1])
    s.rows["accuracy"] = [
        ("a", method, split, k, "nb", mean + shift, mean + shift)
        for method in "xy"
        for k, mean in ((1, 0.50), (5, 0.89), (10, 0.895), (20, 0.90))
        for split, shift in enumerate((-0.02, -0.01, 0.01, 0.02))
    ]
    s.rows["stability"] = [
        ("a", method, k, 1.0, measure, value, None, None)
        for method, value in (("x", 0.3), ("y", 0.6))
        for k in (1, 5, 10, 20)
    ]
    tables = compared(s)
    row = tables["recommendation"].row(0, named=True)
    error = np.sqrt((1 / 4 + 0.25) * np.var([-0.02, -0.01, 0.01, 0.02], ddof=1))
    assert row["standard_error"] == pytest.approx(error)
    assert error > 0.01
    assert (row["method"], row["k"], row["stability"]) == ("y", 5, 0.6)
    assert (row["runner_up"], row["runner_up_k"]) == ("x", 5)
    assert row["best_value"] == pytest.approx(0.90)
    features = tables["selected_features"]
    assert features["feature"].to_list() == [29, 28, 27, 26, 25]
    assert features["frequency"].to_list() == [1.0] * 5


def test_methods_that_fail_sometimes_are_not_recommended(tables):
    row = cell(tables["recommendation"], dataset="breast_cancer")
    assert row["method"] != "rfe"


def test_selection_frequency_counts_splits():
    s = Study(["a"], n_splits=4)
    s.succeed("a", "x", 0.9, splits=[-1, 0, 1])
    s.succeed("a", "x", 0.9, splits=[2, 3], order=np.arange(s.d)[::-1])
    s.rows["stability"] = []
    tables = compared(s)
    k = tables["recommendation"]["k"].item()
    assert tables["selected_features"]["frequency"].to_list()[0] == (0.5 if k < 30 else 1.0)


def test_recovery_and_stability_keep_their_means(tables):
    row = cell(tables["recovery"], dataset="lucas", method="daf", k=20)
    assert row["precision"] == pytest.approx(0.8 * 5 / 7)
    row = cell(tables["stability"], dataset="wine", method="mrmr", k=20, measure="nogueira")
    assert (row["value"], row["low"], row["high"]) == pytest.approx((0.6, 0.5, 0.7))


def test_cost_is_the_median_over_finished_splits(tables):
    row = cell(tables["cost"], dataset="breast_cancer", method="rfe")
    assert (row["wall_seconds"], row["n_runs"]) == (3.0, 4)
    assert tables["cost"].filter(pl.col("method") == "crash").is_empty()


def test_one_dataset_has_no_friedman_test():
    row = main(compared(rich(["wine"])), "friedman").row(0, named=True)
    assert row["p"] is None
    assert row["note"].startswith("no Friedman test")
    assert "1 data set" in row["note"]


@pytest.mark.parametrize("datasets", [[], ["a"], ["a", "b"]])
def test_nothing_finished_is_no_crash(datasets):
    s = Study(datasets)
    for dataset in datasets:
        s.fail(dataset, "x", "error", "boom")
        s.fail(dataset, "y", "timeout", "slow")
    tables = compared(s)
    assert tuple(tables) == TABLES
    assert tables["recommendation"]["method"].null_count() == len(datasets)
    assert tables["friedman"]["p"].null_count() == len(tables["friedman"]) == 2


def test_a_dataset_where_nobody_finished_is_left_out():
    s = rich(["wine", "digits"])
    s.datasets.append("broken")
    s.fail("broken", "mrmr", "error", "boom")
    tables = compared(s)
    assert main(tables, "friedman")["n_datasets"].item() == 2
    assert cell(tables["notes"], dataset="broken")["kind"] == "left out"


def test_the_order_of_rows_does_not_matter():
    s = rich()
    frames = s.frames()
    shuffled = {
        name: frame.sample(fraction=1, shuffle=True, seed=3) if name != "runs" else frame
        for name, frame in frames.items()
    }
    again = compare(shuffled, datasets=s.datasets, settings=s.settings)
    for name, table in compared(s).items():
        assert table.equals(again[name]) or _close(table, again[name]), name


def _close(a, b):
    from polars.testing import assert_frame_equal

    assert_frame_equal(a, b, check_exact=False, abs_tol=1e-12)
    return True


def test_yardsticks_are_known_by_their_role_whatever_they_are_called():
    s = Study(["a", "b"], roles={"chance": "random", "everything": "all_features"})
    for dataset in s.datasets:
        s.succeed(dataset, "good", 0.9)
        s.succeed(dataset, "bad", 0.5, order=range(s.d - 1, -1, -1))
        s.succeed(dataset, "chance", 0.7, order=np.roll(range(s.d), 7))
        s.succeed(dataset, "everything", 0.8, sizes=(s.d,))
    tables = compared(s)
    assert cell(tables["methods"], method="chance")["label"] == "random"
    below = main(tables, "scores").filter("below_random", pl.col("classifier") == "all")
    assert set(below["method"]) == {"bad"}
    ranked = main(tables, "ranks").drop_nulls("mean_rank")["method"]
    assert set(ranked) == {"good", "bad", "all_features"}
    advice = cell(tables["recommendation"], dataset="a")
    assert advice["random_value"] is not None
    assert advice["all_features_value"] is not None
    # A line for all features, though it was measured at one size only.
    line = tables["curves"].filter(pl.col("method") == "all_features", pl.col("dataset") == "a")
    assert line["k"].n_unique() == tables["curves"]["k"].n_unique() > 1
