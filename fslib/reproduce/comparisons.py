"""Measured means set against one another, and the verdict that many comparisons come to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, UNTESTED, Verdict, judged

#: Means closer than this are equal: the same numbers may have been summed in another order.
_EQUAL = 1e-9
_MOST_NAMED = 5


@dataclass(frozen=True)
class Value:
    """A mean with its standard error, NaN where one repeat alone cannot tell.

    ``repeats`` has the values by the name of what was drawn, where other means are of the same
    draws: the difference of two such means is that of pairs.

    >>> Value.of([1.0, 2.0, 3.0])
    Value(mean=2.0, error=0.5773502691896258)
    >>> Value.of([2.0, 4.0, 6.0], names="abc") - Value.of([1.0, 3.0, 5.0], names="abc")
    Value(mean=1.0, error=0.0)
    """

    mean: float
    error: float
    repeats: Mapping[str, float] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, sample, names: Iterable[str] | None = None) -> Value:
        sample = np.asarray(sample, dtype=float)
        error = sample.std(ddof=1) / math.sqrt(len(sample)) if len(sample) > 1 else math.nan
        repeats = None if names is None else dict(zip(names, sample.tolist(), strict=True))
        return cls(float(sample.mean()), float(error), repeats)

    def __sub__(self, other: Value) -> Value:
        """The difference of the means of the same draws, or of independent ones."""
        if self.repeats and other.repeats and self.repeats.keys() == other.repeats.keys():
            pairs = [value - other.repeats[name] for name, value in self.repeats.items()]
            return Value.of(pairs, self.repeats)
        return Value(self.mean - other.mean, math.hypot(self.error, other.error))

    def __str__(self) -> str:
        return f"{self.mean:.2f}"


@dataclass(frozen=True)
class Comparison:
    """One comparison that a claim makes at a place; ``holds`` is None where it was not run."""

    place: str
    holds: bool | None
    text: str


def above(place: str, what: str, a: Value | None, b: Value | None) -> Comparison:
    """The first mean is higher; ties count against it.

    >>> above("wine", "a", Value(2.0, 0.1), Value(1.0, 0.1))
    Comparison(place='wine', holds=True, text='wine a 2.00 against 1.00')
    """
    return _compared(place, what, a, b, lambda lead: lead.mean > _EQUAL)


def at_least(place: str, what: str, a: Value | None, b: Value | None) -> Comparison:
    """The first mean is as high as the second or higher."""
    return _compared(place, what, a, b, lambda lead: lead.mean >= -_EQUAL)


def not_below(place: str, what: str, a: Value | None, b: Value | None) -> Comparison:
    """The first mean is lower by two standard errors of the difference at most."""
    return _compared(place, what, a, b, lambda lead: lead.mean >= -2 * _known(lead) - _EQUAL)


def clearly_above(place: str, what: str, a: Value | None, b: Value | None) -> Comparison:
    """The first mean is higher by more than two standard errors of the difference."""
    return _compared(place, what, a, b, lambda lead: lead.mean > 2 * _known(lead) + _EQUAL)


def within(place: str, what: str, a: Value | None, b: Value | None, most: float) -> Comparison:
    """The two means differ by ``most`` at most."""
    return _compared(place, what, a, b, lambda lead: abs(lead.mean) <= most + _EQUAL)


class _Unknown(Exception):
    pass


def _known(lead: Value) -> float:
    if math.isnan(lead.error):
        raise _Unknown
    return lead.error


def _compared(place, what, a, b, rule) -> Comparison:
    if a is None or b is None:
        return Comparison(place, None, f"{place} {what}")
    try:
        holds = bool(rule(a - b))
    except _Unknown:
        holds = None
    return Comparison(place, holds, f"{place} {what} {a} against {b}")


def verdict_of(comparisons: Iterable[Comparison], detail: str = "") -> Verdict:
    """The verdict of many comparisons: a claim holds at a place if all comparisons there hold.

    Places are data sets, for example. The detail names the comparisons that fail.

    >>> good, bad = Comparison("wine", True, "a 2 against 1"), Comparison("iris", False, "a 1 of 2")
    >>> verdict_of([good, bad]).detail
    'holds on wine; not on iris. 1 of 2 comparisons; against it: a 1 of 2'
    """
    comparisons = list(comparisons)
    known = [c for c in comparisons if c.holds is not None]
    checks: dict[str, bool | None] = {c.place: None for c in comparisons}
    for c in known:
        checks[c.place] = c.holds and checks[c.place] is not False
    failing = [c.text for c in known if not c.holds]
    more = len(failing) - _MOST_NAMED
    named = [*failing[:_MOST_NAMED], *[f"and {more} more"] * (more > 0)]
    said = f"{len(known) - len(failing)} of {len(known)} comparisons"
    said += f"; against it: {', '.join(named)}" if failing else ""
    partly = sum(c.holds is None and checks[c.place] is not None for c in comparisons)
    said += f"; {partly} more not run" if partly else ""
    return judged(checks, ". ".join([said, *[detail] * bool(detail)]), "not run")


def conjunction(verdicts: Mapping[str, Verdict]) -> Verdict:
    """The verdict on a claim that says several things at once.

    >>> conjunction({"first": Verdict(HOLDS, ""), "second": Verdict(FAILS, "")})
    Verdict(outcome='holds in part', detail='first: holds; second: does not hold', checks={})
    """
    outcomes = {v.outcome for v in verdicts.values()}
    detail = "; ".join(f"{name}: {v.outcome}" for name, v in verdicts.items())
    if outcomes == {UNTESTED}:
        return Verdict(UNTESTED, "not run")
    checks = {f"{n}: {p}": holds for n, v in verdicts.items() for p, holds in v.checks.items()}
    if outcomes <= {FAILS, UNTESTED}:
        return Verdict(FAILS, detail, checks)
    return Verdict(HOLDS if outcomes == {HOLDS} else IN_PART, detail, checks)
