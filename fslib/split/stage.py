"""The split stage: a table and a scheme become `splits.parquet`."""

from __future__ import annotations

import numpy as np
import polars as pl

from fslib.data.tables import read_table
from fslib.run.artefacts import read, refusing, write
from fslib.split.schemes import Split, SplitError, make_splits


def write_splits(table: str, out: str, *, dataset: str, scheme: dict, seed: int, final: bool):
    """Draw all splits of a data set and write them, one row per (split, part, row)."""
    with refusing(out, over=SplitError):
        data = read_table(table)
        splits = make_splits(
            data.y,
            scheme,
            base_seed=seed,
            dataset=dataset,
            fold=data.fold,
            class_names=data.class_names,
            final=final,
        )
        parts = [
            pl.DataFrame(
                {"split": s.split, "repeat": s.repeat, "ratio": s.ratio, "part": part, "row": rows}
            )
            for s in splits
            for part, rows in (("train", s.train), ("test", s.test))
            if len(rows)
        ]
        write(pl.concat(parts), out, "splits")


def read_splits(path: str) -> dict[int, Split]:
    """The splits of a file by their number, rows in the order they were drawn."""
    rows = {
        (split, part): group
        for (split, part), group in read(path, "splits").group_by(
            "split", "part", maintain_order=True
        )
    }
    splits = {}
    for (split, part), train in rows.items():
        if part == "train":
            test = rows.get((split, "test"))
            splits[split] = Split(
                split,
                train["repeat"][0],
                train["ratio"][0],
                train["row"].to_numpy(),
                np.empty(0, np.int32) if test is None else test["row"].to_numpy(),
            )
    return splits
