"""The compare stage: the measures of a study become its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import cycle

import polars as pl

from fslib.compare.schemas import SCHEMAS, write_table
from fslib.compare.setting import Setting
from fslib.compare.study import compare
from fslib.data.tables import read_table
from fslib.run.artefacts import atomic_path, read, read_all, refusal, write
from fslib.run.errors import FslibError
from fslib.run.layout import FILES
from fslib.select.changes import Expected, read_changes, read_expected
from fslib.split.stage import split_notes


class NotOkError(FslibError):
    """A strict run has cells that are not ok."""


def write_tables(
    inputs: Mapping[str, Sequence[str]],
    out: Mapping[str, str],
    *,
    datasets: list[str],
    judge_by: str | None,
) -> None:
    """Compare all methods of a study and write one file per table."""
    frames = {name: read_all(inputs[name], name) for name in FILES}
    settings = {
        dataset: _setting(table, splits, judge_by)
        for dataset, table, splits in zip(datasets, inputs["data"], inputs["splits"], strict=True)
        if refusal(splits) is None
    }
    tables = compare(frames, datasets=datasets, settings=settings)
    splits = dict(zip(datasets, inputs["splits"], strict=True))
    # A file per data set for each study that runs entries of this one; none without such a bound.
    afforded = list(zip(cycle(datasets), inputs["afforded"], strict=False))
    tables["notes"] = pl.concat(
        [
            tables["notes"],
            notes_on_counts(frames["facts"]),
            notes_on_searches(afforded),
            notes_on_costs(afforded),
            _notes_on_splits(splits),
        ]
    )
    write(tables["ledger"], out["ledger"], "ledger")
    for name in SCHEMAS:
        write_table(tables[name], out[name], name)
    with atomic_path(out["csv"]) as temporary:
        tables["selected_features"].write_csv(temporary)


def _notes_on_splits(splits: Mapping[str, str]) -> pl.DataFrame:
    """How rows were divided, where a reader must know."""
    rows = [
        ("splits", dataset, "", note)
        for dataset, path in splits.items()
        for note in split_notes(path)
    ]
    return pl.DataFrame(rows, schema=SCHEMAS["notes"], orient="row")


def notes_on_searches(afforded: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """Methods that search less, or are skipped, for the size of a data set."""
    rows = [
        ("shortened", dataset, method, change.reason)
        for dataset, path in afforded
        for method, change in read_changes(path).items()
    ]
    return pl.DataFrame(rows, schema=SCHEMAS["notes"], orient="row")


def notes_on_costs(afforded: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """What each data set was expected to take before anything was fitted."""
    total: dict[str, Expected] = {}
    for dataset, path in afforded:
        expected = read_expected(path)
        if expected is not None:
            total[dataset] = total[dataset] + expected if dataset in total else expected
    rows = [("expected", dataset, "", str(expected)) for dataset, expected in total.items()]
    return pl.DataFrame(rows, schema=SCHEMAS["notes"], orient="row")


def notes_on_counts(facts: pl.DataFrame) -> pl.DataFrame:
    """Methods that ask for more features than a data set has, together where alike.

    The method itself, or one that it is made of, such as its ranker.
    """
    text = pl.format("asks for {} features, more than there are", pl.col("value").cast(pl.Int64))
    return (
        facts.filter(pl.col("fact") == "asked_for")
        .group_by("dataset", text.alias("note"), maintain_order=True)
        .agg(pl.col("method").unique(maintain_order=True).str.join(", "))
        .with_columns(kind=pl.lit("capped"))
        .select(SCHEMAS["notes"].keys())
    )


def require_ok(ledger: str, out: str) -> None:
    """Raise `NotOkError` for a study with failed cells, naming the first; else write ``out``."""
    frame = read(ledger, "ledger")
    failures = pl.sum_horizontal("timeout", "out_of_memory", "error", "unmeasured")
    bad = frame.filter(failures > 0)
    if len(bad):
        first = bad.row(0, named=True)
        raise NotOkError(
            f"strict: {len(bad)} of {len(frame)} cells are not ok; first: "
            f"{first['dataset']} × {first['method']}: {first['reason']}"
        )
    with atomic_path(out) as temporary:
        temporary.write_text(f"all {len(frame)} cells are ok\n")


def _setting(table: str, splits: str, judge_by: str | None) -> Setting:
    return Setting.of(partial(read_table, table), read(splits, "splits"), judge_by)
