"""Comparisons that several claims on the synthetic sets of the AMFES paper are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from fslib.papers.amfes.synthetic_sets import (
    SETS,
    SIGNS,
    groups,
    procedures,
    sets,
    side_by_side,
    value,
)
from fslib.reproduce.comparisons import Comparison, above, not_below, verdict_of
from fslib.reproduce.paper import HOLDS, Verdict


def rises(results, quantity, methods, higher=above) -> Iterator[Comparison]:
    """A quantity never clearly falls as the training set grows, and is higher on the largest set.

    ``higher`` says how much higher than on the smallest set.
    """
    for group, places in groups(results).items():
        for method in methods:
            for procedure in procedures(group):
                by_size = [value(results, p, method, quantity, procedure) for p in places]
                what = f"{method} {SIGNS[procedure]}"
                for place, (smaller, larger) in zip(places[1:], pairwise(by_size), strict=True):
                    yield not_below(f"group {group}", f"{what} {place}", larger, smaller)
                ends = f"{what} {places[-1]} and {places[0]}"
                yield higher(f"group {group}", ends, by_size[-1], by_size[0])


def generally(compared: Iterable[Comparison]) -> Verdict:
    """“Generally”: in at least 15 of 18 comparisons, or the same share of fewer.

    Else each place is judged for itself.
    """
    compared = list(compared)
    known = [c for c in compared if c.holds is not None]
    verdict = verdict_of(compared)
    if known and sum(c.holds for c in known) >= 15 / 18 * len(known):
        return replace(verdict, outcome=HOLDS)
    return verdict


def group_1_above(results, quantity, methods, compare) -> Iterator[Comparison]:
    """A quantity is higher with 200 features than with 2000."""
    for one, two in side_by_side(results):
        for method in methods:
            for procedure in procedures(one):
                yield compare(
                    one,
                    f"{method} {SIGNS[procedure]}",
                    value(results, one, method, quantity, procedure),
                    value(results, two, method, quantity, procedure),
                )


def over(results, quantity, better, worse, compare) -> Iterator[Comparison]:
    """A method does better than another."""
    for place in sets(results):
        for procedure in procedures(place):
            yield compare(
                place,
                f"{better} and {worse} {SIGNS[procedure]}",
                value(results, place, better, quantity, procedure),
                value(results, place, worse, quantity, procedure),
            )


def many_over_one(results, quantity, methods, compare) -> Iterator[Comparison]:
    """The Ω procedure does better than the Ω·Π procedure."""
    for place in SETS.values():
        for method in methods:
            many, one = (value(results, place, method, quantity, p) for p in SIGNS)
            yield compare(place, f"{method} {quantity}", many, one)


def advantage(results, quantity) -> Verdict:
    """AMFES's lead over RFE falls with more rows and grows with more irrelevant features."""

    def lead(place):
        both = [value(results, place, m, quantity) for m in ("amfes", "svm_rfe")]
        return None if None in both else both[0] - both[1]

    compared = [
        not_below(f"group {group}", f"lead {smaller} and {larger}", lead(smaller), lead(larger))
        for group, places in groups(results).items()
        for smaller, larger in pairwise(places)
    ]
    compared += [
        not_below("group II against I", f"lead {two} and {one}", lead(two), lead(one))
        for one, two in side_by_side(results)
    ]
    return verdict_of(compared)
