"""Comparisons that several claims on the synthetic sets of the AMFES paper are made of."""

from __future__ import annotations

from collections.abc import Iterator
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
from fslib.reproduce.comparisons import Comparison, not_below, verdict_of
from fslib.reproduce.paper import Verdict


def rises(results, quantity, methods) -> Iterator[Comparison]:
    """A quantity does not fall as the training set grows."""
    for group, places in groups(results).items():
        for method in methods:
            for procedure in procedures(group):
                for smaller, larger in pairwise(places):
                    yield not_below(
                        f"group {group}",
                        f"{method} {SIGNS[procedure]} {larger}",
                        value(results, larger, method, quantity, procedure),
                        value(results, smaller, method, quantity, procedure),
                    )


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
