"""The columns of every table of a study, which are checked when the table is written."""

from __future__ import annotations

import os
from collections.abc import Iterable

import polars as pl

from fslib.evaluate.measures import ALWAYS, MEASURES
from fslib.run.artefacts import CONTRACTS, ArtefactError, write_any

_TEXT, _WHOLE, _NUMBER, _FLAG = pl.String, pl.Int32, pl.Float64, pl.Boolean


def schemas(measures: Iterable[str]) -> dict[str, dict[str, pl.DataType]]:
    """Tables by name, of a study with these measures; the ledger has a contract of its own."""
    measures = list(measures)
    return {
        "methods": {
            "method": _TEXT, "label": _TEXT, "role": _TEXT, "counted": _FLAG, "subset": _FLAG,
        },
        "curves": CONTRACTS["accuracy"] | dict.fromkeys(measures, _NUMBER),
        "answers": {
            "question": _TEXT, "dataset": _TEXT, "method": _TEXT, "role": _TEXT,
            "classifier": _TEXT, "measure": _TEXT, "value": _NUMBER, "sd": _NUMBER,
            "size": _NUMBER, "splits": _WHOLE, "judged": _FLAG, "competes": _FLAG,
            "standing": _TEXT,
        },
        "scores": {
            "question": _TEXT, "dataset": _TEXT, "method": _TEXT, "classifier": _TEXT,
            "role": _TEXT, "judge_by": _TEXT, "value": _NUMBER, "sd": _NUMBER, "size": _NUMBER,
            "stability": _NUMBER, "seconds": _NUMBER,
            **{column: _NUMBER for name in measures for column in (name, f"{name}_sd")},
            "best_k": _WHOLE, "best_value": _NUMBER, "below_random": _FLAG, "splits": _WHOLE,
            "ok": _WHOLE, "competes": _FLAG, "standing": _TEXT, "rank": _NUMBER,
        },
        "ranks": {
            "question": _TEXT, "field": _TEXT, "method": _TEXT, "mean_rank": _NUMBER,
            "groups": _TEXT, "n_datasets": _WHOLE, "mean_value": _NUMBER,
            "mean_accuracy": _NUMBER, "mean_size": _NUMBER, "mean_stability": _NUMBER,
            "seconds": _NUMBER, "n_finished": _WHOLE, "n_partial": _WHOLE,
            "below_random": _WHOLE, "role": _TEXT, "note": _TEXT,
        },
        "friedman": {
            "question": _TEXT, "field": _TEXT, "n_datasets": _WHOLE, "n_methods": _WHOLE,
            "alpha": _NUMBER, "statistic": _NUMBER, "p_chi2": _NUMBER, "f_statistic": _NUMBER,
            "p": _NUMBER, "critical_difference": _NUMBER, "note": _TEXT, "left_out": _TEXT,
        },
        "pairs": {
            "question": _TEXT, "dataset": _TEXT, "method": _TEXT, "best": _TEXT,
            "n_splits": _WHOLE, "difference": _NUMBER, "t": _NUMBER, "p": _NUMBER,
            "p_holm": _NUMBER,
        },
        "cost": {
            "dataset": _TEXT, "method": _TEXT, "wall_seconds": _NUMBER, "cpu_seconds": _NUMBER,
            "peak_mb": _NUMBER, "n_fits": _NUMBER, "n_selected": _NUMBER, "n_runs": _WHOLE,
        },
        "recovery": {
            "dataset": _TEXT, "method": _TEXT, "k": _WHOLE, "precision": _NUMBER,
            "recall": _NUMBER, "f1": _NUMBER, "phi": _NUMBER, "n_splits": _WHOLE,
        },
        "stability": CONTRACTS["stability"],
        "recommendation": {
            "dataset": _TEXT, "judge_by": _TEXT, "method": _TEXT, "k": _WHOLE, "value": _NUMBER,
            "standard_error": _NUMBER, "expected": _NUMBER, "expected_low": _NUMBER,
            "expected_high": _NUMBER, "stability": _NUMBER, "runner_up": _TEXT,
            "runner_up_k": _WHOLE, "runner_up_value": _NUMBER, "runner_up_stability": _NUMBER,
            "best_method": _TEXT, "best_k": _WHOLE, "best_value": _NUMBER,
            "all_features_value": _NUMBER, "random_value": _NUMBER, "majority_value": _NUMBER,
            "n_equivalent": _WHOLE, "verdict": _TEXT, "note": _TEXT,
        },
        "by_classifier": {
            "dataset": _TEXT, "classifier": _TEXT, "judge_by": _TEXT, "value": _NUMBER,
            "standard_error": _NUMBER, "expected": _NUMBER, "all_features_value": _NUMBER,
            "difference": _NUMBER, "difference_error": _NUMBER, "loses": _FLAG,
            "best_method": _TEXT, "best_k": _WHOLE, "best_value": _NUMBER,
        },
        "equivalent_sets": {
            "dataset": _TEXT, "method": _TEXT, "k": _WHOLE, "value": _NUMBER,
            "standard_error": _NUMBER, "stability": _NUMBER, "recommended": _FLAG,
        },
        "selected_features": {
            "dataset": _TEXT, "method": _TEXT, "rank": _WHOLE, "feature": _WHOLE, "name": _TEXT,
            "score": _NUMBER, "frequency": _NUMBER,
        },
        "consensus": {
            "dataset": _TEXT, "method": _TEXT, "feature": _WHOLE, "name": _TEXT,
            "frequency": _NUMBER, "in_refit": _FLAG,
        },
        "fewer_features": {
            "dataset": _TEXT, "method": _TEXT, "classifier": _TEXT, "k": _WHOLE,
            "judge_by": _TEXT, "value": _NUMBER, "standard_error": _NUMBER, "splits": _WHOLE,
            "recommended": _FLAG,
        },
        "interchangeable": {
            "dataset": _TEXT, "feature": _WHOLE, "other": _WHOLE, "name": _TEXT,
            "other_name": _TEXT, "similarity": _NUMBER, "other_recommended": _FLAG,
        },
        "notes": {"kind": _TEXT, "dataset": _TEXT, "method": _TEXT, "note": _TEXT},
    }  # fmt: skip


#: The tables of a study that asks for no further measure.
SCHEMAS = schemas(ALWAYS)


def write_table(table: pl.DataFrame, path: str | os.PathLike, name: str) -> None:
    """Write a table of a study that has the columns of its schema, in their types."""
    schema = schemas(column for column in table.columns if column in MEASURES)[name]
    if table.columns != list(schema):
        raise ArtefactError(
            f"refusing to write {path}: columns {', '.join(table.columns)}, "
            f"expected {', '.join(schema)}."
        )
    write_any(table.cast(schema), path)
