"""What a study can afford on one table, where its limits bound the minutes of all fits together.

The methods share the minutes evenly; what a cheap one leaves goes to the others. A method that is
expected to need more than its share searches less, where it has a parameter that says how much, and
is skipped where it has none or where the least that makes sense is still too much. What is expected
is the measured growth of `cost.py`, so the answer is the same on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fslib.config.cost import SEARCHES, Shape, growth
from fslib.data.dataset import Dataset
from fslib.data.tables import read_table
from fslib.run.artefacts import Refused
from fslib.run.script import tell
from fslib.select.changes import Change, Expected, write_changes
from fslib.split.stage import read_splits

#: Megabytes of a job beside its table; see benchmarks/results/own.md.
JOB = 220
#: How often a job holds the whole table, and a split of it, at once.
_TABLES, _SPLITS = 3, 6


@dataclass(frozen=True)
class Size:
    """Of an own table what the registry knows of others: enough to tell what a fit will cost."""

    name: str
    n_rows: int
    n_features: int
    classes: dict[str, int]
    fold: dict | None = None
    groups: int | None = None
    text: bool = False

    @classmethod
    def of(cls, data: Dataset) -> Size:
        counts = np.bincount(data.y, minlength=len(data.class_names)).tolist()
        # A category is a column of its own to most methods; more than 100 are pooled.
        extra = sum(min(len(levels), 100) - 1 for levels in data.categories.values())
        return cls(
            data.name,
            len(data.y),
            data.X.shape[1] + max(extra, 0),
            dict(zip(data.class_names, counts, strict=True)),
        )


def changes(
    fits: Iterable[Sequence[Mapping]], shapes: Mapping[Shape, int], minutes: float
) -> dict[str, Change]:
    """The variants to change or skip so that all fits are expected to take ``minutes`` together.

    ``fits`` are the variants by the fit that they share, each with `name`, `use` and `params`;
    ``shapes`` the tables that they are fitted on, each with how often. Methods that nobody has
    measured stay as they are.
    """
    known = [fit for fit in fits if all(growth().knows(variant["use"]) for variant in fit)]
    known.sort(key=lambda fit: _expected(fit, shapes))
    left, found = 60.0 * minutes, {}
    for position, fit in enumerate(known):
        share = left / (len(known) - position)
        shorter = next((s for s in _ever_shorter(fit) if _expected(s, shapes) <= share), None)
        expected = f"about {_roughly(_expected(fit, shapes))} of processor time expected"
        told = f"{expected}, {_roughly(share)} left of the `minutes: {minutes:g}` in `limits`"
        if shorter is None:
            found |= {v["name"]: Change(skipped=True, reason=f"too long: {told}") for v in fit}
            continue
        for whole, cut in zip(fit, shorter, strict=True):
            if cut["params"] != whole["params"]:
                name, _ = SEARCHES[cut["use"]]
                said = f"{name} {cut['params'][name]:,} of {whole['params'][name]:,}: {told}"
                found[cut["name"]] = Change({name: cut["params"][name]}, reason=said)
        left -= _expected(shorter, shapes)
    return found


def job_memory(size: Size, split_rows: int) -> float:
    """Megabytes of a job on a table whose splits have so many rows."""
    return JOB + 8e-6 * size.n_features * (_TABLES * size.n_rows + _SPLITS * split_rows)


def said(changes: Mapping[str, Change]) -> list[str]:
    """A line for each variant that is changed or skipped."""
    return [f"{name}: {'skipped, ' * c.skipped}{c.reason}" for name, c in changes.items()]


def _as_changed(fit: Sequence[Mapping], changes: Mapping[str, Change]) -> list[Mapping]:
    """The variants of a fit that are not skipped, with their changed parameters."""
    pairs = [(variant, changes.get(variant["name"], Change())) for variant in fit]
    return [v | {"params": v["params"] | c.params} for v, c in pairs if not c.skipped]


def _roughly(seconds: float) -> str:
    return f"{seconds / 60:,.{1 if seconds < 600 else 0}f} min"


def _expected(fit: Sequence[Mapping], shapes: Mapping[Shape, int]) -> float:
    """Seconds of a fit that variants share, those of its dearest, on all tables."""
    return sum(
        times * max(growth().fit(v["use"], v["params"], shape) for v in fit)
        for shape, times in shapes.items()
    )


def _ever_shorter(fit: Sequence[Mapping]) -> Iterator[list[Mapping]]:
    """The fit itself, then with less and less to search, ten steps to a tenth of it."""
    yield list(fit)
    for step in range(1, 41):
        shorter = [_with_share(variant, 10 ** (-step / 10)) for variant in fit]
        if None in shorter:
            return
        yield shorter


def _with_share(variant: Mapping, share: float) -> Mapping | None:
    """The variant with a share of its search; None where that is too little, or it has no search.

    >>> _with_share({"use": "daf", "params": {"n_probes": 5000}}, 0.1)["params"]
    {'n_probes': 500}
    """
    name, least = SEARCHES.get(variant["use"], ("", 0))
    whole = variant["params"].get(name)
    if not isinstance(whole, int) or share * whole < least:
        return None
    return {**variant, "params": {**variant["params"], name: int(share * whole)}}


def write_afforded(
    table: str,
    splits: str,
    out: str,
    *,
    study: str,
    fits: list[list[dict]],
    evaluate: dict,
    minutes: float,
) -> None:
    """Write what the size of a table changes and what a study will take on it, and say both.

    Nothing is changed or said of a table that cannot be used.
    """
    try:
        size = Size.of(read_table(table))
        drawn = read_splits(splits).values()
    except Refused:
        write_changes({}, out)
        return
    shapes, tested = (
        Counter(Shape(len(s.train), size.n_features, len(size.classes)) for s in some)
        for some in (drawn, [split for split in drawn if len(split.test)])
    )
    found = changes(fits, shapes, minutes)
    kept = list(filter(None, (_as_changed(fit, found) for fit in fits)))
    expected = Expected(
        sum(_expected(fit, shapes) for fit in kept)
        + sum(
            times * growth().selections_measured(evaluate, sum(map(len, kept)), shape)
            for shape, times in tested.items()
        ),
        job_memory(size, max(len(split.train) + len(split.test) for split in drawn)),
    )
    tell(f"{size.name}: the fits of {study} and their evaluation will take {expected}")
    for line in said(found):
        tell(f"{size.name}: {line}")
    write_changes(found, out, expected)
