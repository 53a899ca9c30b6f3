"""Advice on tables whose truth is known: noise, sets that are equal, classifiers that lose."""

import numpy as np
import polars as pl
import pytest
from make_frames import Study
from sklearn.metrics import balanced_accuracy_score, log_loss

from fslib.compare.candidates import Candidates
from fslib.compare.features import SIMILAR, interchangeable, similarities
from fslib.compare.setting import Setting
from fslib.compare.study import compare
from fslib.data.dataset import Dataset
from fslib.evaluate.classifier import predict_curve
from fslib.evaluate.measures import MEASURES

SIZES = (1, 2, 5, 10)


def folds(y, n_folds, seed) -> dict:
    order = np.random.default_rng(seed).permutation(len(y))
    tests = [np.sort(order[i::n_folds]) for i in range(n_folds)]
    return {i: (1.0, np.setdiff1d(order, test), test) for i, test in enumerate(tests)}


def candidates_on_noise(seed, n=100, d=20, n_methods=10) -> Candidates:
    """Rankings by correlation, each of half the columns, on a table without any information."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.permutation(np.arange(n) % 2)
    setting = Setting(d, y, folds(y, 5, seed), "accuracy")
    looked_at = rng.random((n_methods, d)) < 0.5
    rows = []
    for split, (_, train, test) in setting.splits.items():
        score = np.abs((y[train] - y[train].mean()) @ (X[train] - X[train].mean(axis=0)))
        for method in range(n_methods):
            best = np.argsort(-np.where(looked_at[method], score, -1))[: SIZES[-1]]
            known, asked = X[np.ix_(train, best)], X[np.ix_(test, best)]
            right = predict_curve("nb", known, y[train], asked, SIZES) == y[test]
            rows += [
                (f"{method}", split, "all", k, a)
                for k, a in zip(SIZES, right.mean(axis=1), strict=True)
            ]
    columns = {"method": pl.String, "split": pl.Int32, "classifier": pl.String, "k": pl.Int32}
    measured = pl.DataFrame(rows, columns | {"accuracy": pl.Float64}, orient="row")
    cells = (
        measured.select("method")
        .unique()
        .with_columns(
            role=pl.lit("competitor"), n_selected=pl.lit(d), ok=5, splits=5, refit_ok=True
        )
    )
    none = pl.DataFrame(schema={"method": pl.String, "k": pl.Int32, "stability": pl.Float64})
    return Candidates.of(measured, cells, none, setting)


@pytest.mark.slow
def test_on_noise_the_plain_figure_is_optimistic_and_the_honest_one_is_not():
    plain, honest = [], []
    for seed in range(50):
        found = candidates_on_noise(seed)
        values = found.values["all"]
        plain.append(values[:, found.chosen(values)].mean())
        honest.append(found.honest().mean())

    def error(means):
        return np.std(means, ddof=1) / np.sqrt(len(means))

    assert np.mean(plain) - 0.5 > 6 * error(plain)
    assert abs(np.mean(honest) - 0.5) < 2 * error(honest)


def made(by_method: dict, classifiers=("nb",), **sizes) -> Study:
    """A study on one data set with values by method, size and split (and classifier)."""
    n_splits = len(next(iter(next(iter(by_method.values())).values())))
    s = Study(["a"], n_splits=n_splits)
    for i, method in enumerate(by_method):
        s.succeed(
            "a", method, 0.9, sizes=(), order=np.roll(np.arange(s.d), i), size=sizes.get(method)
        )
    s.rows["accuracy"] = [
        ("a", method, split, k, classifier, value - 0.1 * shift, value - 0.1 * shift)
        for method, curve in by_method.items()
        for k, values in curve.items()
        for split, value in enumerate(values)
        for shift, classifier in enumerate(classifiers)
    ]
    return s


def advised(s, **settings) -> dict[str, pl.DataFrame]:
    return compare(s.frames(), datasets=s.datasets, settings=s.settings | settings)


def test_what_to_expect_is_measured_on_the_split_that_had_no_say():
    # Each split has its own favourite: whatever the others recommend is poor on it.
    s = made({"x": {1: (0.9, 0.6, 0.6)}, "y": {1: (0.6, 0.9, 0.6)}, "z": {1: (0.6, 0.6, 0.9)}})
    row = advised(s)["recommendation"].row(0, named=True)
    assert row["value"] == pytest.approx(0.7)
    assert row["expected"] == pytest.approx(0.6)
    assert row["expected_low"] == row["expected_high"] == pytest.approx(0.6)


def test_sets_within_the_error_are_called_equivalent():
    s = made(
        {
            "x": {1: (0.5, 0.5, 0.5), 5: (0.8, 0.9, 0.85)},
            "y": {5: (0.85, 0.9, 0.82), 10: (0.86, 0.9, 0.82)},
            "z": {5: (0.6, 0.6, 0.6)},
        }
    )
    tables = advised(s)
    alike = tables["equivalent_sets"]
    assert alike.select("method", "k", "recommended").rows() == [("y", 5, True), ("x", 5, False)]
    row = tables["recommendation"].row(0, named=True)
    assert row["n_equivalent"] == 1
    assert "1 other method has a set that is equivalent within the error" in row["verdict"]


def test_a_classifier_that_loses_against_all_features_is_named():
    s = made({"x": {2: (0.9, 0.91, 0.92)}, "all_features": {30: (0.9, 0.91, 0.92)}}, ("nb", "knn3"))
    s.rows["accuracy"] = [
        (*row[:5], row[5] + 0.2, row[6] + 0.2)
        if row[1] == "all_features" and row[4] == "knn3"
        else row
        for row in s.rows["accuracy"]
    ]
    tables = advised(s)
    rows = {row["classifier"]: row for row in tables["by_classifier"].rows(named=True)}
    assert not rows["nb"]["loses"]
    assert rows["knn3"]["loses"]
    assert rows["knn3"]["difference"] == pytest.approx(-0.2)
    assert rows["knn3"]["all_features_value"] == pytest.approx(1.01)
    verdict = tables["recommendation"]["verdict"][0]
    assert "knn3 loses against all features: 0.810 instead of 1.010" in verdict
    assert "nb loses" not in verdict


def test_the_majority_class_is_a_yardstick_by_every_measure():
    y = np.array([0] * 9 + [1] * 3)
    splits = {0: (1.0, np.arange(0, 12, 2), np.arange(1, 12, 2))}
    setting = Setting(3, y, splits)
    train, test = y[::2], y[1::2]
    assert setting.majority(MEASURES["accuracy"]) == (test == 0).mean()
    assert setting.majority(MEASURES["matthews"]) == 0
    assert setting.majority(MEASURES["roc_auc"]) == 0.5
    expected = balanced_accuracy_score(test, np.zeros_like(test))
    assert setting.majority(MEASURES["balanced_accuracy"]) == expected
    share = np.tile([(train == 0).mean(), (train == 1).mean()], (len(test), 1))
    assert setting.majority(MEASURES["log_loss"]) == pytest.approx(log_loss(test, share))


def test_who_only_names_the_larger_class_is_told_so():
    """The insurance table of the issue: 94 % accuracy, and nothing learned."""
    y = np.array([0] * 47 + [1] * 3)
    s = made({"x": {1: (0.5, 0.5, 0.5)}, "all_features": {30: (0.5, 0.5, 0.5)}})
    s.rows["accuracy"] = [(*row[:5], 0.94, 0.5) for row in s.rows["accuracy"]]
    setting = Setting(s.d, y, folds(y, 3, 0))
    row = advised(s, a=setting)["recommendation"].row(0, named=True)
    assert (row["judge_by"], row["value"]) == ("balanced_accuracy", 0.5)
    assert row["verdict"].startswith("no better than always naming the most frequent class")


def test_less_is_better_where_the_measure_says_so():
    s = made({"x": {1: (0.2, 0.3, 0.25)}, "y": {1: (0.6, 0.7, 0.5)}})
    frames = s.frames()
    frames["accuracy"] = frames["accuracy"].with_columns(log_loss=pl.col("accuracy"))
    setting = Setting(s.d, s.settings["a"].y, s.settings["a"].splits, "log_loss")
    tables = compare(frames, datasets=["a"], settings={"a": setting})
    row = tables["recommendation"].row(0, named=True)
    assert (row["method"], row["judge_by"], row["runner_up"]) == ("x", "log_loss", "y")
    assert row["value"] == pytest.approx(0.25)
    ranks = tables["scores"].filter(question="set", classifier="all")
    assert ranks.sort("rank")["method"].to_list() == ["x", "y"]


def test_the_consensus_stands_beside_the_refit():
    s = Study(["a"], n_splits=3)
    # The refit takes 0, 1, 2; two of three splits 3, 4, 5.
    s.succeed("a", "x", 0.9, size=3, sizes=(3,), splits=[-1, 0], order=np.arange(s.d))
    s.succeed("a", "x", 0.9, size=3, sizes=(3,), splits=[1, 2], order=np.roll(np.arange(s.d), -3))
    s.rows["stability"] = []
    tables = advised(s)
    assert tables["selected_features"]["feature"].to_list() == [0, 1, 2]
    assert tables["selected_features"]["frequency"].to_list() == pytest.approx([1 / 3] * 3)
    agreed = tables["consensus"]
    assert agreed["feature"].to_list() == [3, 4, 5]
    assert agreed["in_refit"].to_list() == [False] * 3
    assert agreed["frequency"].to_list() == pytest.approx([2 / 3] * 3)


def test_how_accuracy_falls_with_fewer_features():
    s = made({"x": {1: (0.5, 0.6, 0.7), 5: (0.9, 0.9, 0.9)}, "y": {1: (0.4, 0.4, 0.4)}})
    falls = advised(s)["fewer_features"].filter(classifier="all")
    assert falls.select("method", "k", "recommended").rows() == [("x", 1, False), ("x", 5, True)]
    assert falls["value"].to_list() == pytest.approx([0.6, 0.9])


def test_interchangeable_features_are_those_that_say_the_same():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    squared = np.round(3 * x) ** 2  # no correlation, but hardly anything else to know
    X = np.column_stack([x, -2 * x + 0.01 * rng.standard_normal(200), rng.standard_normal(200)])
    X = np.column_stack([X, np.ones(200), np.round(3 * x), squared])
    X[3, 1] = np.nan
    data = Dataset("a", X, (x > 0).astype(int), list("abcdef"), ["no", "yes"])
    similar = similarities(data, [0, 4])
    filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    assert similar[0, 1] == pytest.approx(abs(np.corrcoef(filled[:, 0], filled[:, 1])[0, 1]))
    assert similar[0, 2] < 0.3
    assert similar[0, 3] == 0.0
    assert similar[1, 4] == pytest.approx(1.0)
    setting = Setting(6, data.y, {}, table=lambda: data)
    selected = pl.DataFrame({"dataset": ["a"], "feature": [0]})
    found = interchangeable(selected, {"a": setting})
    assert found["other_name"].to_list() == ["b", "e"]
    assert (found["similarity"] >= SIMILAR).all()
    assert not found["other_recommended"].any()
