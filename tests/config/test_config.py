"""A typo anywhere in the configuration is refused at once, with the nearest valid names."""

import copy
from pathlib import Path

import pytest
import yaml

from fslib.config.load import ConfigError, load_config

PROJECT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())
STUDY = yaml.safe_load((PROJECT / "studies" / "quick.yaml").read_text())


def changed(values, path, value):
    """A deep copy with one place changed; ``None`` deletes it."""
    values = copy.deepcopy(values)
    *way, last = path.split("/")
    place = values
    for key in way:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return values


@pytest.fixture
def load(tmp_path):
    """Load a study (and configuration) given as values from a folder of its own."""

    def load(study=STUDY, config=CONFIG):
        (tmp_path / "studies").mkdir(exist_ok=True)
        (tmp_path / "studies" / "mine.yaml").write_text(yaml.safe_dump(study))
        return load_config({**config, "studies": ["mine"]}, folders=[tmp_path]).study("mine")

    return load


@pytest.mark.parametrize("name", [p.stem for p in sorted((PROJECT / "studies").glob("*.yaml"))])
def test_every_study_of_the_project_is_valid(name, monkeypatch):
    monkeypatch.chdir(PROJECT)
    own = {"mine": {"path": "mine.csv", "target": "label"}}
    config = load_config({**CONFIG, "datasets": own})
    for study in map(config.study, config.groups[name]):
        assert study.datasets
        assert study.methods


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("titel", "x", "unknown key 'titel'; did you mean 'title'"),
        ("prepare/continous", ["none"], "prepare: unknown key 'continous'.*'continuous'"),
        ("splits/scheme", "kfolds", "splits.scheme: unknown value 'kfolds'.*'kfold'"),
        ("splits/folds", 1, "splits.folds: 1: .*minimum"),
        ("datasets", ["wien"], "unknown data set 'wien'.*'wine'"),
        ("prepare/discrete", ["bin5"], "prepare.discrete: unknown preparation step 'bin5'"),
        ("evaluate/classifiers", ["knn"], "classifiers.0: unknown value 'knn'.*'knn3'"),
        ("evaluate/classifiers", [{"use": "sklearn.svm:SVC"}], "the key 'name' is missing"),
        (
            "evaluate/classifiers",
            [{"name": "nb", "use": "sklearn.svm:SVC"}],
            "the name 'nb' is taken",
        ),
        (
            "evaluate/classifiers",
            [{"name": "x", "use": "sklearn.svm:SVC", "CC": 1}],
            "evaluate.classifiers.x: sklearn.svm:SVC has no parameter 'CC'; did you mean 'C'",
        ),
        (
            "evaluate/classifiers",
            [{"name": "x", "use": "sklearn.decomposition:PCA"}],
            "does not `predict`",
        ),
        ("evaluate/measures", ["acuracy"], "measures.0: unknown value 'acuracy'.*'accuracy'"),
        ("evaluate/judge_by", "auc", "judge_by: unknown value 'auc'.*'roc_auc'"),
        (
            "evaluate",
            {"classifiers": ["nb", "svm_linear"], "judge_by": "log_loss"},
            "log_loss needs probabilities, which svm_linear has not",
        ),
        ("evaluate/stability", ["noguera"], "stability.0: unknown value 'noguera'.*'nogueira'"),
        ("limits", "quik", "unknown limits 'quik'.*'quick'"),
        ("methods/a", {"use": "corelation"}, "methods.a: unknown method.*'correlation'"),
        ("methods/a", {"use": "mrmr", "sheme": "MID"}, "no parameter 'sheme'.*'scheme'"),
        ("methods/a", {"use": "no.such:Thing"}, "cannot import 'no.such'"),
        ("methods/a", {"use": "sklearn.svm:SVCC"}, "no class 'SVCC'.*'SVC'"),
        ("methods/a", {"use": "nowhere.py:Thing"}, "nowhere.py does not exist"),
        ("methods/a", {"n_subsets": 3}, "needs `use` or `variants`"),
        ("methods/a", {"variants": {"b": {}}}, "says nothing to `use`"),
        ("methods/a", {"variants": {"cmim": {"use": "cmim"}}}, "two variants are called 'cmim'"),
        ("methods/a", {"variants": {"../x": {"use": "cmim"}}}, "A name has letters"),
        ("methods/a", {"use": "cmim", "prepare": ["bis5"]}, "unknown preparation step 'bis5'"),
        ("title", None, "the key 'title' is missing"),
        ("datasets", "mine", "'mine' does not fit"),
        ("datasets", "own", "runs on your own tables, and config.yaml names none"),
    ],
)
def test_mistakes_in_a_study(load, path, value, message):
    with pytest.raises(ConfigError, match=message) as refused:
        load(changed(STUDY, path, value))
    assert len(str(refused.value)) < 700
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("sede", 1, "config.yaml: unknown key 'sede'; did you mean 'seed'"),
        ("data/offlin", True, "data: unknown key 'offlin'.*'offline'"),
        ("limits/quick/second", 3, "limits.quick: unknown key 'second'.*'seconds'"),
        ("limits/quick/seconds", "long", "limits.quick.seconds: 'long' is not a number"),
        (
            "methods",
            {"a": "mrmr"},
            "methods.a: 'mrmr' is not a block of keys and values. A method;",
        ),
        ("datasets", {"a": {"path": "x.csv"}}, "datasets.a: the key 'target' is missing"),
        ("most_rows", 10, "most_rows: 10: .*minimum"),
    ],
)
def test_mistakes_in_the_configuration(load, path, value, message):
    with pytest.raises(ConfigError, match=message):
        load(config=changed(CONFIG, path, value))


def test_a_configuration_that_lacks_a_part_is_told_where_to_get_one(load):
    lacking = {key: value for key, value in CONFIG.items() if key != "seed"}
    with pytest.raises(ConfigError, match="'seed' is missing; `fslib init` writes all of it"):
        load(config=lacking)


@pytest.fixture
def studies(tmp_path):
    """A configuration whose studies are given as values."""

    def configured(**studies):
        (tmp_path / "studies").mkdir(exist_ok=True)
        for name, values in studies.items():
            (tmp_path / "studies" / f"{name}.yaml").write_text(yaml.safe_dump(values))
        return load_config({**CONFIG, "studies": [next(iter(studies))]}, folders=[tmp_path])

    return configured


def test_a_study_with_parts_stands_for_one_study_each(studies):
    parts = {"a": {"datasets": ["wine"]}, "b": {"splits": {"repeats": 7}}}
    config = studies(mine={**STUDY, "parts": parts}, other=STUDY)
    assert config.groups == {"mine": ["mine-a", "mine-b"], "other": ["other"]}
    assert config.study("mine-a").datasets == ("wine",)
    assert config.study("mine-a").n_splits(None) == 5
    assert config.study("mine-b").n_splits(None) == 35
    assert config.study("mine-b").splits["folds"] == 5
    with pytest.raises(ConfigError, match=r"unknown study 'mine'; did you mean .*'mine-a'"):
        config.study("mine")


def test_parts_are_named_beside_the_title_that_they_share(studies):
    config = studies(mine={**STUDY, "title": "Mine", "parts": {"a": {}, "b": {"title": "Own"}}})
    named = [(s.title, s.part) for s in map(config.study, config.groups["mine"])]
    assert named == [("Mine", "a"), ("Own", "")]


def test_parts_may_be_left_out_of_a_run(studies):
    config = studies(mine={**STUDY, "parts": {"a": {}, "b": {}}})
    fewer = load_config({**config.values, "without": ["mine-b"]}, folders=config.folders)
    assert fewer.groups == {"mine": ["mine-a"]}
    with pytest.raises(ConfigError, match="without: unknown study 'mine-c'"):
        load_config({**config.values, "without": ["mine-c"]}, folders=config.folders)


def test_a_study_extends_another_key_by_key(studies):
    full = {**STUDY, "parts": {"a": {}, "b": {}}}
    small = {
        "extends": "full",
        "parts": {"b": None},
        "splits": {"folds": 3},
        "methods": {"models": None},
    }
    config = studies(full=full, small=small)
    assert config.groups["small"] == ["small-a"]
    study = config.study("small-a")
    assert study.splits["folds"] == 3
    assert "models" not in study.entries
    assert "filters" in study.entries
    assert "# studies/full.yaml" in study.text


def test_parts_on_top_of_a_study_without_parts_take_methods_away(studies):
    parts = {"a": {"methods": {"models": None}}, "b": {}}
    config = studies(full=STUDY, more={"extends": "full", "parts": parts})
    assert "models" not in config.study("more-a").entries
    assert "models" in config.study("more-b").entries


def test_a_null_in_a_part_outlives_an_extension_of_it(studies):
    full = {**STUDY, "parts": {"a": {"methods": {"models": None}}}}
    small = {"extends": "full", "parts": {"a": {"methods": {"mine": {"use": "correlation"}}}}}
    config = studies(full=full, small=small)
    entries = config.study("small-a").entries
    assert "models" not in entries
    assert {"filters", "mine"} <= set(entries)


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ({"extends": "min"}, "mine.yaml: extends: unknown study 'min'; did you mean 'mind'"),
        ({"extends": "mine"}, "extends: it extends itself"),
        ({**STUDY, "parts": ["a"]}, "parts: expected names"),
        ({**STUDY, "parts": {"a": 3}}, "parts.a: expected keys and values, found 3"),
        ({**STUDY, "parts": {"a/b": {}}}, "parts: 'a/b' is no name"),
        ({**STUDY, "parts": {"a": {"titel": "x"}}}, "parts.a: unknown key 'titel'.*'title'"),
        ({**STUDY, "paper": "amfse"}, "paper: unknown paper 'amfse'; did you mean 'amfes'"),
        (changed(STUDY, "evaluate/sizes", ["9..3"]), "evaluate.sizes: 9..3 goes down"),
        (changed(STUDY, "evaluate/sizes", ["1-9"]), "evaluate.sizes"),
    ],
)
def test_mistakes_in_parts_and_extensions(studies, study, message):
    config = studies(mine=study, mind=STUDY)
    with pytest.raises(ConfigError, match=message):
        config.study(config.groups["mine"][0])


def test_two_files_must_not_stand_for_one_study(studies):
    config = studies(mine={**STUDY, "parts": {"a": {}}}, **{"mine-a": STUDY})
    with pytest.raises(ConfigError, match="mine and mine-a both have a study 'mine-a'"):
        config.study("mine-a")


def test_a_star_stands_for_any_letters(load):
    study = load(changed(STUDY, "datasets", ["synthetic_group1_*_redrawn0[12]", "wine"]))
    sizes = (1000, 1500, 500)
    copies = {f"synthetic_group1_{n}_redrawn{i:02}" for n in sizes for i in (1, 2)}
    assert set(study.datasets) == {"wine", *copies}


def test_ranges_of_sizes(load):
    study = load(changed(STUDY, "evaluate/sizes", [2, "4..6", "10..20..5"]))
    assert study.evaluate["sizes"] == [2, 4, 5, 6, 10, 15, 20]


def test_unknown_study_names_the_nearest():
    with pytest.raises(ConfigError, match=r"unknown study 'quik'.*'quick'"):
        load_config({**CONFIG, "studies": ["quik"]}, folders=[PROJECT])


def test_own_data_and_methods_join(load, tmp_path):
    own = tmp_path / "selector.py"
    own.write_text("class Mine:\n    def fit(self, X, y):\n        return self\n")
    config = {
        **CONFIG,
        "datasets": {"mine": {"path": "mine.csv", "target": "label"}},
        "methods": {"mine": {"use": f"{own}:Mine"}},
    }
    study = load(changed(STUDY, "datasets", "own"), config)
    assert study.datasets == ("mine",)
    assert "mine" in study.entries


def test_the_configuration_sets_the_sample_of_own_tables_alone():
    own = {"datasets": {"mine": {"path": "mine.csv", "target": "label"}}}
    left_open, said = (
        load_config({**CONFIG, **own, **more}, [PROJECT]) for more in ({}, {"most_rows": 800})
    )
    for name in ("own_fast", "own"):
        assert left_open.study(name).splits["most_rows"] == 5000
        assert said.study(name).splits["most_rows"] == 800
    assert said.study("stability-main") == left_open.study("stability-main")


def test_methods_get_the_preparation_their_tags_ask_for(load):
    study = load()
    by_name = {v.name: v for v in study.methods}
    assert by_name["cmim"].preparation == tuple(STUDY["prepare"]["discrete"])
    assert by_name["correlation"].preparation == tuple(STUDY["prepare"]["continuous"])
    yardsticks = {v.name: v.role for v in study.methods if v.role != "competitor"}
    assert yardsticks == {"all_features": "all_features", "oracle": "oracle"} | {
        f"random_{i}": "random" for i in range(1, 6)
    }
    assert study.entries["filters"].preparations == ["median-bins5", "median-minmax"]


def test_defaults_are_filled_in(load):
    study = load(changed(STUDY, "evaluate/sizes", None))
    assert study.evaluate["sizes"] == "all"
    assert study.evaluate["stability"] == ["nogueira", "kuncheva"]
    assert study.prepare["fitted"] == "within_split"
