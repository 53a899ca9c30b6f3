"""What the AMFES paper concludes from its synthetic sets (section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl

from fslib.evaluate.stability import nogueira
from fslib.papers._amfes_paper import PAPER
from fslib.papers._amfes_selected import (
    ESSENTIAL,
    METHODS,
    SETS,
    SIGNS,
    differing,
    gap,
    groups,
    procedures,
    samples,
    selected_sets,
    set_of,
    sets,
    side_by_side,
    value,
)
from fslib.reproduce.comparisons import (
    Comparison,
    Value,
    above,
    at_least,
    clearly_above,
    not_below,
    verdict_of,
    within,
)
from fslib.reproduce.paper import HOLDS, UNTESTED, Verdict, judged
from fslib.reproduce.results import Results

_MEASURES = ("test_accuracy", "f1", "n_essential_on_top")
_ZERO = Value(0.0, 0.0)


# What the claims compare.


def _rises(results, quantity, methods) -> Iterator[Comparison]:
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


def _group_1_above(results, quantity, methods, compare) -> Iterator[Comparison]:
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


def _over(results, quantity, better, worse, compare) -> Iterator[Comparison]:
    """A method does better than another."""
    for place in sets(results):
        for procedure in procedures(place):
            yield compare(
                place,
                f"{better} and {worse} {SIGNS[procedure]}",
                value(results, place, better, quantity, procedure),
                value(results, place, worse, quantity, procedure),
            )


def _many_over_one(results, quantity, methods, compare) -> Iterator[Comparison]:
    """The Ω procedure does better than the Ω·Π procedure."""
    for place in SETS.values():
        for method in methods:
            many, one = (value(results, place, method, quantity, p) for p in SIGNS)
            yield compare(place, f"{method} {quantity}", many, one)


def _advantage(results, quantity) -> Verdict:
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


# Test accuracy.


@PAPER.claim("amfes_t_rises_with_n")
def t_rises_with_n(results: Results) -> Verdict:
    return verdict_of(_rises(results, "test_accuracy", METHODS))


@PAPER.claim("amfes_t_higher_in_group_1")
def t_higher_in_group_1(results: Results) -> Verdict:
    """ "Generally": in 15 of the 18 cells."""
    compared = list(_group_1_above(results, "test_accuracy", METHODS, at_least))
    known = [c for c in compared if c.holds is not None]
    verdict = verdict_of(compared)
    if known and sum(c.holds for c in known) >= 15 / 18 * len(known):
        return Verdict(HOLDS, verdict.detail)
    return verdict


@PAPER.claim("amfes_t_omega_beats_omega_pi")
def t_omega_beats_omega_pi(results: Results) -> Verdict:
    return verdict_of(_many_over_one(results, "test_accuracy", ("amfes", "svm_rfe"), above))


@PAPER.claim("amfes_corr_t_same")
def corr_t_same(results: Results) -> Verdict:
    def same(place, what, a, b):
        return within(place, what, a, b, 0.3)

    return verdict_of(_many_over_one(results, "test_accuracy", ("correlation",), same))


@PAPER.claim("amfes_t_best")
def t_best(results: Results) -> Verdict:
    return verdict_of(
        [
            *_over(results, "test_accuracy", "amfes", "svm_rfe", above),
            *_over(results, "test_accuracy", "amfes", "correlation", clearly_above),
        ]
    )


# Captured essential features.


@PAPER.claim("amfes_f1_rises_with_n")
def f1_rises_with_n(results: Results) -> Verdict:
    return verdict_of(_rises(results, "f1", ("amfes", "svm_rfe")))


@PAPER.claim("amfes_corr_f1_no_trend")
def corr_f1_no_trend(results: Results) -> Verdict:
    """With the most rows it is not clearly higher than with the fewest."""
    compared = []
    for group, places in groups(results).items():
        for procedure, sign in SIGNS.items():
            ends = [
                value(results, p, "correlation", "f1", procedure) for p in (places[0], places[-1])
            ]
            compared.append(not_below(f"group {group}", sign, *ends))
    return verdict_of(compared)


@PAPER.claim("amfes_f1_higher_in_group_1")
def f1_higher_in_group_1(results: Results) -> Verdict:
    return verdict_of(_group_1_above(results, "f1", METHODS, above))


@PAPER.claim("amfes_f1_omega_beats_omega_pi")
def f1_omega_beats_omega_pi(results: Results) -> Verdict:
    return verdict_of(_many_over_one(results, "f1", METHODS, above))


@PAPER.claim("amfes_f1_beats_rfe")
def f1_beats_rfe(results: Results) -> Verdict:
    return verdict_of(_over(results, "f1", "amfes", "svm_rfe", clearly_above))


@PAPER.claim("amfes_corr_weakest_f1")
def corr_weakest_f1(results: Results) -> Verdict:
    return verdict_of(
        c for m in ("amfes", "svm_rfe") for c in _over(results, "f1", m, "correlation", above)
    )


@PAPER.claim("amfes_advantage_small_n_many_irrelevant")
def f1_advantage(results: Results) -> Verdict:
    return _advantage(results, "f1")


@PAPER.claim("amfes_misses_essential_at_small_n")
def misses_essential_at_small_n(results: Results) -> Verdict:
    return verdict_of(
        above(
            s,
            "essential, selected",
            Value(ESSENTIAL, 0.0),
            value(results, s, "amfes", "n_essential"),
        )
        for s in (places[0] for places in groups(results).values())
    )


@PAPER.claim("amfes_corr_finds_differing_means")
def corr_finds_differing_means(results: Results) -> Verdict:
    compared = []
    for place in sets(results):
        found = samples(results).get((place, "omega", "correlation"))
        expected = None
        if found is not None:
            copies = found["dataset"].unique(maintain_order=True)
            expected = Value(np.mean([len(differing(results, d)[0]) for d in copies]), 0.0)
        captured = value(results, place, "correlation", "n_essential")
        compared.append(within(place, "captured and differing", captured, expected, 1.0))
    return verdict_of(compared)


@PAPER.claim("amfes_corr_misses_weakly_correlated")
def corr_misses_weakly_correlated(results: Results) -> Verdict:
    """Of the essential features with differing and with equal means, the shares selected."""

    def shares(place, method):
        chosen = selected_sets(results).get((place, "omega", method), {})
        kinds = {dataset: differing(results, dataset) for dataset, _ in chosen}
        found = [
            [len(kind & columns) / len(kind) if kind else np.nan for kind in kinds[dataset]]
            for (dataset, _), columns in chosen.items()
        ]
        return [Value.of(kind[~np.isnan(kind)]) for kind in np.array(found).T] or [None, None]

    compared = []
    for places in groups(results).values():
        for place in places[1:]:
            (apart, equal), (_, by_amfes) = (shares(place, m) for m in ("correlation", "amfes"))
            compared.append(above(place, "equal means, amfes and correlation", by_amfes, equal))
            least = Value(0.9, 0.0)
            compared.append(at_least(place, "differing means, correlation", apart, least))
    return verdict_of(compared)


# Essential features before all irrelevant ones.


@PAPER.claim("amfes_stages_improve_ranking")
def stages_improve_ranking(results: Results) -> Verdict:
    """Rankings of the whole training set, with stages and without."""
    ranked = results.recovery.filter(pl.col("part") == "synthetic_rankings")
    tops = {
        (set_of(dataset), method): Value.of(frame.unique("split")["phi"].to_numpy())
        for (dataset, method), frame in ranked.partition_by(
            "dataset", "method", as_dict=True
        ).items()
    }
    return verdict_of(
        not_below(s, "on top", tops.get((s, "amfes")), tops.get((s, "random_subsets")))
        for s in SETS.values()
    )


@PAPER.claim("amfes_unselected_still_on_top")
def unselected_still_on_top(results: Results) -> Verdict:
    on_top = {s: value(results, s, "amfes", "n_essential_on_top") for s in sets(results)}
    return verdict_of(within(s, "on top", v, Value(ESSENTIAL, 0.0), 0.5) for s, v in on_top.items())


@PAPER.claim("amfes_phi_same_for_both_procedures")
def phi_same_for_both_procedures(results: Results) -> Verdict:
    def same(place, what, a, b):
        return within(place, what, a, b, 1.0)

    return verdict_of(_many_over_one(results, "n_essential_on_top", METHODS, same))


@PAPER.claim("amfes_phi_above_epsilon")
def phi_above_epsilon(results: Results) -> Verdict:
    gaps = {s: gap(results, s, "amfes") for s in sets(results)}
    return verdict_of(above(s, "φ − ε", found, _ZERO) for s, found in gaps.items())


@PAPER.claim("amfes_phi_gap_shrinks")
def phi_gap_shrinks(results: Results) -> Verdict:
    return verdict_of(
        not_below(
            f"group {group}", f"φ − ε {smaller} and {larger}",
            gap(results, smaller, "amfes"), gap(results, larger, "amfes"),
        )
        for group, places in groups(results).items()
        for smaller, larger in pairwise(places)
    )  # fmt: skip


@PAPER.claim("amfes_rfe_phi_above_epsilon")
def rfe_phi_above_epsilon(results: Results) -> Verdict:
    gaps = {s: (gap(results, s, "svm_rfe"), gap(results, s, "amfes")) for s in sets(results)}
    compared = [at_least(s, "φ − ε", rfe, _ZERO) for s, (rfe, _) in gaps.items()]
    both = [pair for pair in gaps.values() if None not in pair]
    if both:
        rfe, amfes = (Value.of([v.mean for v in of]) for of in zip(*both, strict=True))
        compared.append(above("mean of amfes over svm_rfe", "φ − ε", amfes, rfe))
    return verdict_of(compared)


@PAPER.claim("amfes_corr_phi_equals_epsilon")
def corr_phi_equals_epsilon(results: Results) -> Verdict:
    gaps = {s: gap(results, s, "correlation") for s in sets(results)}
    return verdict_of(within(s, "φ − ε", found, _ZERO, 0.75) for s, found in gaps.items())


@PAPER.claim("amfes_phi_highest")
def phi_highest(results: Results) -> Verdict:
    return verdict_of(
        above(
            place, f"amfes and {other}",
            value(results, place, "amfes", "n_essential_on_top"),
            value(results, place, other, "n_essential_on_top"),
        )
        for place in sets(results)
        for other in ("svm_rfe", "correlation")
    )  # fmt: skip


@PAPER.claim("amfes_phi_advantage_small_n_many_irrelevant")
def phi_advantage(results: Results) -> Verdict:
    return _advantage(results, "n_essential_on_top")


# All measures together.


@PAPER.claim("amfes_many_pairs_beat_one")
def many_pairs_beat_one(results: Results) -> Verdict:
    return verdict_of(
        c for quantity in _MEASURES for c in _many_over_one(results, quantity, METHODS, not_below)
    )


@PAPER.claim("amfes_many_pairs_more_stable")
def many_pairs_more_stable(results: Results) -> Verdict:
    """Numbers of features deviate less, and sets agree more."""
    compared = []
    for place in SETS.values():
        for method in METHODS:
            counts = [samples(results).get((place, p, method)) for p in SIGNS]
            if any(c is None or len(c) < 2 for c in counts):
                compared.append(Comparison(place, None, method))
                continue
            spread = [c["n_selected"].std(ddof=0) for c in counts]
            chosen = [list(selected_sets(results)[place, p, method].values()) for p in SIGNS]
            width = 1 + max(max(columns) for columns in chosen[0] + chosen[1])
            agreement = [_agreement(c, width) for c in chosen]
            compared += [
                Comparison(
                    place, spread[0] < spread[1],
                    f"{place} {method} deviation {spread[0]:.2f} against {spread[1]:.2f}",
                ),
                Comparison(
                    place, agreement[0] > agreement[1],
                    f"{place} {method} stability {agreement[0]:.2f} against {agreement[1]:.2f}",
                ),
            ]  # fmt: skip
    return verdict_of(compared)


def _agreement(chosen: list[set[int]], width: int) -> float:
    return nogueira([sorted(columns) for columns in chosen], width).value


@PAPER.claim("amfes_cod_effect")
def cod_effect(results: Results) -> Verdict:
    methods = ("amfes", "svm_rfe")
    return verdict_of(
        [
            *(c for q in _MEASURES for c in _rises(results, q, methods)),
            *(c for q in _MEASURES for c in _group_1_above(results, q, methods, not_below)),
        ]
    )


@PAPER.claim("amfes_corr_invariant_to_n")
def corr_invariant_to_n(results: Results) -> Verdict:
    """Its measures range less over n in each group; and it is lowest in two thirds of the cells."""
    checks: dict[str, bool | None] = {}
    lowest = []
    for group, places in groups(results).items():
        ranges = {}
        for quantity in _MEASURES:
            table = [[value(results, p, m, quantity) for p in places] for m in METHODS]
            if not any(None in line for line in table):
                means = np.array([[v.mean for v in line] for line in table])
                ranges[quantity] = np.ptp(means, axis=1)
                lowest += (means[2] < means[:2].min(axis=0)).tolist()
        complete = len(ranges) == len(_MEASURES)
        checks[f"group {group}"] = (
            all(r[2] < min(r[:2]) for r in ranges.values()) if complete else None
        )
    if not lowest:
        return Verdict(UNTESTED, "needs all sizes of a group")
    checks["lowest of the three"] = np.mean(lowest) >= 2 / 3
    return judged(checks, f"lowest in {sum(lowest)} of {len(lowest)} cells")
