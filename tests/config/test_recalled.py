"""A study is resolved once, and again when anything that it was made from has changed."""

import shutil
from pathlib import Path

import pytest
import yaml

from fslib.config import load, recalled
from fslib.config.load import load_config
from fslib.run.fingerprint import COVERED

PROJECT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text()) | {"studies": ["mine"]}
STUDY = {
    "title": "Mine",
    "datasets": ["wine"],
    "prepare": {"continuous": ["minmax"], "discrete": ["bins5"], "evaluation": ["standard"]},
    "splits": {"scheme": "holdout"},
    "limits": "quick",
    "own_methods": True,
    "methods": {"mrmr": {"use": "mrmr"}, "trees": {"use": "sklearn.ensemble:ExtraTreesClassifier"}},
    "evaluate": {"classifiers": ["nb"]},
}


@pytest.fixture
def resolved(tmp_path, monkeypatch):
    """Ask for the study in a working folder of Snakemake's; how often it had to be resolved."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "code.py").write_text("1")
    monkeypatch.setattr(recalled, "_PACKAGE", package)
    monkeypatch.chdir(tmp_path)
    Path(".snakemake").mkdir()
    Path("studies").mkdir()
    times = []
    original = load.resolved_study
    monkeypatch.setattr(
        load, "resolved_study", lambda **asked: times.append(1) or original(**asked)
    )

    def ask(config=CONFIG, **changes):
        Path("studies/mine.yaml").write_text(yaml.safe_dump({**STUDY, **changes}))
        before = len(times)
        recalled._surroundings.cache_clear()
        study = load_config(config, folders=[tmp_path]).study("mine")
        return study, len(times) - before

    return ask


def test_what_did_not_change_is_not_resolved_again(resolved):
    first, times = resolved()
    assert times == 1
    before = dict(COVERED)
    COVERED.clear()
    again, times = resolved()
    assert times == 0
    assert again == first
    # `fslib explain` still knows what the fingerprints stand for.
    assert {v.fingerprint for v in first.methods} <= set(COVERED)
    COVERED.update(before)


def test_whatever_it_was_made_from_counts(resolved, tmp_path, monkeypatch):
    resolved()
    assert resolved(batch=3)[1] == 1
    assert resolved(batch=3)[1] == 0
    limits = {**CONFIG["limits"], "quick": {"seconds": 7, "memory_mb": 300}}
    assert resolved({**CONFIG, "limits": limits}, batch=3)[0].budget["seconds"] == 7
    resolved()
    (tmp_path / "package" / "code.py").write_text("2")
    assert resolved()[1] == 1
    (tmp_path / "package" / "more.yaml").write_text("")
    assert resolved()[1] == 1
    site = tmp_path / "site"
    (site / "somebody-99.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    assert resolved()[1] == 1
    assert resolved()[1] == 0


def test_own_files_and_tables_are_looked_at_each_time(resolved):
    Path("own.py").write_text("def own(X, y):\n    return X.mean(axis=0)\n")
    methods = {"own": {"use": "own.py:own"}}
    assert list(recalled._uses({"a": [{"use": "b"}], "use": "c"})) == ["b", "c"]
    for config, changes in (
        (CONFIG, {"methods": methods}),
        ({**CONFIG, "methods": methods}, {}),
        ({**CONFIG, "datasets": {"mine": {"path": "mine.csv", "target": "y"}}}, {}),
    ):
        assert [resolved(config, **changes)[1] for _ in range(2)] == [1, 1]


def test_a_damaged_file_or_none_is_no_mistake(resolved):
    resolved()
    path = Path(".snakemake/fslib/mine.pickle")
    path.write_bytes(path.read_bytes()[:100])
    assert resolved()[1] == 1
    assert resolved()[1] == 0
    shutil.rmtree(".snakemake")
    assert [resolved()[1] for _ in range(2)] == [1, 1]
    assert not Path(".snakemake").exists()
