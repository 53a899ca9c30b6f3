"""AMFES on the benchmark sets: v-curves, their peaks, costs, and the settings (3.2, 2.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import polars as pl

from fslib.evaluate.curves import peak, stable_pairs
from fslib.kernels.svm.subsets import stage_sizes
from fslib.papers._amfes_paper import PAIRS, PAPER
from fslib.reproduce.comparisons import Value, conjunction
from fslib.reproduce.paper import FAILS, HOLDS, UNTESTED, Cell, Verdict, judged
from fslib.reproduce.results import Results

#: The paper's curves end here; all published peaks lie below.
WIDEST = 200
#: The part that tries other settings of AMFES on the same pairs.
SETTINGS = "settings"
_SUBSETS_PER_STAGE = 100


@dataclass(frozen=True)
class Curves:
    """The v-curves of a method on a data set: accuracy in percent, pairs × sizes."""

    sizes: np.ndarray
    splits: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, accuracy: pl.DataFrame) -> Curves:
        accuracy = accuracy.filter(pl.col("k") <= WIDEST).sort("split", "k")
        sizes, splits = (np.unique(accuracy[name].to_numpy()) for name in ("k", "split"))
        return cls(
            sizes, splits, 100 * accuracy["accuracy"].to_numpy().reshape(len(splits), len(sizes))
        )

    @cached_property
    def peak(self) -> dict[str, float]:
        return peak(self.values, self.sizes)

    @property
    def at_peak(self) -> np.ndarray:
        """The accuracy of each pair where the mean is highest."""
        return self.values[:, self.sizes == self.peak["location"]][:, 0]

    @property
    def own_peaks(self) -> np.ndarray:
        """σ_p: where each pair's own curve is highest, the smallest size on ties."""
        return self.sizes[self.values.argmax(axis=1)]

    def beside(self, other: Curves) -> tuple[Curves, Curves]:
        """Both on the pairs that they share."""
        return self._on(other.splits), other._on(self.splits)

    def _on(self, splits: np.ndarray) -> Curves:
        shared = np.isin(self.splits, splits)
        return Curves(self.sizes, self.splits[shared], self.values[shared])


@lru_cache(maxsize=2)
def curves(results: Results) -> dict[tuple[str, str], Curves]:
    """By data set and method."""
    return _curves(results.accuracy.filter(pl.col("part") != SETTINGS))


def _curves(accuracy: pl.DataFrame) -> dict[tuple[str, str], Curves]:
    measured = accuracy.filter(
        pl.col("dataset").is_in(list(PAIRS)), pl.col("method") != "all_features"
    )
    return {
        key: Curves.of(frame)
        for key, frame in measured.partition_by("dataset", "method", as_dict=True).items()
    }


@lru_cache(maxsize=2)
def baselines(results: Results) -> dict[str, float]:
    every = results.accuracy.filter(
        pl.col("method") == "all_features", pl.col("dataset").is_in(list(PAIRS))
    )
    return dict(every.group_by("dataset").agg(100 * pl.col("accuracy").mean()).iter_rows())


@lru_cache(maxsize=2)
def _costs(results: Results) -> dict[tuple[str, str], dict]:
    """Mean models and seconds of a ranking, and how many features it had."""
    runs = results.runs.filter(pl.col("dataset").is_in(list(PAIRS)), pl.col("part") != SETTINGS)
    found = runs.group_by("dataset", "method").agg(
        fits=pl.col("n_fits").mean(), seconds=pl.col("cpu_seconds").mean(),
        features=pl.col("n_selected").max(),
    )  # fmt: skip
    return {(row["dataset"], row["method"]): row for row in found.rows(named=True)}


# Tables.


@PAPER.table
def peaks_table(results: Results) -> Iterator[Cell]:
    """Table 5, AMFES and its non-adaptive version, and table 6, AMFES, RFE and CORR."""
    tables = {"5": ("amfes", "random_subsets"), "6": ("amfes", "svm_rfe", "correlation")}
    for table, methods in tables.items():
        for dataset in PAIRS:
            for method in methods:
                found = curves(results).get((dataset, method))
                if found is not None:
                    top = found.peak
                    yield Cell(table, dataset, method, "peak_location", "", top["location"])
                    yield Cell(
                        table, dataset, method, "peak_value", "", top["value"], top["deviation"],
                        len(found.splits),
                    )  # fmt: skip
            if dataset in baselines(results):
                value = baselines(results)[dataset]
                yield Cell(table, dataset, "all_features", "baseline_accuracy", "", value)


@PAPER.table
def pairs_table(results: Results) -> Iterator[Cell]:
    """Table 4: Γ and Π."""
    for dataset in PAIRS:
        found = curves(results).get((dataset, "amfes"))
        if found is not None:
            yield Cell("4", dataset, "amfes", "pairs", "", len(found.splits))
            if _gamma_is_known(found, dataset):
                yield Cell("4", dataset, "amfes", "gamma", "", _gamma(found))


@PAPER.table
def seconds_table(results: Results) -> Iterator[Cell]:
    """Table 7: mean seconds of a ranking, on our machine."""
    for (dataset, method), cost in _costs(results).items():
        if method in ("amfes", "svm_rfe", "correlation"):
            yield Cell("7", dataset, method, "ranking_seconds", "", cost["seconds"])


def _gamma(found: Curves) -> int | None:
    return stable_pairs(found.values / 100)


def _gamma_is_known(found: Curves, dataset: str) -> bool:
    """Fewer pairs than the paper's can show that Γ is reached, not that it is not."""
    return _gamma(found) is not None or len(found.splits) >= PAIRS[dataset]


# Claims on the v-curves.


def lead(results: Results, dataset: str, method: str, other: str) -> Value | None:
    """How much higher one method peaks than another, over the pairs of both."""
    return _lead(curves(results), (dataset, method), (dataset, other))


def _lead(found: dict, one: tuple[str, str], two: tuple[str, str]) -> Value | None:
    if one not in found or two not in found:
        return None
    a, b = found[one].beside(found[two])
    return Value.of(a.at_peak - b.at_peak) if len(a.splits) else None


def _leads(
    results: Results, others: tuple[str, ...], holds: Callable[[Value], bool], method="amfes"
) -> Verdict:
    """A claim on how a method's peak stands to others', data set by data set."""
    checks, said = {}, []
    for dataset in PAIRS:
        found = {other: lead(results, dataset, method, other) for other in others}
        known = {other: value for other, value in found.items() if value is not None}
        checks[dataset] = all(map(holds, known.values())) if len(known) == len(others) else None
        said += [f"{dataset} − {o} {v.mean:+.2f} ± {v.error:.2f}" for o, v in known.items()]
    return judged(checks, f"{method}: {', '.join(said)} (standard errors)", "not run")


@PAPER.claim("amfes_peak_higher")
def peak_higher(results: Results) -> Verdict:
    return _leads(results, ("random_subsets",), lambda v: v.mean > 0)


@PAPER.claim("amfes_highest_peak")
def highest_peak(results: Results) -> Verdict:
    return _leads(results, ("svm_rfe", "correlation"), lambda v: v.mean > 0)


@PAPER.claim("amfes_rfe_not_better")
def rfe_not_better(results: Results) -> Verdict:
    return _leads(results, ("amfes",), lambda v: not v.mean > 2 * v.error, method="svm_rfe")


@PAPER.claim("amfes_peak_earlier")
def peak_earlier(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        places = _locations(results, dataset, "amfes", "random_subsets")
        checks[dataset] = places and places[0] < places[1]
        said += [f"{dataset} {places[0]} and {places[1]}"] if places else []
    return judged(checks, f"Peaks at {', '.join(said)} features", "not run")


def _locations(results: Results, dataset: str, *methods: str) -> list[int] | None:
    found = [curves(results).get((dataset, method)) for method in methods]
    return None if None in found else [c.peak["location"] for c in found]


@PAPER.claim("amfes_curve_above")
def curve_above(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        both = [curves(results).get((dataset, m)) for m in ("amfes", "random_subsets")]
        checks[dataset] = None
        if None not in both:
            a, b = both[0].beside(both[1])
            before = a.sizes < both[0].peak["location"]
            leads = [Value.of(d) for d in (a.values - b.values).T[before]]
            checks[dataset] = not any(v.mean < -2 * v.error for v in leads)
            share = np.mean([v.mean >= 0 for v in leads]) if leads else 1.0
            said.append(f"{dataset} {100 * share:.0f} %")
    return judged(checks, f"Sizes where it is not below at all: {', '.join(said)}", "not run")


@PAPER.claim("amfes_adaptive_beats_nonadaptive")
def adaptive_beats_nonadaptive(results: Results) -> Verdict:
    parts = {"earlier": peak_earlier, "higher": peak_higher, "above": curve_above}
    return conjunction({name: claim(results) for name, claim in parts.items()})


@PAPER.claim("amfes_corr_weak_except_colon")
def corr_weak_except_colon(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        to_rfe = lead(results, dataset, "correlation", "svm_rfe")
        to_amfes = lead(results, dataset, "correlation", "amfes")
        if to_rfe is None or to_amfes is None:
            checks[dataset] = None
            continue
        if dataset == "colon":
            checks[dataset] = to_rfe.mean > 0
        else:
            checks[dataset] = max(to_rfe.mean, to_amfes.mean) < 0
        said.append(f"{dataset} {to_amfes.mean:+.2f} to amfes, {to_rfe.mean:+.2f} to svm_rfe")
    return judged(checks, f"correlation: {'; '.join(said)}", "not run")


@PAPER.claim("amfes_gamma_below_pi")
def gamma_below_pi(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        found = curves(results).get((dataset, "amfes"))
        checks[dataset] = None
        if found is not None:
            known = _gamma_is_known(found, dataset)
            checks[dataset] = _gamma(found) is not None if known else None
            said.append(f"{dataset} {_gamma(found) or 'none'} of {len(found.splits)}")
    return judged(checks, f"Γ: {', '.join(said) or 'not run'}")


# Claims on cost.


def _ratio(results: Results, dataset: str, kind: str, other: str = "svm_rfe") -> float | None:
    """Cost of AMFES over that of another method."""
    both = [_costs(results).get((dataset, method)) for method in ("amfes", other)]
    return None if None in both else both[0][kind] / both[1][kind]


@PAPER.claim("amfes_fewer_fits_than_rfe")
def fewer_fits_than_rfe(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        ratio = _ratio(results, dataset, "fits")
        if dataset != "lucap":
            checks[dataset] = None if ratio is None else ratio < 1
            if ratio is not None:
                said.append(f"{dataset} {ratio:.2f} ({_ratio(results, dataset, 'seconds'):.2f})")
    return judged(checks, f"Models (seconds) as a share of RFE's: {', '.join(said)}", "not run")


@PAPER.claim("amfes_faster_than_rfe_except_lucap")
def faster_than_rfe_except_lucap(results: Results) -> Verdict:
    checks, said = {}, []
    for kind, name in (("fits", "models"), ("seconds", "seconds")):
        ratios = {dataset: _ratio(results, dataset, kind) for dataset in PAIRS}
        for dataset, ratio in ratios.items():
            place = f"{dataset} ({name})"
            checks[place] = None if ratio is None else (ratio < 1) is (dataset != "lucap")
        known = [f"{d} {ratio:.2f}" for d, ratio in ratios.items() if ratio is not None]
        said.append(f"{name} as a share of RFE's: {', '.join(known)}")
    return judged(checks, "; ".join(said), "not run")


@PAPER.claim("amfes_corr_fastest")
def corr_fastest(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        costs = [_costs(results).get((dataset, m)) for m in ("correlation", "amfes", "svm_rfe")]
        checks[dataset] = None
        if None not in costs:
            mine, *others = (cost["seconds"] for cost in costs)
            checks[dataset] = mine < min(others)
            said.append(f"{dataset} {mine:.3f}, {others[0]:.2f}, {others[1]:.2f}")
    return judged(checks, f"Seconds of CORR, AMFES, RFE: {'; '.join(said)}", "not run")


@PAPER.claim("amfes_fit_counts")
def fit_counts(results: Results) -> Verdict:
    checks, said = {}, []
    for dataset in PAIRS:
        amfes, rfe = (_costs(results).get((dataset, m)) for m in ("amfes", "svm_rfe"))
        checks[dataset] = None
        if amfes and rfe:
            d = amfes["features"]
            stages = len(stage_sizes(d, keep=0.5))
            checks[dataset] = (
                amfes["fits"] == _SUBSETS_PER_STAGE * stages
                and abs(stages - math.log2(d)) <= 1
                and rfe["fits"] in (d - 1, d)
            )
            expected = _SUBSETS_PER_STAGE * math.log2(d)
            said.append(
                f"{dataset} {amfes['fits']:.0f} (m log2 d = {expected:.0f}) "
                f"and {rfe['fits']:.0f} (d = {d})"
            )
    return judged(checks, f"AMFES and RFE: {'; '.join(said)}", "not run")


# Claims on settings.


def _setting_leads(results: Results, settings: tuple[str, ...]) -> dict[str, dict[str, Value]]:
    """By data set and setting: how much higher it peaks than AMFES as it is."""
    found = _curves(results.accuracy.filter(pl.col("part") == SETTINGS))
    datasets = ("colon", "leukemia", "reged")
    leads = {d: {s: _lead(found, (d, s), (d, "amfes")) for s in settings} for d in datasets}
    return {d: {s: v for s, v in of_set.items() if v is not None} for d, of_set in leads.items()}


def _said(leads: dict[str, dict[str, Value]]) -> str:
    return "Peak above the paper's setting: " + ", ".join(
        f"{dataset} {setting} {v.mean:+.2f} ± {v.error:.2f}"
        for dataset, of_set in leads.items()
        for setting, v in of_set.items()
    )


@PAPER.claim("amfes_subset_size_insensitive")
def subset_size_insensitive(results: Results) -> Verdict:
    found = _curves(results.accuracy.filter(pl.col("part") == SETTINGS))
    leads = _setting_leads(results, ("subsets_1_4", "subsets_3_4"))
    checks = {}
    for dataset, of_set in leads.items():
        between = _lead(found, (dataset, "subsets_1_4"), (dataset, "subsets_3_4"))
        values = [*of_set.values(), between]
        complete = len(of_set) == 2
        checks[dataset] = all(abs(v.mean) <= 2 * v.error for v in values) if complete else None
    return judged(checks, _said(leads), "not run")


@PAPER.claim("amfes_larger_keep_no_gain")
def larger_keep_no_gain(results: Results) -> Verdict:
    settings = ("keep_2_3", "keep_09")
    leads = _setting_leads(results, settings)
    runs = results.runs.filter(pl.col("part") == SETTINGS)
    fits = {
        (dataset, method): mean
        for dataset, method, mean in runs.group_by("dataset", "method")
        .agg(pl.col("n_fits").mean())
        .iter_rows()
    }
    checks, more = {}, []
    for dataset, of_set in leads.items():
        checks[dataset] = None
        if len(of_set) == len(settings):
            times = [fits[dataset, s] / fits[dataset, "amfes"] for s in settings]
            no_gain = all(v.mean <= 2 * v.error for v in of_set.values())
            checks[dataset] = no_gain and min(times) > 1
            more.append(f"{dataset} {times[0]:.1f} and {times[1]:.1f} times the models")
    return judged(checks, f"{_said(leads)}; {', '.join(more)}", "not run")


@PAPER.claim("amfes_smaller_keep_worse")
def smaller_keep_worse(results: Results) -> Verdict:
    """It "may" get worse: one set where it clearly does is enough."""
    leads = _setting_leads(results, ("keep_1_3",))
    known = [value for of_set in leads.values() for value in of_set.values()]
    if not known:
        return Verdict(UNTESTED, "not run")
    worse = any(v.mean < -2 * v.error for v in known)
    return Verdict(HOLDS if worse else FAILS, _said(leads))
