"""Claims of Chang & Chen (2009) that speak of both the benchmark sets and the synthetic ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from fslib.evaluate.stability import average_tanimoto
from fslib.papers.amfes.claims_on_benchmark_sets import highest_peak
from fslib.papers.amfes.claims_on_essential_on_top import phi_highest
from fslib.papers.amfes.claims_on_synthetic_sets import f1_beats_rfe, t_best
from fslib.papers.amfes.paper import PAIRS, PAPER
from fslib.papers.amfes.synthetic_sets import selected_sets, sets, value
from fslib.papers.amfes.v_curves import SETTINGS, WIDEST, lead
from fslib.reproduce.comparisons import conjunction
from fslib.reproduce.paper import HOLDS, IN_PART, Verdict, judged
from fslib.reproduce.results import Results

#: Sets with more features than rows.
_WIDE = ("colon", "lymphoma_malignant", "leukemia", "reged", "marti")
_WIDE_SYNTHETIC = ("II-1", "II-2", "II-3")


@PAPER.claim("amfes_beats_rfe_accuracy")
def beats_rfe_accuracy(results: Results) -> Verdict:
    """AMFES's mean is higher than RFE's; leads of more than two standard errors are named.

    Means are peaks on the benchmark sets and test accuracies of the Ω procedure on synthetic sets.
    """
    leads = {dataset: lead(results, dataset, "amfes", "svm_rfe") for dataset in PAIRS}
    for place in sets(results):
        both = [value(results, place, m, "test_accuracy") for m in ("amfes", "svm_rfe")]
        leads[place] = None if None in both else both[0] - both[1]
    checks = {place: v and v.mean > 0 for place, v in leads.items()}
    clear = [f"{p} {v.mean:+.2f}" for p, v in leads.items() if v and v.mean > 2 * v.error]
    others = [f"{p} {v.mean:+.2f}" for p, v in leads.items() if v and not v.mean > 2 * v.error]
    return judged(
        checks,
        f"by more than two standard errors: {', '.join(clear) or 'nowhere'}; "
        f"else: {', '.join(others) or 'nowhere'}",
        "not run",
    )


@PAPER.claim("amfes_one_pair_varies_drastically")
def one_pair_varies_drastically(results: Results) -> Verdict:
    """“May”: on some data set the sets that single pairs select differ much in size and content.

    The deviation of the size is at least half the mean size, and the mean Jaccard index of two sets
    is below 0.5, on one data set with more features than rows. Both limits are ours.
    """
    found = {dataset: _of_single_pairs(results, dataset) for dataset in _WIDE}
    for place in _WIDE_SYNTHETIC:
        found[place] = list(selected_sets(results).get((place, "omega_pi", "amfes"), {}).values())
    checks, said = {}, []
    for place, chosen in found.items():
        checks[place] = None
        if len(chosen) > 1:
            sizes = np.array([len(columns) for columns in chosen])
            shared = average_tanimoto([sorted(columns) for columns in chosen])
            checks[place] = bool(sizes.std() >= sizes.mean() / 2 and shared < 0.5)
            said.append(f"{place} {sizes.mean():.1f} ± {sizes.std():.1f} features, {shared:.2f}")
    verdict = judged(checks, f"Number and mean Jaccard index: {'; '.join(said)}", "not run")
    return replace(verdict, outcome=HOLDS) if verdict.outcome == IN_PART else verdict


@PAPER.exhibit
def selected_by_single_pairs(results: Results) -> pl.DataFrame:
    """What AMFES selects of a wide benchmark set on each pair alone: σ_p features.

    σ_p is where the pair's own curve is highest, the smallest size on ties.
    """
    here = pl.col("dataset").is_in(_WIDE), pl.col("method") == "amfes", pl.col("part") != SETTINGS
    pair = ["part", "dataset", "method", "split"]
    highest = pl.col("k").get(pl.col("accuracy").arg_max())
    measured = results.accuracy.filter(*here, pl.col("k") <= WIDEST).sort("k")
    peaks = measured.group_by(pair).agg(peak=highest)
    chosen = results.selections.filter(*here).join(peaks, on=pair)
    chosen = chosen.filter(pl.col("rank") <= pl.col("peak"))
    return chosen.select(*pair, "feature").sort(*pair, "feature")


def _of_single_pairs(results: Results, dataset: str) -> list[list[int]]:
    own = selected_by_single_pairs(results).filter(dataset=dataset)
    return own.group_by("split").agg("feature")["feature"].to_list()


@PAPER.claim("amfes_more_effective_overall")
def more_effective_overall(results: Results) -> Verdict:
    """Four claims of the paper together."""
    parts = {
        "highest peak": highest_peak,
        "test accuracy": t_best,
        "F1": f1_beats_rfe,
        "essential on top": phi_highest,
    }
    return conjunction({name: claim(results) for name, claim in parts.items()})
