"""What each method of Yun et al. (2007) kept on each data set, and what that did to accuracy."""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from fslib.reproduce.results import Results

METHODS = (
    "mrmr",
    "irelief",
    "cmim",
    "signal_to_noise",
    "bw_ratio",
    "interact",
    "genetic_search",
    "svm_rfe",
)
#: Methods that work on two classes only, as the paper says; it ran them on a two-class arrhythmia.
_TWO_CLASS = ("signal_to_noise", "bw_ratio", "svm_rfe")
UCI = ("arrhythmia", "sonar", "ionosphere", "segmentation", "waveform")
MICROARRAYS = ("lung_train", "leukemia_train")
BINARY = ("arrhythmia_binary", "sonar", "ionosphere")
CLASSIFIERS = {"nb": "NB", "nb_categorical": "NB", "svm_rbf": "SVM"}
#: When features were selected, by the ending of a part's name.
TIMES = {"within": "", "before": "_before"}


@lru_cache(maxsize=1)
def outcomes(results: Results) -> pl.DataFrame:
    """One row per way of selecting, study, data set, method and classifier.

    ``study`` is *three-state* (with the microarrays) or *binary*, ``time`` is *within* or *before*
    the folds, ``change`` the accuracy less that of all features, a mean over the folds with its
    standard ``error``, ``kept`` the mean number of features kept out of ``features``.
    """
    place = ["part", "dataset", "method"]
    accuracy = results.accuracy.with_columns(
        pl.col("classifier").replace_strict(CLASSIFIERS, return_dtype=pl.String)
    )
    change = (
        accuracy.join(
            accuracy.filter(method="all_features"),
            on=["part", "dataset", "split", "classifier"],
            suffix="_full",
        )
        .with_columns(change=pl.col("accuracy") - pl.col("accuracy_full"))
        .group_by(*place, "classifier")
        .agg(
            pl.col("accuracy").mean(),
            pl.col("change").mean(),
            error=pl.col("change").std() / pl.len().sqrt(),
        )
    )
    kept = results.runs.group_by(place).agg(kept=pl.col("n_selected").mean())
    full = kept.filter(method="all_features").select("part", "dataset", features="kept")
    before = pl.col("part").str.ends_with(TIMES["before"])
    binary = pl.col("part").str.starts_with("binary")
    found = (
        change.join(kept, on=place)
        .join(full, on=["part", "dataset"])
        .filter(pl.col("method") != "all_features")
        .with_columns(
            time=pl.when(before).then(pl.lit("before")).otherwise(pl.lit("within")),
            study=pl.when(binary).then(pl.lit("binary")).otherwise(pl.lit("three-state")),
        )
    )
    # In the three-state study arrhythmia_binary stands for arrhythmia where a method needs two
    # classes, and is dropped for all other methods.
    stands_in = (pl.col("study") == "three-state") & (pl.col("dataset") == "arrhythmia_binary")
    return (
        found.filter(~stands_in | pl.col("method").is_in(_TWO_CLASS))
        .with_columns(
            dataset=pl.when(stands_in).then(pl.lit("arrhythmia")).otherwise(pl.col("dataset"))
        )
        .drop("part")
        .sort("time", "study", "dataset", "method", "classifier")
    )
