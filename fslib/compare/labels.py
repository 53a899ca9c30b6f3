"""Labels of the methods that are compared: yardsticks pooled, identical methods counted once."""

from __future__ import annotations

import polars as pl

from fslib.compare.schemas import SCHEMAS
from fslib.run.roles import ALL_FEATURES, COMPETITOR

#: Two formulas for one order (√(B/T) and B/W) round equal features to scores this close.
_ROUNDING = 1e-12


def method_labels(runs: pl.DataFrame, selections: pl.DataFrame) -> pl.DataFrame:
    """One row per method: role, label, whether it counts under that label, whether it gives sets.

    The label of a yardstick is its role, so that five random rankings are one line ``random``.
    Competitors that keep the same features in the same order on every data set and split share the
    label ``a = b``; of these only the first method is ``counted``. Features whose scores tie, or
    differ by no more than rounding does, have no order.
    """
    role_of = dict(runs.select("method", "role").unique(maintain_order=True).rows())
    twins: dict[tuple, list[str]] = {}
    choices = _choices(selections)
    for name, role in role_of.items():
        if role == COMPETITOR:
            twins.setdefault(choices.get(name, (name,)), []).append(name)
    label_of = {name: " = ".join(group) for group in twins.values() for name in group}
    firsts = {group[0] for group in twins.values()}
    subsets = set(runs.filter(pl.col("subset"))["method"])
    rows = []
    for name, role in role_of.items():
        competes = role == COMPETITOR
        counted = not competes or name in firsts
        rows.append((name, label_of.get(name, role), role, counted, name in subsets))
    return pl.DataFrame(rows, schema=SCHEMAS["methods"], orient="row")


def _choices(selections: pl.DataFrame) -> dict[str, tuple]:
    """By method, a hash of its selection on each data set and split; equal for equal selections."""
    cell = ["method", "dataset", "split"]
    score = pl.col("score").fill_nan(None)
    before = score.shift().over(cell, order_by="rank")
    tied = (score == before) | ((score / before - 1).abs() <= _ROUNDING)
    cells = (
        # What is not kept is never measured.
        selections.filter("selected")
        .with_columns(new=~tied.fill_null(False))
        .with_columns(place=pl.col("new").cum_sum().over(cell, order_by="rank"))
        .group_by(cell)
        .agg(pl.struct("place", "feature").hash().sum().alias("choice"))
        .sort("dataset", "split")
    )
    return {
        key[0]: tuple(part.select("dataset", "split", "choice").rows())
        for key, part in cells.group_by("method", maintain_order=True)
    }


def relabelled(frame: pl.DataFrame, labels: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """The frame with labels in place of methods: rows that are equal in ``by`` are averaged."""
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


def of_all_features(labels: pl.DataFrame) -> list[str]:
    """Names of the methods that keep every feature, and so are measured at one size."""
    return labels.filter(pl.col("role") == ALL_FEATURES)["method"].to_list()


def is_competitor() -> pl.Expr:
    return pl.col("role") == COMPETITOR


def own_name() -> pl.Expr:
    """Expression: a competitor's own name, even where it shares a label; a yardstick's role."""
    return pl.when(is_competitor()).then("method").otherwise("label")
