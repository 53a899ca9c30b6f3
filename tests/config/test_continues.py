"""A study that goes on from another, and methods of a person's own beside those of a study."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from fslib.config.load import ConfigError, load_config
from fslib.config.plan import Plan
from fslib.select.resolve import MethodError, find

PROJECT = Path(__file__).resolve().parents[2]

FAST = {
    "title": "Fast",
    "datasets": ["wine"],
    "prepare": {role: ["minmax"] for role in ("continuous", "discrete", "evaluation")},
    "splits": {"scheme": "kfold", "folds": 3},
    "limits": "tiny",
    "methods": {"correlation": {"use": "correlation"}},
    "evaluate": {"classifiers": ["nb"]},
}


def config_with(tmp_path, own=None, **studies):
    (tmp_path / "studies").mkdir(exist_ok=True)
    for name, study in studies.items():
        (tmp_path / "studies" / f"{name}.yaml").write_text(yaml.safe_dump(study))
    values = {"seed": 1, "output": "results", "studies": ["fast"], "methods": own or {}}
    values["limits"] = {name: {"seconds": 9, "memory_mb": 900} for name in ("tiny", "long")}
    return load_config(values, [tmp_path])


def test_a_study_that_continues_another_runs_its_own_entries_alone(tmp_path):
    more = {"title": "All", "continues": "fast", "limits": "long"}
    more["methods"] = {"bw_ratio": {"use": "bw_ratio"}}
    config = config_with(tmp_path, fast=FAST, all_of_it=more)
    study = config.study("all_of_it")
    assert list(study.entries) == ["correlation", "bw_ratio"]
    assert [study.home(entry) for entry in study.entries] == ["fast", "all_of_it"]
    plan = Plan(config, tmp_path)
    assert plan.finished(["all_of_it"]) == [plan.at.page("all_of_it")]
    assert plan.at.page("fast") in plan.page_inputs("all_of_it")
    runs = plan.measured("all_of_it")["runs"]
    assert [path.split("/")[1] for path in runs] == ["fast", "all_of_it"]
    first = plan.select_priority("fast", "wine", "shared", 0)
    assert first > plan.select_priority("all_of_it", "wine", "shared", 0) + 400


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"splits": {"folds": 5}}, "splits: differs from fast, which it continues; use `extends`"),
        ({"methods": {"correlation": {"use": "bw_ratio"}}}, "methods.correlation: differs from"),
        ({"extends": "fast"}, "extends: it continues another study"),
        ({"continues": "fats"}, "unknown study 'fats'; did you mean 'fast'"),
    ],
)
def test_a_study_that_changes_what_it_continues_is_refused(tmp_path, change, message):
    config = config_with(tmp_path, fast=FAST, more={"title": "m", "continues": "fast"} | change)
    with pytest.raises(ConfigError, match=message):
        config.study("more")


def test_own_tables_run_the_fast_part_first():
    values = yaml.safe_load((PROJECT / "config.yaml").read_text())
    values["datasets"] = {"mine": {"path": "mine.csv", "target": "kind"}}
    values["methods"] = {"mine": {"use": "correlation"}, "svm_rfe": {"use": "svm_rfe", "C": 10.0}}
    config = load_config(values, [PROJECT])
    study = config.study("own")
    fast = {
        v.use for e in study.entries.values() for v in e.variants if study.home(e.name) != "own"
    }
    slow = {
        v.use for e in study.entries.values() for v in e.variants if study.home(e.name) == "own"
    }
    assert fast >= {"correlation", "mrmr", "cmim", "jmi", "irelief"}
    assert {"svm_rfe", "my_svm_rfe", "mine"} <= {v.name for v in study.methods}
    assert slow == {"svm_rfe", "amfes", "daf", "babd", "sffs"}
    # No ranking goes further than the largest size that is looked at.
    largest = max(study.evaluate["sizes"])
    counts = {v.name: v.params.get("n_features_to_select") for v in study.methods}
    without = {"all_features", "extra_trees", "babd", "sffs", "mine", "my_svm_rfe"}
    assert {n for n, count in counts.items() if count == largest} == counts.keys() - without


def test_own_methods_keep_their_natural_names_where_they_can(tmp_path):
    own = {"correlation": {"use": "bw_ratio"}, "mrmr": {"use": "mrmr"}}
    own["family"] = {"use": "bw_ratio", "variants": {"correlation": {}, "plain": {}}}
    config = config_with(tmp_path, own, fast=FAST | {"own_methods": True}, other=FAST)
    names = [v.name for v in config.study("fast").methods]
    assert names == ["correlation", "my_correlation", "mrmr", "my_my_correlation", "plain"]
    # Names of another study, which is not run, are no hindrance.
    assert [v.name for v in config.study("other").methods] == ["correlation"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ExtraTreesClassifier", "sklearn.ensemble:ExtraTreesClassifier"),
        ("random_forest", "sklearn.ensemble:RandomForestClassifier"),
        ("sklearn.feature_selection.RFECV", "sklearn.feature_selection:RFECV"),
        ("mutual_info_classif", "sklearn.feature_selection:mutual_info_classif"),
        ("mrrm", "mrmr"),
    ],
)
def test_an_unknown_name_suggests_what_is_meant(name, path):
    with pytest.raises(MethodError, match=f"did you mean '{path}'"):
        find(name)
