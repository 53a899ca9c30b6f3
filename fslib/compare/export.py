"""A recommendation as a model to use: a scikit-learn pipeline, and ten lines that load it."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import joblib
import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table
from fslib.evaluate.classifier import classifier_of, name_of
from fslib.evaluate.measures import MEASURES
from fslib.prepare.transformers import Columns, Preparation
from fslib.run.artefacts import atomic_path, read_any
from fslib.run.errors import FslibError
from fslib.run.layout import Layout
from fslib.run.seeds import random_state, seed
from fslib.run.spelling import nearest

_USE_IT = '''"""Predicts classes of new rows: python use_it.py NEW.csv (fslib must be installed).

Of a spreadsheet a sheet may be named: python use_it.py NEW.xlsx SHEET.
"""
import sys
from pathlib import Path
import joblib
from fslib.data.files import read_frame

model = joblib.load(Path(__file__).parent / "model.joblib")
rows, _ = read_frame(Path(sys.argv[1]), sheet=sys.argv[2] if sys.argv[2:] else None)
print("\\n".join(str(label) for label in model.predict(rows)))
'''


class ExportError(FslibError):
    """There is nothing to export, or not under that name."""


def export(
    at: Layout,
    study: str,
    dataset: str,
    folder: str | Path,
    *,
    steps: list[str],
    classifiers: list,
    base_seed: int,
    classifier: str | None = None,
) -> dict:
    """Write ``model.joblib``, ``about.json`` and ``use_it.py`` for the recommended features.

    The pipeline picks the features by name, prepares them as the study did for its classifiers, and
    classifies; it is fitted on all rows. The classifier is the one that does best with these
    features, unless one is named. Returns what ``about.json`` says.
    """
    tables = at.tables(study)
    if not Path(tables["selected_features"]).exists():
        raise ExportError(f"{study} has no results yet: run `fslib run {study}` first")
    selected = read_any(tables["selected_features"]).filter(pl.col("dataset") == dataset)
    advice = read_any(tables["recommendation"])
    if dataset not in advice["dataset"].to_list():
        known = advice["dataset"].to_list()
        raise ExportError(f"{study} has no data set {dataset!r}{nearest(dataset, known)}")
    if selected.is_empty():
        raise ExportError(
            f"{study} recommends no features for {dataset}: no method finished its refit on all "
            f"rows, or the study says `final: false`"
        )
    advised = advice.filter(pl.col("dataset") == dataset).row(0, named=True)
    by_classifier = read_any(tables["by_classifier"]).filter(pl.col("dataset") == dataset)
    chosen = _chosen_classifier(classifiers, by_classifier, classifier, advised["judge_by"])
    data = read_table(at.table(dataset))
    columns = selected["feature"].to_list()
    model = pipeline(data, columns, steps, chosen, base_seed)
    told = by_classifier.filter(pl.col("classifier") == name_of(chosen)).row(0, named=True)
    about = {
        "study": study,
        "dataset": dataset,
        "features": [data.feature_names[i] for i in columns],
        "classes": data.class_names,
        "method": advised["method"],
        "classifier": name_of(chosen),
        "measure": advised["judge_by"],
        "value": told["value"],
        "expected": told["expected"],
        "rows": len(data.y),
        "sha256_of_data": data.content_sha256(),
        "versions": {p: metadata.version(p) for p in ("fslib", "scikit-learn", "numpy", "joblib")},
    }
    folder = Path(folder)
    with atomic_path(folder / "model.joblib") as temporary:
        joblib.dump(model, temporary)
    with atomic_path(folder / "about.json") as temporary:
        temporary.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")
    with atomic_path(folder / "use_it.py") as temporary:
        temporary.write_text(_USE_IT, "utf-8")
    return about


def _chosen_classifier(asked: list, table: pl.DataFrame, wanted: str | None, measure: str):
    """The classifier of that name, or the one that does best with the recommended features."""
    known = {name_of(c): c for c in asked}
    if wanted is not None:
        if wanted not in known:
            raise ExportError(f"the study has no classifier {wanted!r}{nearest(wanted, known)}")
        return known[wanted]
    ranked = table.drop_nulls("value").sort(
        MEASURES[measure].sign * pl.col("value"), "classifier", descending=[True, False]
    )
    return known[ranked["classifier"][0]]


def pipeline(data: Dataset, columns: list[int], steps: list[str], asked, base: int) -> Pipeline:
    """The fitted pipeline: columns, preparation, classifier; it predicts names of classes."""
    names = [data.feature_names[i] for i in columns]
    categories = {at: data.categories[i] for at, i in enumerate(columns) if i in data.categories}
    labels = np.array(data.class_names, dtype=object)[data.y].astype(str)
    prepare = Preparation(steps, categories, data.metadata.get("missing_category", "level"))
    X = prepare.fit(data.X[:, columns], labels).transform(data.X[:, columns])
    own = classifier_of(asked)
    own.random_state = random_state(seed(base, data.seed_name, "export", name_of(asked)))
    model = own.peer(X, data.y).fit(X, labels)
    select = Columns(
        names,
        {names[at]: levels for at, levels in categories.items()},
        json.loads(data.metadata.get("missing_values", "[]")),
    )
    return Pipeline([("select", select.fit(data.X)), ("prepare", prepare), ("classify", model)])
