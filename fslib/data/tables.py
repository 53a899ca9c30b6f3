"""Data sets as parquet: one column per feature, then `target`, `fold`, `group` and `time`."""

from __future__ import annotations

import json
import os

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.run.artefacts import ArtefactError, read_any, write_any

RESERVED = ("target", "fold", "group", "time")
_KEY = "fslib.dataset"


def table(dataset: Dataset) -> pl.DataFrame:
    """The data set as a frame: Float64 features (null where missing) and Int32 ``target``.

    A feature with a reserved name gets ``feature.`` in front.

    >>> from fslib.data import load
    >>> table(load("wine")).select("alcohol", "target").head(1).row(0)
    (14.23, 0)
    """
    frame = pl.DataFrame(dataset.X, schema=_column_names(dataset), orient="row", nan_to_null=True)
    extra = [pl.Series("target", dataset.y, dtype=pl.Int32)]
    for words in ("fold", "group"):
        if getattr(dataset, words) is not None:
            extra.append(pl.Series(words, getattr(dataset, words).tolist(), dtype=pl.String))
    if dataset.time is not None:
        extra.append(pl.Series("time", dataset.time, dtype=pl.Float64))
    return frame.with_columns(extra)


def write_table(dataset: Dataset, path: str | os.PathLike) -> None:
    """Write the data set as parquet, all it knows of itself in the file's metadata."""
    about = {
        "name": dataset.name,
        "class_names": dataset.class_names,
        "feature_names": dataset.feature_names,
        "fold": dataset.fold is not None,
        "group": dataset.group is not None,
        "time": dataset.time is not None,
        "categories": dataset.categories,
        "essential": None if dataset.essential is None else dataset.essential.tolist(),
    }
    # Metadata that people look for have a key each; what `read_table` needs is one JSON object.
    write_any(table(dataset), path, {**dataset.metadata, _KEY: json.dumps(about)})


def read_table(path: str | os.PathLike) -> Dataset:
    """The data set that `write_table` wrote."""
    frame = read_any(path)
    metadata = pl.read_parquet_metadata(path)
    if _KEY not in metadata:
        raise ArtefactError(f"{path} is not a data set table: its metadata lack {_KEY!r}.")
    about = json.loads(metadata.pop(_KEY))
    features = frame[frame.columns[: len(about["feature_names"])]]
    return Dataset(
        name=about["name"],
        X=features.to_numpy(order="c").astype(np.float64, copy=False),
        y=frame["target"].to_numpy(),
        feature_names=about["feature_names"],
        class_names=about["class_names"],
        fold=frame["fold"].to_list() if about["fold"] else None,
        group=frame["group"].to_list() if about["group"] else None,
        time=frame["time"].to_numpy() if about.get("time") else None,
        essential=about["essential"],
        categories={int(column): levels for column, levels in about["categories"].items()},
        metadata={k: v for k, v in metadata.items() if k != "ARROW:schema" and k[:6] != "fslib."},
    )


def _column_names(dataset: Dataset) -> list[str]:
    taken, names = set(dataset.feature_names), []
    for name in dataset.feature_names:
        if name in RESERVED:
            name = f"feature.{name}"
            while name in taken:
                name = f"feature.{name}"
            taken.add(name)
        names.append(name)
    return names
