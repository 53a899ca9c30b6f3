"""The split stage: a table and a scheme become `splits.parquet`."""

from __future__ import annotations

import json

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table
from fslib.run.artefacts import read, refusing, write
from fslib.split.schemes import SCHEMES, Rows, Split, SplitError, make_splits

_NOTES = "fslib.notes"


def write_splits(table: str, out: str, *, dataset: str, scheme: dict, seed: int, final: bool):
    """Draw all splits of a data set and write them, one row per (split, part, row)."""
    with refusing(out, over=SplitError):
        rows = _rows(dataset, read_table(table))
        scheme = rows.resolved(scheme)
        splits = make_splits(rows, scheme, base_seed=seed, final=final)
        parts = [
            pl.DataFrame(
                {"split": s.split, "repeat": s.repeat, "ratio": s.ratio, "part": part, "row": rows}
            )
            for s in splits
            for part, rows in (("train", s.train), ("test", s.test))
            if len(rows)
        ]
        notes = json.dumps(_notes(rows, scheme, splits))
        write(pl.concat(parts), out, "splits", {_NOTES: notes})


def refusal(data: Dataset, scheme: dict, seed: int) -> str | None:
    """Why a data set cannot be divided by a study's ``splits``, if it cannot."""
    try:
        make_splits(_rows(data.name, data), scheme, base_seed=seed)
    except SplitError as problem:
        return str(problem).removeprefix(f"{data.name}: ")
    return None


def _rows(name: str, data: Dataset) -> Rows:
    return Rows(
        name,
        data.y,
        fold=data.fold,
        group=data.group,
        time=data.time,
        class_names=data.class_names,
        seed_name=data.seed_name,
    )


def _notes(rows: Rows, scheme: dict, splits: list[Split]) -> list[str]:
    """What a reader must know of how rows were divided: one sentence each, without full stop."""
    note, n = SCHEMES[scheme["scheme"]].note, len(rows.y)
    notes = [note(rows)] if note else []
    most = scheme["most_rows"]
    sampled = [s for s in splits if most is not None and len(s.train) + len(s.test) < n]
    if sampled:
        train, test = (max(len(getattr(s, part)) for s in sampled) for part in ("train", "test"))
        notes.append(
            f"of {n:,} rows every split has a stratified sample, at most {train:,} to train and "
            f"{test:,} to test (`most_rows: {most}`)"
        )
    return notes


def split_notes(path: str) -> list[str]:
    """What a splits file says of itself for the reader of a report."""
    return json.loads(pl.read_parquet_metadata(path).get(_NOTES, "[]"))


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
