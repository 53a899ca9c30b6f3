"""Whatever a person writes: a message or a right result, never a traceback, never a wrong one."""

from __future__ import annotations

import copy
import math
import re

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from workflow import CONFIG, STUDY

from fslib.config.load import ConfigError, load_config
from fslib.data.dataset import Dataset
from fslib.data.tables import write_table
from fslib.evaluate.measures import MEASURES
from fslib.evaluate.stage import evaluate_entry
from fslib.prepare.stage import write_fitted, write_prepared
from fslib.prepare.steps import apply, fit, preparation_name
from fslib.run.artefacts import ArtefactError, read, read_any, write_any
from fslib.run.errors import FslibError
from fslib.run.layout import FILES
from fslib.select.fits import Job
from fslib.select.stage import select_batch
from fslib.split.schemes import Rows, make_splits
from fslib.split.stage import write_splits

pytestmark = pytest.mark.slow


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
        "most_rows": 1000,
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
    assert study.n_splits(None) is None or study.n_splits(None) >= 1
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


# Tables

NUMBERS = st.sampled_from(
    [0.0, 1.0, -1.0, 0.1, 2.0, 3.0, 5.0, 1e-310, 5e-324, -1e-300, 1e16, 1e99, -1e99]
) | st.floats(-10, 10)
CELLS = NUMBERS | st.just(math.nan) | st.sampled_from([1e101, -1.7e308])
PREPARATIONS = [
    *(["none"], ["minmax"], ["standard"], ["bins5"], ["binary"], ["sigma3"], ["median"]),
    *(["median", "minmax"], ["median", "bins3"], ["bins3", "median"], ["standard", "median"]),
]
SCHEME = {"repeats": 1, "folds": 3, "test": 0.3, "ratios": [0.5, 1.0], "stratified": True}
SCHEME |= {"most_rows": None}
METHODS = ["correlation", "bw_ratio", "signal_to_noise", "cmim", "random_ranking", "all_features"]


@st.composite
def tables(draw) -> Dataset:
    """Small tables, most of them plain, many with a column of each nasty kind."""
    n, d = draw(st.integers(2, 14)), draw(st.integers(1, 4))
    cells = draw(st.sampled_from([NUMBERS, NUMBERS, CELLS]))
    column = st.lists(cells, min_size=n, max_size=n) | cells.map(lambda value: [value] * n)
    X = np.array(draw(st.lists(column, min_size=d, max_size=d))).T
    n_classes = draw(st.integers(2, 3))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    names, classes = [f"f{i}" for i in range(d)], [f"c{i}" for i in range(n_classes)]
    return Dataset("mine", X, y, names, classes)


schemes = st.sampled_from(
    ["holdout", "kfold", "loo", "bootstrap", "shrinking_bootstrap", "original"]
).flatmap(
    lambda name: st.builds(
        lambda stratified, repeats: (
            SCHEME | {"scheme": name, "stratified": stratified, "repeats": repeats}
        ),
        st.booleans(),
        st.integers(1, 2),
    )
)


@cases(1000)
@given(data=st.data())
def test_any_table_is_split_and_prepared_by_its_training_rows(data):
    """Every split has both parts, no row on both sides; test rows do not touch what is learned."""
    try:
        table = data.draw(tables())
        splits = make_splits(Rows("mine", table.y), data.draw(schemes), base_seed=1, final=True)
    except FslibError:
        return
    steps = data.draw(st.sampled_from(PREPARATIONS))
    for split in splits:
        assert len(np.unique(table.y[split.train])) >= 2
        assert not set(split.train) & set(split.test)
        assert len(split.test) or split.split == -1
        if np.isnan(table.X).any() or (np.abs(table.X) > 1e100).any():
            continue  # refused by the stage, see below
        fitted = fit(steps, table.X[split.train])
        changed = table.X.copy()
        changed[split.test] = 7.5
        for (_, *before), (_, *after) in zip(fitted, fit(steps, changed[split.train]), strict=True):
            np.testing.assert_array_equal(before, after)
        prepared = apply(fitted, table.X)
        assert np.isfinite(prepared).all()
        constant = (table.X[split.train] == table.X[split.train][0]).all(axis=0)
        assert (np.ptp(prepared[split.train], axis=0)[constant] == 0).all()
        if steps == ["bins5"]:
            assert set(np.unique(prepared)) <= set(range(5))
        if steps in (["standard"], ["minmax"]):
            assert (prepared[split.train][:, constant] == 0).all()


@cases(60)
@given(
    data=st.data(),
    scheme=schemes,
    within_split=st.booleans(),
    methods=st.lists(st.sampled_from(METHODS), min_size=1, max_size=3, unique=True),
    steps=st.sampled_from(PREPARATIONS),
    evaluation=st.sampled_from(PREPARATIONS),
    classifiers=st.lists(
        st.sampled_from(["knn3", "nb", "svm_linear", "svm_rbf", "svm_rbf_tuned", "nb_categorical"]),
        min_size=1,
        max_size=2,
        unique=True,
    ),
)
def test_any_table_through_the_stages(
    folder, data, scheme, within_split, methods, steps, evaluation, classifiers
):
    try:
        table = data.draw(tables())
        results = stages(
            folder, table, scheme, within_split, methods, steps, evaluation, classifiers
        )
    except FslibError:
        return
    check(table, results)


def stages(folder, table, scheme, within_split, methods, steps, evaluation, classifiers) -> dict:
    """Split, prepare, select and evaluate as the scripts do; the result files by name."""
    for old in folder.glob("*.parquet"):
        old.unlink()
    files = {name: str(folder / f"{name}.parquet") for name in ("table", "splits", "batch", *FILES)}
    write_table(table, files["table"])
    write_splits(files["table"], files["splits"], dataset="mine", scheme=scheme, seed=1, final=True)
    read_any(files["splits"])  # raises where the table cannot be split
    prepared = []
    for names in {tuple(steps), tuple(evaluation)}:
        path = str(folder / f"{preparation_name(names)}.parquet")
        prepared.append(path)
        if within_split:
            write_fitted(files["table"], files["splits"], path, steps=list(names))
        else:
            write_prepared(files["table"], path, steps=list(names))
        read_any(path)
    common = {"role": "competitor", "params": {}, "preparation": steps}
    variants = [{"name": m, "entry": m, "seed_name": m, "use": m, **common} for m in methods]
    select_batch(
        files["table"],
        files["splits"],
        [str(folder / f"{preparation_name(steps)}.parquet")],
        files["batch"],
        job=Job("study", "mine", "entry", variants, scheme["scheme"], 1, "code"),
        batch=None,
        limits={"seconds": 20, "memory_mb": 500},
        workers=2,
        log=None,
    )
    evaluate_entry(
        files["table"],
        files["splits"],
        str(folder / f"{preparation_name(evaluation)}.parquet"),
        [files["batch"]],
        {name: files[name] for name in FILES},
        label="study/mine/entry",
        code="code",
        classifiers=classifiers,
        sizes="all",
        measures=list(MEASURES),
        stability=["nogueira", "kuncheva"],
        selects_before_split=False,
        limits={"seconds": 20, "memory_mb": 500},
        seed=1,
        workers=2,
        log=None,
    )
    return {name: read(files[name], name) for name in FILES}


def check(table: Dataset, results: dict) -> None:
    """What must hold of any result."""
    d = table.X.shape[1]
    runs, selections = results["runs"], results["selections"]
    assert runs["status"].is_in(["ok", "skipped", "error"]).all()
    for reason in runs.filter(pl.col("status") == "error")["reason"]:
        assert reason.startswith("ValueError"), reason  # refused by the method, in words
    for (method, split), rows in selections.group_by("method", "split"):
        # CMIM leaves features unranked that tell nothing beside those before them.
        ranked = len(rows) if method == "cmim" else d
        assert rows["rank"].to_list() == list(range(1, ranked + 1)), (method, split)
        assert 1 <= rows["feature"].n_unique() == ranked <= d
        assert rows["feature"].is_between(0, d - 1).all()
        assert rows["name"].to_list() == [f"f{i}" for i in rows["feature"]]
    accuracy = results["accuracy"]
    for column in ("accuracy", "balanced_accuracy"):
        assert accuracy[column].is_between(0, 1).all()
    assert accuracy["k"].is_between(1, d).all()
    for classifier, reason in results["unmeasured"].select("classifier", "reason").iter_rows():
        assert classifier == "nb_categorical"
        assert "nb_categorical needs codes 0, 1, 2, …" in reason
    assert (accuracy["split"] >= 0).all()  # the refit has no test rows
    values = results["stability"]["value"].drop_nulls()
    assert values.is_between(-1, 1).all()


# Files between stages


@cases(400)
@given(data=st.data())
def test_any_damage_to_a_file_is_noticed(folder, data):
    """Bytes changed, cut out or put in, anywhere: refused, unless the content is still the same."""
    path = folder / "table.parquet"
    frame = pl.DataFrame({"name": ["a", "b", None], "value": [0.5, None, 2.0], "code": [1, 2, 3]})
    write_any(frame, path, {"fslib.facts": "some"})
    whole = path.read_bytes()
    at, length = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 8))
    path.write_bytes(whole[:at] + data.draw(st.binary(max_size=8)) + whole[at + length :])
    try:
        found = read_any(path)
    except ArtefactError as problem:
        said = str(problem)
    else:
        assert found.equals(frame)
        return
    assert str(path) in said
