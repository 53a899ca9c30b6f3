"""What the AMFES paper says of φ, the essential features ranked before all irrelevant ones (3.3).

ε is the number of essential features that were selected.
"""

from __future__ import annotations

from fslib.papers.amfes.paper import PAPER
from fslib.papers.amfes.synthetic_comparisons import advantage, generally, many_over_one
from fslib.papers.amfes.synthetic_sets import (
    ESSENTIAL,
    METHODS,
    SETS,
    gap,
    groups,
    on_top,
    set_of,
    sets,
    value,
)
from fslib.reproduce.comparisons import (
    Comparison,
    Value,
    above,
    clearly_above,
    not_below,
    verdict_of,
    within,
)
from fslib.reproduce.paper import Verdict
from fslib.reproduce.results import Results

_ZERO = Value(0.0, 0.0)


@PAPER.claim("amfes_stages_improve_ranking")
def stages_improve_ranking(results: Results) -> Verdict:
    """φ of AMFES's ranking is nowhere clearly below random_subsets', and somewhere clearly above.

    Both rank the whole training set; random_subsets trains as many models, without stages.
    """
    ranked = on_top(results).partition_by("dataset", "method", as_dict=True)
    tops = {
        (set_of(dataset), method): Value.of(frame["phi"].to_numpy())
        for (dataset, method), frame in ranked.items()
    }
    pairs = {s: [tops.get((s, m)) for m in ("amfes", "random_subsets")] for s in SETS.values()}
    higher = [clearly_above(s, "on top", *pair) for s, pair in pairs.items()]
    known = [c.holds for c in higher if c.holds is not None]
    anywhere = Comparison("clearly above on some set", any(known) if known else None, "on top")
    return verdict_of(
        [*(not_below(s, "on top", *pair) for s, pair in pairs.items()), anywhere],
    )


@PAPER.claim("amfes_unselected_still_on_top")
def unselected_still_on_top(results: Results) -> Verdict:
    """φ of the Ω procedure is 15, with a tolerance of 0.5 on the mean."""
    found = {s: value(results, s, "amfes", "n_essential_on_top") for s in sets(results)}
    return verdict_of(within(s, "on top", v, Value(ESSENTIAL, 0.0), 0.5) for s, v in found.items())


@PAPER.claim("amfes_phi_same_for_both_procedures")
def phi_same_for_both_procedures(results: Results) -> Verdict:
    """“Comparable”: means that are 1.5 apart at most; the paper's largest difference is 1.48."""

    def same(place, what, a, b):
        return within(place, what, a, b, 1.5)

    return verdict_of(many_over_one(results, "n_essential_on_top", METHODS, same))


@PAPER.claim("amfes_phi_above_epsilon")
def phi_above_epsilon(results: Results) -> Verdict:
    """“In all cases”: φ − ε of the Ω procedure is positive on each set."""
    gaps = {s: gap(results, s, "amfes") for s in sets(results)}
    return verdict_of(above(s, "φ − ε", found, _ZERO) for s, found in gaps.items())


@PAPER.claim("amfes_phi_gap_shrinks")
def phi_gap_shrinks(results: Results) -> Verdict:
    """φ − ε of the Ω procedure never clearly rises with n, and is lower at n = 1500 than at 500."""
    compared = []
    for group, places in groups(results).items():
        gaps = [gap(results, place, "amfes") for place in places]
        for i, j, rule in ((0, 1, not_below), (1, 2, not_below), (0, 2, above)):
            what = f"φ − ε {places[i]} and {places[j]}"
            compared.append(rule(f"group {group}", what, gaps[i], gaps[j]))
    return verdict_of(compared)


@PAPER.claim("amfes_rfe_phi_above_epsilon")
def rfe_phi_above_epsilon(results: Results) -> Verdict:
    """φ − ε is positive on each set.

    “To a lesser degree”: the mean of φ − ε over the sets is higher for AMFES.
    """
    gaps = {s: (gap(results, s, "svm_rfe"), gap(results, s, "amfes")) for s in sets(results)}
    compared = [above(s, "φ − ε", rfe, _ZERO) for s, (rfe, _) in gaps.items()]
    both = [pair for pair in gaps.values() if None not in pair]
    if both:
        rfe, amfes = (Value.of([v.mean for v in of]) for of in zip(*both, strict=True))
        compared.append(above("mean of amfes over svm_rfe", "φ − ε", amfes, rfe))
    return verdict_of(compared)


@PAPER.claim("amfes_corr_phi_equals_epsilon")
def corr_phi_equals_epsilon(results: Results) -> Verdict:
    """“About the same number”: φ − ε of the Ω procedure is 0.75 at most; the number is ours."""
    gaps = {s: gap(results, s, "correlation") for s in sets(results)}
    return verdict_of(within(s, "φ − ε", found, _ZERO, 0.75) for s, found in gaps.items())


@PAPER.claim("amfes_phi_highest")
def phi_highest(results: Results) -> Verdict:
    """“Generally”: φ of Ω is higher for AMFES than for RFE and CORR; ties count against AMFES."""
    return generally(
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
    """By φ of the Ω procedure, with two standard errors of tolerance."""
    return advantage(results, "n_essential_on_top")
