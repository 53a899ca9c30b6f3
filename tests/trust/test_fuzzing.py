"""Whatever a person writes: a message or a right result, never a traceback, never a wrong one."""

from __future__ import annotations

import copy
import math
import re

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from workflow import CONFIG, STUDY

from fslib.config.load import ConfigError, load_config


def cases(number: int):
    """The same cases on every machine, however slow it is."""
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # making a case smaller would take longer than reading it
        suppress_health_check=list(HealthCheck),
    )


FULL_CONFIG = CONFIG | {
    "strict": False,
    "data": {"mirror": None, "offline": True, "cache": None},
    "datasets": {"mine": {"path": "mine.csv", "target": "kind"}},
    "methods": {"trees": {"use": "sklearn.ensemble:ExtraTreesClassifier", "n_estimators": 5}},
}
FULL_STUDY = STUDY | {
    "description": "All keys there are.",
    "datasets": ["wine", "mine"],
    "prepare": STUDY["prepare"] | {"fitted": "before_split"},
    "splits": {
        "scheme": "kfold",
        "repeats": 2,
        "folds": 3,
        "test": 0.3,
        "ratios": [0.5, 1.0],
        "stratified": True,
    },
    "final": True,
    "batch": 4,
    "threads": 2,
    "own_methods": True,
    "methods": {
        "correlation": {"use": "correlation", "prepare": ["median", "minmax"]},
        "family": {"use": "mrmr", "variants": {"mid": {"scheme": "MID"}, "miq": {"bins": 3}}},
        "own": {"use": "tests/dummies.py:Crashing"},
        "rfe": {
            "use": "sklearn.feature_selection:RFE",
            "estimator": {"use": "sklearn.svm:SVC", "kernel": "linear"},
        },
    },
    "evaluate": {"classifiers": ["nb", "knn3"], "sizes": [1, 3], "stability": ["nogueira"]},
}
STUDY_TEXT = yaml.safe_dump(FULL_STUDY)

SCALARS = [
    *(None, True, False, 0, 1, -1, 3, 10**30, 0.5, -0.0, 1e308, math.inf, -math.inf, math.nan),
    *("", " ", "wine", "winne", "all", "own", "data", "prepared", "logs", "a b", "a/b", "../up"),
    *("{x}", "a{b", "é", "\n", "\0", "none", "bins0", "bins5", "bins999999999999", "median"),
    *("mrmr", "mRMR", ":", "a:", ":b", ".a:b", "x.py:Y", "tests/dummies.py:", "builtins:dict"),
    *("tests/dummies.py:np", "sklearn:__version__", "sklearn.svm:SVC", "sklearn.svm:Nope"),
    *("sklearn.feature_selection:chi2", "builtins:object", "no_such_package:Thing", "select"),
]
values = st.recursive(
    st.sampled_from(SCALARS) | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(SCALARS).filter(lambda k: k == k), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(tree, at=()) -> list[tuple]:
    """Every key of nested mappings and lists, as a path."""
    if isinstance(tree, dict):
        inner = tree.items()
    elif isinstance(tree, list):
        inner = enumerate(tree)
    else:
        return []
    return [path for key, value in inner for path in [(*at, key), *places(value, (*at, key))]]


@st.composite
def mutated(draw, original: dict) -> dict:
    """The original with one to three keys replaced, removed, renamed or added."""
    tree = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(places(tree) or [()]))
        if not path:
            return tree
        *above, key = path
        parent = tree
        for step in above:
            parent = parent[step]
        kind = draw(st.sampled_from(["replace", "replace", "remove", "rename", "add"]))
        if kind == "replace":
            parent[key] = draw(values)
        elif kind == "remove":
            del parent[key]
        elif isinstance(parent, dict):
            name = draw(st.sampled_from(SCALARS).filter(lambda k: k == k) | st.text(max_size=5))
            parent[name] = parent.pop(key) if kind == "rename" else draw(values)
        else:
            parent.insert(draw(st.integers(0, len(parent))), draw(values))
    return tree


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzzing")
    (folder / "studies").mkdir()
    return folder


def usable(config) -> None:
    """What the rules make of an accepted configuration: paths, numbers, wildcards."""
    study = config.study("tiny")
    assert study.n_splits is None or study.n_splits >= 1
    assert math.isfinite(study.budget["seconds"] * study.budget["memory_mb"])
    for name in [*study.datasets, *study.entries, *(v.name for v in study.methods)]:
        assert re.fullmatch(r"[\w.-]+", name), name
    for entry in study.entries.values():
        for preparation in [*entry.preparations, study.evaluation_preparation]:
            assert re.fullmatch(r"[a-z0-9-]+", preparation)


def load(config, study_text: str, folder) -> None:
    (folder / "studies" / "tiny.yaml").write_text(study_text)
    try:
        usable(load_config(config, folders=[folder]))
    except ConfigError as problem:
        said = str(problem)
    else:
        return
    assert said
    assert len(said) < 5000
    assert len(said.splitlines()) <= 12


def test_the_unchanged_configuration_is_accepted(folder):
    (folder / "studies" / "tiny.yaml").write_text(yaml.safe_dump(FULL_STUDY))
    usable(load_config(FULL_CONFIG, folders=[folder]))


@cases(1000)
@given(config=mutated(FULL_CONFIG))
def test_any_configuration(folder, config):
    load(config, STUDY_TEXT, folder)


@cases(1500)
@given(study=mutated(FULL_STUDY))
def test_any_study(folder, study):
    load(FULL_CONFIG, yaml.safe_dump(study, allow_unicode=True), folder)


SNIPPETS = st.sampled_from(
    [
        *("&a [*a]", "*nowhere", "!!int x", "!!timestamp x", "!!float ''", "2020-13-99", "!!set"),
        *(
            "!!python/object:os.system",
            "? [a]",
            "<<: [1]",
            "{",
            "]",
            "\t",
            ":",
            "- ",
            "\x00",
            "---",
        ),
        *("[" * 2000, "'", '"', "%TAG", "!!binary '*'", "!!bool x", "\ufeff", "\ud7ff", "..."),
    ]
) | st.text(max_size=5)


@cases(500)
@given(at=st.integers(0, len(STUDY_TEXT)), length=st.integers(0, 40), snippet=SNIPPETS)
def test_any_text(folder, at, length, snippet):
    load(FULL_CONFIG, STUDY_TEXT[:at] + snippet + STUDY_TEXT[at + length :], folder)
