"""A recommendation that leaves the project: a model on disk, and a program that uses it."""

import json
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from fslib.cli import main
from fslib.compare.export import ExportError, export, pipeline
from fslib.data import load, read_own
from fslib.data.canonical import canonical
from fslib.data.dataset import Dataset
from fslib.data.tables import write_table
from fslib.prepare.transformers import Columns
from fslib.run.artefacts import write_any
from fslib.run.layout import Layout


@pytest.fixture
def at(tmp_path) -> Layout:
    """Results of a study on wine that recommends three features."""
    at = Layout(str(tmp_path / "results"))
    return recommended(at, "mine", "wine", ["nb", "logistic"])


def recommended(at: Layout, study: str, dataset: str, classifiers: list[str]) -> Layout:
    write_table(load("wine"), at.table(dataset))
    advice = {"dataset": [dataset], "method": ["mrmr"], "judge_by": ["accuracy"]}
    by = {"dataset": [dataset] * 2, "classifier": classifiers, "value": [0.9, 0.95]}
    by["expected"] = [0.88, 0.94]
    features = {"dataset": [dataset] * 3, "feature": [12, 6, 0]}
    tables = at.tables(study)
    write_any(pl.DataFrame(advice), tables["recommendation"])
    write_any(pl.DataFrame(by), tables["by_classifier"])
    write_any(pl.DataFrame(features), tables["selected_features"])
    return at


def exported(at, folder, dataset="wine", **more):
    return export(
        at, "mine", dataset, folder, steps=["median", "standard"],
        classifiers=["nb", "logistic"], base_seed=1, **more,
    )  # fmt: skip


def test_the_model_predicts_what_scikit_learn_does_and_use_it_runs(at, tmp_path):
    about = exported(at, tmp_path / "model")
    wine = load("wine")
    assert about["features"] == ["proline", "flavanoids", "alcohol"]
    assert (about["classifier"], about["expected"]) == ("logistic", 0.94)
    assert about["sha256_of_data"] == wine.content_sha256()
    assert json.loads((tmp_path / "model" / "about.json").read_text()) == about
    rows = pl.DataFrame(wine.X, schema=wine.feature_names, orient="row")
    # Columns in another order, and others besides: they are known by name.
    rows.select(sorted(rows.columns), id=pl.int_range(pl.len())).write_csv(tmp_path / "new.csv")
    program = tmp_path / "model" / "use_it.py"
    done = subprocess.run(
        [sys.executable, program, tmp_path / "new.csv"], capture_output=True, text=True, check=True
    )
    X = StandardScaler().fit_transform(wine.X[:, [12, 6, 0]])
    labels = np.array(wine.class_names)[wine.y]
    theirs = LogisticRegression(max_iter=1000).fit(X, labels).predict(X)
    assert done.stdout.split("\n")[:-1] == theirs.tolist()
    assert len(program.read_text().splitlines()) <= 12


def test_a_frame_of_pandas_will_do_and_a_missing_column_is_named(at, tmp_path):
    exported(at, tmp_path / "model", classifier="nb")
    model = joblib.load(tmp_path / "model" / "model.joblib")
    wine = load("wine")
    frame = pl.DataFrame(wine.X, schema=wine.feature_names, orient="row")
    expected = model.predict(wine.X[:, [12, 6, 0]])
    assert (
        model.predict(pd.DataFrame(wine.X, columns=wine.feature_names)).tolist()
        == expected.tolist()
    )
    assert (expected == np.array(wine.class_names)[wine.y]).mean() > 0.9
    with pytest.raises(ValueError, match="no column 'proline'; did you mean 'prolin'"):
        model.predict(frame.rename({"proline": "prolin"}))
    with pytest.raises(ValueError, match="an array must have the 3 columns"):
        model.predict(wine.X)


def test_what_cannot_be_exported_is_refused(at, tmp_path):
    with pytest.raises(ExportError, match="no data set 'wien'; did you mean 'wine'"):
        exported(at, tmp_path, "wien")
    with pytest.raises(ExportError, match="no classifier 'knn3'"):
        exported(at, tmp_path, classifier="knn3")
    write_any(pl.DataFrame({"dataset": ["b"]}), at.tables("mine")["selected_features"])
    with pytest.raises(ExportError, match="no method finished its refit"):
        exported(at, tmp_path)
    with pytest.raises(ExportError, match="run `fslib run mine` first"):
        exported(Layout(str(tmp_path / "nothing")), tmp_path)


@pytest.mark.parametrize("steps", [["median", "standard"], ["bins5"]])
def test_categories_and_gaps_go_through_the_model(steps):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([rng.standard_normal(60), y + 2.0 * (rng.random(60) < 0.1)])
    X[3, 1] = np.nan
    data = Dataset("a", X, y, ["size", "colour"], ["no", "yes"], categories={1: list("rgbx")})
    model = pipeline(data, [1, 0], steps, "nb_categorical" if "bins5" in steps else "logistic", 1)
    colours = pl.Series([None if np.isnan(v) else "rgbx"[int(v)] for v in X[:, 1]])
    frame = pl.DataFrame({"size": X[:, 0], "colour": colours})
    assert (model.predict(frame) == np.array(["no", "yes"])[y]).mean() > 0.9
    assert model.predict(pl.DataFrame({"size": [0.1], "colour": ["purple"]})).shape == (1,)


def test_codes_of_categories_are_those_of_the_table():
    columns = Columns(["b", "a"], {"b": ["true", "false"]})
    frame = pl.DataFrame({"a": [1, None], "b": [False, True], "c": ["x", "y"]})
    np.testing.assert_array_equal(columns.transform(frame), [[1, 1], [0, np.nan]])


def test_codes_that_pandas_holds_as_fractions_are_levels_still():
    columns = Columns(["a"], {"a": ["1", "2.5", "12345672"]})
    codes = columns.transform(pd.DataFrame({"a": [1.0, 2.5, 12345672.0, None, 7.0]}))
    np.testing.assert_array_equal(codes.ravel(), [0, 1, 2, np.nan, 3])
    texts = pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64")})
    np.testing.assert_array_equal(columns.transform(texts).ravel(), [0, 3, np.nan])


def test_a_new_table_is_read_as_the_first_one_was(tmp_path):
    """Separator, words and values for missing, dates, blanks: as it was trained, it predicts."""
    rng = np.random.default_rng(0)
    kind = np.arange(60) % 2
    size = kind + rng.normal(size=60)
    rows = [
        f"{'-999' if i % 7 == 0 else f'{size[i]:.3f}'.replace('.', ',')};{'+-'[kind[i]]};"
        f"{'NA' if i % 5 == 0 else f'2024-01-{i % 28 + 1:02d}'};{'NA' if i % 9 == 0 else 'red '};"
        f"{'no' if kind[i] else 'yes'}"
        for i in range(60)
    ]
    path = tmp_path / "mine.csv"
    path.write_text("size;test;day;colour;kind\n" + "\n".join(rows) + "\n")
    data = canonical(read_own(path, "kind", missing=[-999]))
    at = Layout(str(tmp_path / "results"))
    recommended(at, "mine", "mine", ["nb", "logistic"])
    write_table(data, at.table("mine"))
    chosen = [data.feature_names.index(name) for name in ("size", "test", "day", "colour")]
    features = {"dataset": ["mine"] * 4, "feature": chosen}
    write_any(pl.DataFrame(features), at.tables("mine")["selected_features"])
    exported(at, tmp_path / "model", "mine")
    model = joblib.load(tmp_path / "model" / "model.joblib")
    plain = read_own(path, "kind", missing=[-999])
    order = [plain.feature_names.index(name) for name in ("size", "test", "day", "colour")]
    expected = model.predict(plain.X[:, order]).tolist()
    done = subprocess.run(
        [sys.executable, tmp_path / "model" / "use_it.py", path],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == expected
    with pytest.raises(ValueError, match="column 'size' holds 'big', which is no number"):
        model.predict(pl.DataFrame({n: ["big"] for n in ("size", "test", "day", "colour")}))


def test_the_command_exports_a_table_that_only_a_run_named(tmp_path, capsys):
    at = recommended(Layout(str(tmp_path / "results")), "own", "customers", ["nb", "knn3"])
    folder = str(tmp_path / "model")
    assert main(["export", "own", "customers", "-o", folder, "--output", at.output]) == 0
    assert "3 features and knn3; accuracy to expect: 0.940" in capsys.readouterr().out
    assert main(["export", "own", "custmers", "-o", folder, "--output", at.output]) == 2
    assert "no data set 'custmers'; did you mean 'customers'" in capsys.readouterr().err
