"""Chang & Chen (2009): figures, and the claims that speak of both kinds of data sets."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from fslib.evaluate.stability import average_tanimoto
from fslib.figures.panels import Line, line_panels
from fslib.papers._amfes_benchmark import SETTINGS, baselines, curves, highest_peak, lead
from fslib.papers._amfes_paper import PAIRS, PAPER
from fslib.papers._amfes_selected import samples, selected_sets, sets, value
from fslib.papers._amfes_synthetic import f1_beats_rfe, phi_highest, t_best
from fslib.reproduce.comparisons import conjunction
from fslib.reproduce.paper import Verdict, judged
from fslib.reproduce.results import Results

__all__ = ["PAPER"]

#: Sets with more features than rows.
_WIDE = ("colon", "lymphoma_malignant", "leukemia", "reged", "marti")
_WIDE_SYNTHETIC = ("II-1", "II-2", "II-3")


@PAPER.claim("amfes_beats_rfe_accuracy")
def beats_rfe_accuracy(results: Results) -> Verdict:
    """Peaks on the benchmark sets, test accuracy of many pairs on the synthetic ones."""
    leads = {dataset: lead(results, dataset, "amfes", "svm_rfe") for dataset in PAIRS}
    for place in sets(results):
        both = [value(results, place, m, "test_accuracy") for m in ("amfes", "svm_rfe")]
        leads[place] = None if None in both else both[0] - both[1]
    checks = {place: v and v.mean >= 0 for place, v in leads.items()}
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
    """The number deviates by half its mean, and two sets share less than half their features."""
    found = {dataset: _of_single_pairs(results, dataset) for dataset in _WIDE}
    for place in _WIDE_SYNTHETIC:
        key = place, "omega_pi", "amfes"
        if key in samples(results):
            sizes = samples(results)[key]["n_selected"].to_numpy()
            found[place] = sizes, list(selected_sets(results)[key].values())
        else:
            found[place] = None
    checks, said = {}, []
    for place, pair in found.items():
        checks[place] = None
        if pair is not None and len(pair[0]) > 1:
            sizes, chosen = pair
            shared = average_tanimoto([sorted(columns) for columns in chosen])
            checks[place] = bool(sizes.std() >= sizes.mean() / 2 and shared < 0.5)
            said.append(f"{place} {sizes.mean():.1f} ± {sizes.std():.1f} features, {shared:.2f}")
    return judged(checks, f"Number and mean Jaccard index: {'; '.join(said)}", "not run")


def _of_single_pairs(results: Results, dataset: str) -> tuple[np.ndarray, list[set[int]]] | None:
    """How many features each pair alone selects with AMFES, and which."""
    found = curves(results).get((dataset, "amfes"))
    if found is None:
        return None
    peaks = pl.DataFrame({"split": found.splits, "peak": found.own_peaks})
    chosen = (
        results.selections.filter(
            pl.col("dataset") == dataset, pl.col("method") == "amfes", pl.col("part") != SETTINGS
        )
        .join(peaks, on="split")
        .filter(pl.col("rank") <= pl.col("peak"))
        .group_by("split", maintain_order=True)
        .agg("feature")
    )
    return found.own_peaks, [set(features) for features in chosen["feature"].to_list()]


@PAPER.claim("amfes_more_effective_overall")
def more_effective_overall(results: Results) -> Verdict:
    parts = {
        "highest peak": highest_peak,
        "test accuracy": t_best,
        "F1": f1_beats_rfe,
        "essential on top": phi_highest,
    }
    return conjunction({name: claim(results) for name, claim in parts.items()})


def _v_curves(number: int, dataset: str, methods: dict[str, str]) -> None:
    """Register the figure of a data set's v-curves."""
    names = ", ".join([*methods.values(), "all features"])

    @PAPER.figure(
        f"figure_{number:02d}", f"Mean validation accuracy of the best k features: {names}."
    )
    def draw(results: Results) -> Figure | None:
        lines = [
            Line(method, found.sizes, found.values.mean(axis=0))
            for method in methods
            if (found := curves(results).get((dataset, method))) is not None
        ]
        if not lines:
            return None
        if dataset in baselines(results):
            ends = [lines[0].x[0], lines[0].x[-1]]
            lines.append(Line("all_features", ends, [baselines(results)[dataset]] * 2))
        return line_panels(f"{dataset}: v-curves", {"validation accuracy, percent": lines})


for _number, _dataset in enumerate(PAIRS, 1):
    _v_curves(_number, _dataset, {"amfes": "AMFES", "random_subsets": "its non-adaptive version"})
for _number, _dataset in enumerate(PAIRS, 1 + len(PAIRS)):
    _v_curves(_number, _dataset, {"amfes": "AMFES", "svm_rfe": "RFE", "correlation": "CORR"})
