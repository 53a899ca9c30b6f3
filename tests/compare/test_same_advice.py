"""The same table under another name, its rows and columns shuffled: the same advice."""

from functools import partial

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from fslib.compare.setting import Setting
from fslib.compare.study import compare
from fslib.data import load
from fslib.data.stage import write_dataset
from fslib.data.tables import read_table
from fslib.evaluate.stage import evaluate_entry
from fslib.prepare.stage import write_fitted
from fslib.run.artefacts import read
from fslib.run.layout import FILES
from fslib.select.fits import Job
from fslib.select.stage import select_batch
from fslib.split.stage import write_splits

pytestmark = pytest.mark.slow

SPLITS = {"scheme": "kfold", "folds": 3, "repeats": 1, "stratified": True, "most_rows": None}
NUMBERS, CODES = ["median", "standard"], ["median", "bins5"]
METHODS = [
    ("correlation", "correlation", {}, NUMBERS, "competitor"),
    ("mrmr", "mrmr", {}, CODES, "competitor"),
    (
        "trees",
        "sklearn.ensemble:ExtraTreesClassifier",
        {"n_estimators": 10},
        NUMBERS,
        "competitor",
    ),
    ("all_features", "all_features", {}, NUMBERS, "all_features"),
    ("random_1", "random_ranking", {}, NUMBERS, "random"),
]


def unbalanced() -> pl.DataFrame:
    """As tables of customers are: 6 % of the rows in the class that matters, one text column."""
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.06
    X = rng.standard_normal((300, 6))
    X[:, 2] += 2.0 * y
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(6)], orient="row")
    where = np.where(rng.random(300) < 0.5 + 0.4 * y, "town", "country")
    return frame.with_columns(where=where, label=np.where(y, "buys", "no"))


def bundled(name: str) -> pl.DataFrame:
    data = load(name)
    frame = pl.DataFrame(data.X, schema=data.feature_names, orient="row")
    return frame.with_columns(label=np.array(data.class_names)[data.y])


def advice(frame: pl.DataFrame, name: str, folder) -> dict[str, pl.DataFrame]:
    """All tables of a small study on one own file."""
    folder = folder / name
    folder.mkdir()
    at = {key: str(folder / f"{key}.parquet") for key in ("table", "splits", "batch", *FILES)}
    frame.write_csv(folder / "table.csv")
    own = {name: {"path": str(folder / "table.csv"), "target": "label"}}
    write_dataset(name, at["table"], own=own, data={})
    write_splits(at["table"], at["splits"], dataset=name, scheme=SPLITS, seed=1, final=True)
    prepared = []
    for steps in (NUMBERS, CODES):
        prepared.append(str(folder / f"{'-'.join(steps)}.parquet"))
        write_fitted(at["table"], at["splits"], prepared[-1], steps=steps)
    keys = ("name", "use", "params", "preparation", "role")
    variants = [
        dict(zip(keys, m, strict=True)) | {"entry": "e", "seed_name": m[0], "fingerprint": ""}
        for m in METHODS
    ]
    common = {"limits": {"seconds": 60, "memory_mb": 1000}, "workers": 1, "log": None}
    job = Job("own", name, "e", variants, "kfold", 1, "")
    select_batch(at["table"], at["splits"], prepared, at["batch"], job=job, batch=None, **common)
    evaluate_entry(
        at["table"],
        at["splits"],
        prepared[0],
        [at["batch"]],
        {kind: at[kind] for kind in FILES},
        label="l",
        code="code",
        classifiers=["nb", "knn3"],
        sizes=[1, 2, 3, 5],
        measures=["accuracy", "balanced_accuracy"],
        seed=1,
        stability=["nogueira"],
        selects_before_split=False,
        **common,
    )
    setting = Setting.of(partial(read_table, at["table"]), read(at["splits"], "splits"), None)
    frames = {kind: read(at[kind], kind) for kind in FILES}
    return compare(frames, datasets=[name], settings={name: setting})


@pytest.mark.parametrize("made", [partial(bundled, "wine"), partial(bundled, "wdbc"), unbalanced])
def test_the_name_and_the_order_of_rows_and_columns_do_not_matter(made, tmp_path):
    frame = made()
    columns = np.random.default_rng(0).permutation(frame.columns).tolist()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=7).select(columns)
    first, second = advice(frame, "mine", tmp_path), advice(shuffled, "export_final_2", tmp_path)
    tables = (
        "recommendation",
        "by_classifier",
        "equivalent_sets",
        "selected_features",
        "consensus",
    )
    for table in (*tables, "fewer_features", "interchangeable"):
        assert_frame_equal(first[table].drop("dataset"), second[table].drop("dataset"))
    assert first["recommendation"]["method"][0] is not None
    if made is unbalanced:
        assert first["recommendation"]["judge_by"][0] == "balanced_accuracy"
