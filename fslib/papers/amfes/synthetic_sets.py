"""What was selected on the synthetic sets of the AMFES paper (3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import polars as pl

from fslib.papers.amfes.paper import GROUPS
from fslib.reproduce.comparisons import Value
from fslib.reproduce.results import Results

METHODS = ("amfes", "svm_rfe", "correlation")
ESSENTIAL = 15
#: The two procedures: one set from many pairs, and one from each pair alone.
SIGNS = {"omega": "Ω", "omega_pi": "Ω·Π"}
_PROCEDURES = {"synthetic": "omega", "synthetic_redrawn": "omega", "synthetic_pairs": "omega_pi"}
REDRAWN = " redrawn"
SETS = {dataset: name for sets in GROUPS.values() for dataset, name in sets.items()}


def set_of(dataset: str) -> str | None:
    """The paper's name of a set, where it is one of its synthetic sets.

    >>> set_of("synthetic_group2_500"), set_of("synthetic_group1_1000_redrawn07"), set_of("wine")
    ('II-1', 'I-2 redrawn', None)
    """
    base, copies = re.subn(r"_redrawn\d+$", "", dataset)
    return SETS[base] + REDRAWN * copies if base in SETS else None


@lru_cache(maxsize=2)
def samples(results: Results) -> dict[tuple[str, str, str], pl.DataFrame]:
    """By set, procedure and method: one row per selection with the quantities of tables 9 to 13."""
    keys = ["part", "dataset", "method", "split", "k"]
    wanted = pl.col("part").is_in(list(_PROCEDURES)) & pl.col("method").is_in(METHODS)
    measured = (
        results.recovery.filter(wanted)
        .join(results.accuracy.filter(wanted), on=keys)
        .select(
            "dataset",
            "split",
            pl.col("dataset").map_elements(set_of, pl.String).alias("set"),
            pl.col("part").replace_strict(_PROCEDURES, return_dtype=pl.String).alias("procedure"),
            "method",
            test_accuracy=100 * pl.col("accuracy"),
            n_selected=pl.col("k"),
            n_essential=(ESSENTIAL * pl.col("recall")).round(),
            f1=100 * pl.col("f1"),
            n_essential_on_top=pl.col("phi"),
        )
    )
    return measured.partition_by("set", "procedure", "method", as_dict=True)


def value(results: Results, place: str, method: str, quantity: str, procedure="omega"):
    """A quantity's mean over the repeats, None where it was not run."""
    found = samples(results).get((place, procedure, method))
    return None if found is None else Value.of(found[quantity].to_numpy())


def gap(results: Results, place: str, method: str) -> Value | None:
    """Essential features on top beyond those selected, φ − ε."""
    found = samples(results).get((place, "omega", method))
    if found is None:
        return None
    return Value.of(found["n_essential_on_top"].to_numpy() - found["n_essential"].to_numpy())


def groups(results: Results) -> dict[str, list[str]]:
    """The sets of each group by size; redrawn sets are groups of their own, if any was run."""
    drawn = {group: list(names.values()) for group, names in GROUPS.items()}
    redrawn = {g + REDRAWN: [s + REDRAWN for s in names] for g, names in drawn.items()}
    present = {place for place, _, _ in samples(results)}
    return drawn | {g: names for g, names in redrawn.items() if present & set(names)}


def sets(results: Results) -> list[str]:
    return [place for places in groups(results).values() for place in places]


def side_by_side(results: Results) -> Iterator[tuple[str, str]]:
    """Sets of one size, with 200 features and with 2000."""
    found = groups(results)
    for form in ("", REDRAWN):
        yield from zip(found.get("I" + form, []), found.get("II" + form, []), strict=False)


def procedures(place: str) -> tuple[str, ...]:
    """The procedures that the study runs on a set: on redrawn sets Ω alone."""
    return ("omega",) if place.endswith(REDRAWN) else tuple(SIGNS)


@lru_cache(maxsize=2)
def selected_sets(results: Results) -> dict[tuple[str, str, str], dict[tuple[str, int], set[int]]]:
    """By set, procedure and method: the columns selected on each data set and split."""
    chosen = results.selections.filter(
        pl.col("part").is_in(list(_PROCEDURES)), pl.col("method").is_in(METHODS), "selected"
    )
    found: dict = {}
    for part, dataset, method, split, features in (
        chosen.group_by("part", "dataset", "method", "split", maintain_order=True)
        .agg("feature")
        .iter_rows()
    ):
        key = set_of(dataset), _PROCEDURES[part], method
        found.setdefault(key, {})[dataset, split] = set(features)
    return found


def differing(results: Results, dataset: str) -> tuple[set[int], set[int]]:
    """Essential columns whose class means differ, and those whose means are equal.

    Means are ±1: cut at ±3 they stay more than 0.5 apart, and equal ones far closer.
    """
    table = results.table(dataset)
    one, two = (table.X[table.y == c][:, table.essential].mean(axis=0) for c in (0, 1))
    apart = np.abs(one - two) > 0.5
    return set(table.essential[apart].tolist()), set(table.essential[~apart].tolist())
