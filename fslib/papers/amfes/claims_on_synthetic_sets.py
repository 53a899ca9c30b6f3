"""What the AMFES paper concludes from its synthetic sets: test accuracy, F1, all measures (3.3).

Ω is the procedure that selects one set from many training-validation pairs, Ω·Π the one that
selects a set from each pair alone. Group I has 200 features, Group II 2000.
"""

from __future__ import annotations

import numpy as np

from fslib.evaluate.stability import nogueira
from fslib.papers.amfes.paper import PAPER
from fslib.papers.amfes.synthetic_comparisons import (
    advantage,
    generally,
    group_1_above,
    many_over_one,
    over,
    rises,
)
from fslib.papers.amfes.synthetic_sets import (
    ESSENTIAL,
    METHODS,
    SETS,
    SIGNS,
    differing,
    groups,
    procedures,
    samples,
    selected_sets,
    sets,
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
from fslib.reproduce.paper import UNTESTED, Verdict, judged
from fslib.reproduce.results import Results

_MEASURES = ("test_accuracy", "f1", "n_essential_on_top")


# Test accuracy.


@PAPER.claim("amfes_t_rises_with_n")
def t_rises_with_n(results: Results) -> Verdict:
    """From n = 500 to 1500 test accuracy clearly rises, and never clearly falls on the way."""
    return verdict_of(rises(results, "test_accuracy", METHODS, clearly_above))


@PAPER.claim("amfes_t_higher_in_group_1")
def t_higher_in_group_1(results: Results) -> Verdict:
    """“Generally”: in at least 15 of the 18 cells (three sizes, three methods, Ω and Ω·Π)."""
    return generally(group_1_above(results, "test_accuracy", METHODS, at_least))


@PAPER.claim("amfes_t_omega_beats_omega_pi")
def t_omega_beats_omega_pi(results: Results) -> Verdict:
    """“Uniformly”: the mean of Ω is higher on each of the six sets, by however little."""
    return verdict_of(many_over_one(results, "test_accuracy", ("amfes", "svm_rfe"), above))


@PAPER.claim("amfes_corr_t_same")
def corr_t_same(results: Results) -> Verdict:
    """“About the same”: 0.3 points apart at most; the paper's largest difference is 0.22."""

    def same(place, what, a, b):
        return within(place, what, a, b, 0.3)

    return verdict_of(many_over_one(results, "test_accuracy", ("correlation",), same))


@PAPER.claim("amfes_t_best")
def t_best(results: Results) -> Verdict:
    """“Better” is a higher mean, “significantly” one higher by more than two standard errors."""
    return verdict_of(
        [
            *over(results, "test_accuracy", "amfes", "svm_rfe", above),
            *over(results, "test_accuracy", "amfes", "correlation", clearly_above),
        ]
    )


# Captured essential features.


@PAPER.claim("amfes_f1_rises_with_n")
def f1_rises_with_n(results: Results) -> Verdict:
    """“Fluctuations apart”: a higher mean F1 at n = 1500 than at 500, and never a clear fall."""
    return verdict_of(rises(results, "f1", ("amfes", "svm_rfe")))


@PAPER.claim("amfes_corr_f1_no_trend")
def corr_f1_no_trend(results: Results) -> Verdict:
    """CORR's F1 at n = 1500 is not above that at n = 500 by more than two standard errors."""
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
    """“Uniformly”: for every size, method and procedure, by however little."""
    return verdict_of(group_1_above(results, "f1", METHODS, above))


@PAPER.claim("amfes_f1_omega_beats_omega_pi")
def f1_omega_beats_omega_pi(results: Results) -> Verdict:
    """“Uniformly”: the mean of Ω is higher for every set and method, by however little."""
    return verdict_of(many_over_one(results, "f1", METHODS, above))


@PAPER.claim("amfes_f1_beats_rfe")
def f1_beats_rfe(results: Results) -> Verdict:
    """“By a significant margin”: more than two standard errors, on each set and procedure."""
    return verdict_of(over(results, "f1", "amfes", "svm_rfe", clearly_above))


@PAPER.claim("amfes_corr_weakest_f1")
def corr_weakest_f1(results: Results) -> Verdict:
    """Lower means than those of both other methods, on each set and procedure."""
    return verdict_of(
        c for m in ("amfes", "svm_rfe") for c in over(results, "f1", m, "correlation", above)
    )


@PAPER.claim("amfes_advantage_small_n_many_irrelevant")
def f1_advantage(results: Results) -> Verdict:
    """By F1 of the Ω procedure, with two standard errors of tolerance."""
    return advantage(results, "f1")


@PAPER.claim("amfes_misses_essential_at_small_n")
def misses_essential_at_small_n(results: Results) -> Verdict:
    """“Some”: fewer than all 15 on average over the repeats, at n = 500, by Ω."""
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
    """“Close”: within 1 of the number of means that differ (7 in the sets of the tables)."""
    compared = []
    for place in sets(results):
        for procedure in procedures(place):
            found = samples(results).get((place, procedure, "correlation"))
            expected = None
            if found is not None:
                copies = found["dataset"].unique(maintain_order=True)
                expected = Value(np.mean([len(differing(results, d)[0]) for d in copies]), 0.0)
            captured = value(results, place, "correlation", "n_essential", procedure)
            what = f"captured {SIGNS[procedure]} and differing"
            compared.append(within(place, what, captured, expected, 1.0))
    return verdict_of(compared)


@PAPER.claim("amfes_corr_misses_weakly_correlated")
def corr_misses_weakly_correlated(results: Results) -> Verdict:
    """Of the essential features with differing and with equal means, the shares selected.

    Where n ≥ 1000: CORR selects at least 0.9 of those whose means differ, and fewer of those with
    equal means than AMFES does. Both numbers are ours.
    """

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


# All measures together.


@PAPER.claim("amfes_many_pairs_beat_one")
def many_pairs_beat_one(results: Results) -> Verdict:
    """“Outperforms”: the mean of Ω is higher, by F1 for all methods, by accuracy for AMFES and RFE.

    For CORR the paper says that both have the same accuracy, and for all that they have the same φ.
    """
    return verdict_of(
        [
            *many_over_one(results, "f1", METHODS, above),
            *many_over_one(results, "test_accuracy", ("amfes", "svm_rfe"), above),
        ]
    )


@PAPER.claim("amfes_many_pairs_more_stable")
def many_pairs_more_stable(results: Results) -> Verdict:
    """Numbers of features deviate less, and sets agree more (Nogueira's measure), by Ω."""
    compared = []
    for place in SETS.values():
        for method in METHODS:
            counts = [samples(results).get((place, p, method)) for p in SIGNS]
            if any(c is None or len(c) < 2 for c in counts):
                compared.append(Comparison(place, None, method))
                continue
            spread = [c["n_selected"].std(ddof=0) for c in counts]
            chosen = [list(selected_sets(results)[place, p, method].values()) for p in SIGNS]
            width = results.table(counts[0]["dataset"][0]).X.shape[1]
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
    """For AMFES and RFE, all three measures: higher at n = 1500 than at 500, never a clear fall.

    Nor is any clearly higher in Group II than in Group I.
    """
    methods = ("amfes", "svm_rfe")
    return verdict_of(
        [
            *(c for q in _MEASURES for c in rises(results, q, methods)),
            *(c for q in _MEASURES for c in group_1_above(results, q, methods, not_below)),
        ]
    )


@PAPER.claim("amfes_corr_invariant_to_n")
def corr_invariant_to_n(results: Results) -> Verdict:
    """Each measure of CORR's ranges less over n than those of AMFES and RFE on average, by Ω.

    “Usually inferior”: two thirds of CORR's cells are the lowest of the three; the share is ours.
    """
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
            all(r[2] < r[:2].mean() for r in ranges.values()) if complete else None
        )
    if not lowest:
        return Verdict(UNTESTED, "needs all sizes of a group")
    checks["lowest of the three"] = np.mean(lowest) >= 2 / 3
    return judged(checks, f"lowest in {sum(lowest)} of {len(lowest)} cells")
