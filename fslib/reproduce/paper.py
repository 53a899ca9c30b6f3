"""What a paper's module says: how our results give its tables, claims and figures.

One file per paper, `fslib/papers/<name>.py`, with a `PAPER` that its functions register with;
a study names it by ``paper: <name>``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from fslib.reproduce.results import Results

HOLDS, IN_PART, FAILS, UNTESTED = "holds", "holds in part", "does not hold", "not tested"
VERDICTS = (HOLDS, IN_PART, FAILS, UNTESTED)


@dataclass(frozen=True)
class Cell:
    """Our value for a cell of the paper's tables; the first five fields say which."""

    table: str
    dataset: str
    method: str
    quantity: str
    condition: str
    value: float | None
    """None where the quantity has no value on our results."""
    deviation: float | None = None
    """Standard deviation over the repeats, where the paper has one."""
    repeats: int | None = None


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds on our results, and what was seen."""

    outcome: str
    detail: str


def judged(checks: Mapping[str, bool | None], detail: str = "", missing: str = "") -> Verdict:
    """The verdict over several places (data sets, conditions) that a claim speaks of.

    ``None`` stands for a place where our results do not tell.

    >>> judged({"wine": True, "musk1": False, "mfeat": None}).outcome
    'holds in part'
    >>> judged({"wine": True, "musk1": False}, "mean ranks").detail
    'holds on wine; not on musk1. mean ranks'
    """
    yes = [place for place, holds in checks.items() if holds]
    no = [place for place, holds in checks.items() if holds is not None and not holds]
    if not yes and not no:
        return Verdict(UNTESTED, missing or detail or "no results for it")
    outcome = IN_PART if yes and no else HOLDS if yes else FAILS
    said = [f"holds on {', '.join(yes)}"] * bool(yes) + [f"not on {', '.join(no)}"] * bool(no)
    unknown = [place for place, holds in checks.items() if holds is None]
    said += [f"not run: {', '.join(unknown)}"] * bool(unknown)
    return Verdict(outcome, ". ".join(["; ".join(said), *[detail] * bool(detail)]))


@dataclass
class Paper:
    """A paper's cells, claims and figures as functions of results."""

    name: str
    citation: str
    #: How many repeats a published mean stands for, by the published row; None where unknown.
    published_repeats: Callable[[Mapping], int | None] = lambda row: None
    tables: list[Callable[[Results], Iterable[Cell]]] = field(default_factory=list)
    claims: dict[str, Callable[[Results], Verdict]] = field(default_factory=dict)
    figures: dict[str, tuple[str, Callable[[Results], Figure | None]]] = field(default_factory=dict)

    def table(self, function):
        """Register a function that yields our cells of one or more of the paper's tables."""
        self.tables.append(function)
        return function

    def claim(self, *names: str):
        """Register the predicate of one or more claims of `published/claims.yaml`."""

        def register(function):
            for name in names:
                if name in self.claims:
                    raise ValueError(f"claim {name!r} has two predicates")
                self.claims[name] = function
            return function

        return register

    def figure(self, name: str, caption: str):
        """Register a function that draws a figure, or gives None where there is nothing to draw."""

        def register(function):
            self.figures[name] = caption, function
            return function

        return register


def paper_named(name: str) -> Paper:
    """The paper that `fslib/papers/<name>.py` describes; `config` has checked that it is there."""
    return importlib.import_module(f"fslib.papers.{name}").PAPER


def paper_folder(name, folders):
    from pathlib import Path

    return Path("published")


def paper_sources(folder):
    return []
