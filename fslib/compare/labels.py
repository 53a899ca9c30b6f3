"""Which methods are compared, under which label: yardsticks pooled, twins counted once."""

from __future__ import annotations

import re

import polars as pl

ALL_FEATURES = "all_features"
RANDOM = "random"


def method_labels(runs: pl.DataFrame, selections: pl.DataFrame, controls: set[str]) -> pl.DataFrame:
    """One row per method: the label it is compared under and whether it stands for that label.

    Random rankings share the label ``random``. Methods that selected the same features in the
    same order on every data set and split share the label ``a = b``, and the first one stands
    for all of them.
    """
    names = runs["method"].unique(maintain_order=True).to_list()
    twins: dict[tuple, list[str]] = {}
    choices = _choices(selections)
    for name in names:
        if name not in controls:
            twins.setdefault(choices.get(name, (name,)), []).append(name)
    label_of = {name: " = ".join(group) for group in twins.values() for name in group}
    firsts = {group[0] for group in twins.values()}
    rows = []
    for name in names:
        control = name in controls
        pooled = control and re.fullmatch(r"random_\d+", name)
        label = RANDOM if pooled else label_of.get(name, name)
        rows.append((name, label, control, control or name in firsts))
    schema = {"method": pl.String, "label": pl.String, "control": pl.Boolean, "counted": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _choices(selections: pl.DataFrame) -> dict[str, tuple]:
    """Everything a method selected, as a value that is equal for equal choices."""
    cells = (
        selections.group_by("method", "dataset", "split")
        .agg(pl.struct("rank", "feature", "selected").hash().sum().alias("choice"))
        .sort("dataset", "split")
    )
    return {
        key[0]: tuple(part.select("dataset", "split", "choice").rows())
        for key, part in cells.group_by("method", maintain_order=True)
    }


def relabelled(frame: pl.DataFrame, labels: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """The frame with labels for methods, one row per ``by``, pooled methods averaged."""
    counted = labels.filter("counted").select("method", "label")
    values = [c for c in frame.columns if c not in {*by, "method"}]
    return (
        frame.join(counted, on="method", maintain_order="left")
        .drop("method")
        .rename({"label": "method"})
        .group_by(by, maintain_order=True)
        .agg(pl.col(values).mean())
        .select(c for c in frame.columns)
    )
