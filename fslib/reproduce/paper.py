"""What a paper's folder says: how our results give its tables, claims and figures.

`paper.py` of a folder `fslib/papers/<name>/` defines a `PAPER`, and functions of the folder's
other modules register with it; a study names the paper by ``paper: <name>``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure

from fslib.reproduce.results import Results
from fslib.run.artefacts import CONTRACTS
from fslib.run.errors import FslibError
from fslib.run.paper_folders import paper_code

HOLDS, IN_PART, FAILS, UNTESTED = "holds", "holds in part", "does not hold", "not tested"
VERDICTS = (HOLDS, IN_PART, FAILS, UNTESTED)


class PaperError(FslibError):
    """A paper's folder does not agree with itself."""


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
    """Standard deviation of the value over repeats of what the paper repeated."""
    repeats: int | None = None
    published_deviation: float | None = None
    """Deviation of the published value over such repeats, where the paper prints none or prints
    that of something else; None takes what is printed."""


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds on our results, and what was seen."""

    outcome: str
    detail: str
    checks: Mapping[str, bool | None] = field(default_factory=dict)
    """What was seen on each data set or condition, where it was decided on several."""

    @property
    def places(self) -> int:
        """How many data sets or conditions it was decided on."""
        if self.outcome == UNTESTED:
            return 0
        return sum(holds is not None for holds in self.checks.values()) or 1


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
    detail = ". ".join(["; ".join(said), *[detail] * bool(detail)])
    return Verdict(outcome, detail, checks)


@dataclass(frozen=True)
class Finding:
    """What our results and the paper's print say together, apart from its cells and claims.

    A finding is ours: a diagnosis of a table, a reading beside the main one, what else was tried.
    """

    text: str
    """What was found, and how far it can be trusted; paragraphs are separated by empty lines."""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    """The numbers that the finding rests on, by what they are."""
    table: pl.DataFrame | None = None
    """Beside the numbers, row by row; the columns' names are shown as they are."""


@dataclass(frozen=True)
class Reading:
    """Another reading of the paper: parts of the study that stand beside parts of the main one."""

    label: str
    """What it is, in words that say whether it was fitted."""
    parts: Mapping[str, str]
    """For each of its parts the part of the main reading that it stands beside."""


@dataclass
class Paper:
    """A paper's cells, claims, figures and findings as functions of results.

    Functions see the results of the main reading: without the parts of the other ``readings``. The
    stage runs them on each other reading, too, with its parts in the place of the main ones.
    """

    name: str
    citation: str
    #: How many repeats a published mean stands for, by the published row; None where unknown.
    published_repeats: Callable[[Mapping], int | None] = lambda row: None
    readings: tuple[Reading, ...] = ()
    #: What every verdict on some data sets says of how much was run; empty where nothing.
    caveat: Callable[[Results, Iterable[str]], str] = lambda results, datasets: ""
    #: By table, the keys of `cells.csv` that make its rows and those that make its columns.
    layouts: Mapping[str, tuple[Iterable[str], Iterable[str]]] = field(default_factory=dict)
    #: Kinds of results of which all rows are few enough to be kept, as exhibits are.
    keeps: Collection[str] = ()
    tables: list[Callable[[Results], Iterable[Cell]]] = field(default_factory=list, init=False)
    claims: dict[str, Callable[[Results], Verdict]] = field(default_factory=dict, init=False)
    figures: dict[str, tuple[str, Callable[[Results], Figure | None]]] = field(
        default_factory=dict, init=False
    )
    exhibits: dict[str, Callable[[Results], pl.DataFrame]] = field(default_factory=dict, init=False)
    findings: dict[str, tuple[str, Callable[[Results], Finding | None]]] = field(
        default_factory=dict, init=False
    )

    def kept_of(self, results: Results) -> Iterator[tuple[str, pl.DataFrame]]:
        """What is kept of results beside their outcome, by name: exhibits and kinds kept whole."""
        yield from ((kind, results.rows(kind)) for kind in self.keeps)
        yield from ((name, exhibit(results)) for name, exhibit in self.exhibits.items())

    def main_reading(self, results: Results) -> Results:
        """The results without the parts of other readings."""
        others = {part for reading in self.readings for part in reading.parts}
        return results.read_as({}, others) if others else results

    def other_readings(self, results: Results) -> Iterator[tuple[Reading, Results]]:
        """Each other reading of which anything was run, with the results as it has them."""
        others = {part for reading in self.readings for part in reading.parts}
        for reading in self.readings:
            run = {part: place for part, place in reading.parts.items() if part in results.parts}
            if run:
                yield reading, results.read_as(run, others)

    def table(self, function):
        """Register a function that yields our cells of one or more of the paper's tables."""
        self.tables.append(function)
        return function

    def claim(self, name: str):
        """Register the predicate of a claim of the paper's `claims.yaml`."""

        def register(function):
            if name in self.claims:
                raise PaperError(f"{self.name}: claim {name!r} has two predicates")
            self.claims[name] = function
            return function

        return register

    def exhibit(self, function):
        """Register a function that brings results down to a table small enough to be kept.

        The table has a ``part``, a ``dataset`` and perhaps a ``method``. `fslib keep --add` puts
        the exhibits of earlier runs below it: what rests on exhibits alone is then decided on all
        runs together. The function sees the results as they were run, whatever the reading.
        """
        name = function.__name__
        if name in self.exhibits or name in CONTRACTS:
            raise PaperError(f"{self.name}: the name {name!r} of an exhibit is taken")

        @wraps(function)
        def exhibit(results: Results) -> pl.DataFrame:
            return results.exhibit(name, function)

        self.exhibits[name] = exhibit
        return exhibit

    def figure(self, name: str, caption: str):
        """Register a function that draws a figure, or gives None where there is nothing to draw."""
        return self._named("figures", name, caption)

    def finding(self, name: str, title: str):
        """Register a function that gives a `Finding`, or None where the results do not tell."""
        return self._named("findings", name, title)

    def _named(self, kind: str, name: str, title: str):
        known = getattr(self, kind)

        def register(function):
            if name in known:
                raise PaperError(f"{self.name}: two {kind} are called {name!r}")
            known[name] = title, function
            return function

        return register


def paper_in(folder: str | Path) -> Paper:
    """The paper that a folder describes, with all that its modules register.

    The modules are imported as ``fslib.papers.<name>.<module>`` wherever the folder lies, so that
    they import each other by the same lines inside the project and outside it.
    """
    folder = Path(folder).resolve()
    package = f"fslib.papers.{folder.name}"
    _make_package(package, folder)
    for module in paper_code(folder):
        importlib.import_module(f"{package}.{module.stem}")
    paper = sys.modules[f"{package}.paper"].PAPER
    if paper.name != folder.name:
        raise PaperError(f"{folder}: paper.py calls it {paper.name!r}, the folder {folder.name!r}")
    return paper


def _make_package(package: str, folder: Path) -> None:
    """Make modules of ``package`` come from ``folder``; forget those loaded from another folder."""
    known = sys.modules.get(package)
    if known is not None and [Path(place).resolve() for place in known.__path__] == [folder]:
        return
    for name in [n for n in sys.modules if n == package or n.startswith(f"{package}.")]:
        del sys.modules[name]
    spec = ModuleSpec(package, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    parent, _, name = package.rpartition(".")
    sys.modules[package] = module_from_spec(spec)
    setattr(importlib.import_module(parent), name, sys.modules[package])
