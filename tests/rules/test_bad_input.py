"""What a person, a method or a disk can get wrong: a message, marked cells, nothing lost."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import re
from html import unescape

import numpy as np
import polars as pl
import pytest
from workflow import CONFIG, STUDY, Workflow, changed

from fslib.config.load import load_config
from fslib.data import load
from fslib.data.dataset import Dataset
from fslib.data.tables import read_table, write_table
from fslib.prepare.stage import write_fitted
from fslib.run.artefacts import ArtefactError, read, read_any
from fslib.select.fits import Job
from fslib.select.stage import select_batch
from fslib.split.stage import read_splits, write_splits

# Tables


def csv(path, columns: dict) -> None:
    pl.DataFrame(columns).write_csv(path)


@pytest.mark.slow
def test_bad_tables_are_named_and_the_good_ones_finish(tmp_path):
    """One run over many tables: each refusal says what to do, and costs the others nothing."""
    study = changed(
        STUDY,
        datasets="own",
        prepare={role: ["minmax"] for role in ("continuous", "discrete", "evaluation")},
        splits={"scheme": "kfold", "folds": 3},
        methods={"correlation": {"use": "correlation"}},
    )
    names = ("good", "constant", "headless", "gaps", "rare", "gone")
    own = {name: {"path": f"{name}.csv", "target": "kind"} for name in names}
    workflow = Workflow(tmp_path, config=changed(CONFIG, datasets=own), tiny=study)
    a, b, kind = [1.0, 2, 3, 4, 5, 6], [3, 1, 2, 6, 5, 4], list("xyxyxy")
    csv(tmp_path / "good.csv", {"a": a, "b": b, "kind": kind})
    csv(tmp_path / "constant.csv", {"a": [1] * 6, "b": [0] * 6, "kind": kind})
    csv(tmp_path / "headless.csv", {"a": a, "b": b, "kinds": kind})
    csv(tmp_path / "gaps.csv", {"a": [None, *a[1:]], "b": b, "kind": kind})
    csv(tmp_path / "rare.csv", {"a": a, "b": b, "kind": list("xxxxyy")})
    said = workflow.run()
    page = (workflow.results / "report" / "index.html").read_text()
    assert "Data sets that could not be used" in page
    ledger = pl.read_parquet(workflow.results / "tiny" / "ledger.parquet")
    bad = {"headless", "gaps", "rare", "gone"}
    assert set(ledger.filter(pl.col("error") > 0)["dataset"]) == bad
    assert "gone.csv: no such file; the other tables are run alone" in said
    assert "constant: warning: 'a', 'b': the same in every row." in said
    for message in (
        "gone.csv: no such file. Give the path of a table.",
        "headless.csv: has no column 'kind'; did you mean 'kinds'?",
        "gaps has 1 missing values in 1 columns (first: 'a'), and the preparation ['minmax'] does "
        "not fill them. Put `median` first: [median, minmax].",
        "rare: class 'y' has 2 row(s), fewer than 3 folds.",
    ):
        assert f"refused: {message}" in said
        assert ledger["reason"].str.contains(message, literal=True).any()
        assert message[:25] in unescape(page)
    log = workflow.results / "logs" / "tiny" / "rare" / "prepare.log"
    assert "fewer than 3 folds" in log.read_text()
    for name in ("good", "constant"):
        runs = pl.read_parquet(workflow.results / f"tiny/{name}/correlation/runs.parquet")
        assert runs["status"].to_list() == ["ok"] * 3
    # Mended, it is a table like any other.
    csv(tmp_path / "headless.csv", {"a": a, "b": b, "kind": kind})
    workflow.run()
    ledger = pl.read_parquet(workflow.results / "tiny" / "ledger.parquet")
    assert ledger.filter(pl.col("dataset") == "headless")["error"].sum() == 0


# Configuration


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": {"a": {"use": "mrrm"}}}, "methods.a: unknown method 'mrrm'; did you mean"),
        ({"datasets": "own"}, "config.yaml names none. Add for example"),
    ],
    ids=["method", "own"],
)
def test_bad_studies_are_refused_at_once(tmp_path, change, message):
    workflow = Workflow(tmp_path, tiny=changed(STUDY, **change))
    assert message in workflow.refused("--dry-run")
    assert not workflow.results.exists()


@pytest.mark.slow
def test_missing_table_is_named(tmp_path):
    config = changed(CONFIG, datasets={"mine": {"path": "nowhere.csv", "target": "kind"}})
    workflow = Workflow(tmp_path, config=config, tiny=changed(STUDY, datasets=["mine"]))
    # Snakemake would take a report whose sources are missing for up to date.
    page = workflow.results / "report" / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("of an earlier run")
    assert "nowhere.csv: no such file (datasets.mine.path)" in workflow.refused("--dry-run")
    page.unlink()
    workflow.study("tiny", changed(STUDY, datasets=["wine", "mine"]))
    assert "table mine" in workflow.planned()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit(3)", "cannot be imported: SystemExit"),
        ("1 / 0", "cannot be imported: ZeroDivisionError"),
        ("def Mine(): pass", "a function that does not take a table"),
        ("class Mine: pass", "has no class 'Mine' with a `fit`"),
        ("class Mined:\n def fit(self, X, y): pass", "did you mean 'Mined'"),
        ("def", "cannot be imported: SyntaxError"),
    ],
)
def test_own_files_that_are_no_method(tmp_path, monkeypatch, code, message):
    monkeypatch.chdir(tmp_path)
    study = changed(STUDY, methods={"mine": {"use": "mine.py:Mine"}})
    Workflow(tmp_path, tiny=study)
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(Exception, match=message) as refused:
        load_config(CONFIG, folders=[tmp_path]).study("tiny")
    assert type(refused.value).__name__ == "ConfigError"


# Methods

OWN = """
import os, sys
import numpy as np

class Base:
    def get_params(self, deep=True): return {}
    def set_params(self, **params): return self

class Nan(Base):
    def fit(self, X, y):
        self.scores_ = np.full(X.shape[1], np.nan)
        return self

class Twice(Base):
    def fit(self, X, y):
        self.order_ = [0, 1, 1]
        return self

class Outside(Base):
    def fit(self, X, y):
        self.order_ = [0, X.shape[1]]
        return self

class Few(Base):
    def fit(self, X, y):
        self.feature_importances_ = [0.5]
        return self

class Nothing(Base):
    def fit(self, X, y):
        self.support_ = np.zeros(X.shape[1], bool)
        return self

class Silent(Base):
    def fit(self, X, y): return self

class Exits(Base):
    def fit(self, X, y): sys.exit(0)

class Vanishes(Base):
    def fit(self, X, y): os._exit(0)

class Dies(Base):
    def fit(self, X, y): os.kill(os.getpid(), 11)

class Noisy(Base):
    def fit(self, X, y):
        print("\\x00\\xff garbage" * 1000, flush=True)
        os.write(2, bytes(range(256)) * 100)
        self.order_ = [2, 0]
        return self

class Vandal(Base):
    def fit(self, X, y):
        X[:] = np.nan
        y[:] = 0
        self.order_ = [1]
        return self
"""
REASONS = {
    "Nan": "Nan.scores_ holds no number",
    "Twice": "Twice.order_ names a column twice",
    "Outside": "Outside.order_ has columns outside 0..12: 0, 13",
    "Few": "Few.feature_importances_ has shape (1,), expected one value per column (13,)",
    "Nothing": "selected no feature",
    "Silent": "Silent exposes none of order_",
    "Exits": "SystemExit: 0",
    "Vanishes": "process ended with code 0 and no result",
    "Dies": "killed by SIGSEGV",
}


class Stages:
    """The files of a small study, made by its real stages."""

    def __init__(self, folder, data: Dataset, steps=("minmax",)):
        self.folder, self.steps = folder, list(steps)
        self.files = [str(folder / f"{n}.parquet") for n in ("table", "splits", "-".join(steps))]
        table, splits, prepared = self.files
        write_table(data, table)
        scheme = {
            "scheme": "holdout",
            "test": 0.3,
            "repeats": 1,
            "stratified": True,
            "most_rows": None,
        }
        write_splits(table, splits, dataset=data.name, scheme=scheme, seed=1, final=True)
        write_fitted(table, splits, prepared, steps=self.steps)

    def select(self, uses: dict[str, str], log=None) -> pl.DataFrame:
        common = {"role": "competitor", "params": {}, "preparation": self.steps}
        variants = [
            {"name": n, "entry": n, "seed_name": n, "use": use, **common} for n, use in uses.items()
        ]
        out = str(self.folder / "batch.parquet")
        job = Job("study", "mine", "entry", variants, "holdout", 1, "code")
        limits = {"seconds": 20, "memory_mb": 500}
        table, splits, prepared = self.files
        select_batch(
            *(table, splits, [prepared], out),
            **{"job": job, "batch": None, "limits": limits, "workers": 2, "log": log},
        )
        return read(out, "batch")


def test_misbehaving_methods_harm_nobody_else(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    stages = Stages(tmp_path, load("wine"))
    alone = stages.select({"good": "correlation"})
    (tmp_path / "batch.parquet").unlink()
    own = {name: f"own.py:{name}" for name in [*REASONS, "Noisy", "Vandal"]}
    rows = stages.select({"before": "correlation", **own, "good": "correlation"}, log="log.txt")
    for name, reason in REASONS.items():
        cell = rows.filter(pl.col("method") == name)
        assert cell["status"].to_list() == ["error"] * 2, name
        assert reason in cell["reason"][0], name
        assert cell["feature"].list.len().to_list() == [0, 0]
    for name, order in (("Noisy", [2, 0]), ("Vandal", [1])):
        cell = rows.filter(pl.col("method") == name)
        assert cell["status"].to_list() == ["ok"] * 2
        assert cell["feature"][0].to_list() == order
    assert "garbage" not in capfd.readouterr().out
    results = ["split", "status", "feature", "score", "selected", "seed"]
    good = rows.filter(pl.col("method") == "good").select(results)
    assert good.equals(alone.select(results))


# Training rows only

RANKING = {
    **{name: name for name in ("correlation", "bw_ratio", "signal_to_noise", "irelief", "svm_rfe")},
    "trees": "sklearn.ensemble:ExtraTreesClassifier",
    "best": "sklearn.feature_selection:SelectKBest",
}


@pytest.mark.parametrize("steps", [("minmax",), ("standard",), ("bins5",)], ids="-".join)
def test_what_test_rows_give_away_is_never_seen(tmp_path, steps):
    """A column that tells the class of test rows, and nothing of training rows."""
    y = np.repeat([0, 1], 60)
    X = np.random.default_rng(0).normal(size=(120, 5))
    X[:, :2] += 0.5 * y[:, None]
    names, classes = [*"abcd", "leak"], ["no", "yes"]
    honest = Stages(tmp_path / "honest", Dataset("mine", X, y, names, classes), steps)
    test = read_splits(honest.files[1])[0].test
    leaking = X.copy()
    leaking[test, 4] = 1000.0 * (2 * y[test] - 1)
    leaky = Stages(tmp_path / "leaky", Dataset("mine", leaking, y, names, classes), steps)
    assert (read_splits(leaky.files[1])[0].test == test).all()
    expected, found = honest.select(RANKING), leaky.select(RANKING)
    assert found["status"].unique().to_list() == ["ok"]
    on_split = pl.col("split") == 0
    same = ["method", "feature", "score", "selected"]
    assert found.filter(on_split).select(same).equals(expected.filter(on_split).select(same))
    assert not (found.filter(on_split)["feature"].list.first() == 4).any()
    # The refit sees all rows: there the leak is plain to see, so the test can tell.
    refit = found.filter(~on_split)
    assert refit["feature"].list.first().to_list().count(4) >= 5


# Files between stages


def damaged(path, kind: str) -> None:
    """Damage a parquet file in one of the ways of the world."""
    whole = path.read_bytes()
    if kind == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "text":
        path.write_bytes(b"split,status\n0,ok\n")
    else:
        frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
        metadata.pop("ARROW:schema", None)
        if kind == "value":
            number = next(n for n, t in frame.schema.items() if t.is_numeric())
            frame = frame.with_columns(pl.col(number) + 1)
        elif kind == "rows":
            frame = frame.head(-1)
        elif kind == "column":
            frame = frame.rename({frame.columns[0]: "other"})
        elif kind == "metadata":
            key = "fslib.dataset"
            metadata[key] = metadata[key].replace('"alcohol"', '"water"')
        frame.write_parquet(path, metadata=metadata)


KINDS = ["truncated", "empty", "text", "value", "rows", "column"]


@pytest.mark.parametrize("kind", [*KINDS, "metadata"])
def test_damaged_tables_are_refused(tmp_path, kind):
    path = tmp_path / "table.parquet"
    write_table(load("wine"), path)
    damaged(path, kind)
    with pytest.raises(ArtefactError, match=r"table\.parquet .*Delete it to have it made again"):
        read_table(path)


def test_files_of_another_kind_are_refused(tmp_path):
    stages = Stages(tmp_path, load("wine"))
    with pytest.raises(ArtefactError, match=r"splits\.parquet is not a batch file: it has columns"):
        read(stages.files[1], "batch")
    with pytest.raises(ArtefactError, match=r"splits\.parquet is not a data set table"):
        read_table(stages.files[1])
    with pytest.raises(ArtefactError, match="does not exist"):
        read_any(tmp_path / "none.parquet")


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_batch_is_made_again(tmp_path, kind):
    """Its rows could be kept if it were whole: none of a damaged file's are."""
    stages = Stages(tmp_path, load("wine"))
    first = stages.select({"good": "correlation", "random": "random_ranking"})
    kept = stages.select({"good": "correlation", "random": "random_ranking"})
    assert kept.equals(first)
    damaged(tmp_path / "batch.parquet", kind)
    again = stages.select({"good": "correlation", "random": "random_ranking"})
    timings = ["wall_seconds", "cpu_seconds", "peak_mb"]
    assert again.drop(timings).equals(first.drop(timings))
    assert not again.equals(first)


def test_damage_in_the_cache_is_refused_by_name_and_mended_by_deleting(finished):
    batch = finished.results / "tiny" / "wine" / "shared" / "batch-0.parquet"
    ledger = finished.results / "tiny" / "ledger.parquet"
    damaged(batch, "value")
    damaged(ledger, "truncated")
    accuracy = "results/tiny/wine/shared/accuracy.parquet"
    said = finished.refused(accuracy)
    assert "error: results/tiny/wine/shared/batch-0.parquet was changed after it was" in said
    status = finished.fslib("status")
    assert status.returncode == 2
    assert "ledger.parquet cannot be read as parquet" in status.stdout
    assert "Traceback" not in status.stdout
    batch.unlink()
    ledger.unlink()
    said = finished.run(
        "results/tiny/wine/shared/batch-0.parquet", "results/tiny/ledger.parquet", cores=4
    )
    assert re.search(r"^select +1$", said, re.MULTILINE)
    assert "tiny: 10 ok" in said
    finished.run(cores=4)


# Disks


@pytest.fixture
def mounted():
    """Mount a small file system of memory somewhere; modes do not bind for root, mounts do."""
    libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    mounts = []

    def mount(path, options: str, flags: int = 0) -> None:
        if libc.mount(b"fslib", os.fsencode(path), b"tmpfs", flags, options.encode()):
            pytest.skip(f"cannot mount here: {os.strerror(ctypes.get_errno())}")
        mounts.append(path)

    yield mount
    for path in set(mounts):
        libc.umount2(os.fsencode(path), 2)


READ_ONLY, REMOUNT = 1, 32


@pytest.mark.slow
def test_read_only_output_is_refused(tmp_path, mounted):
    workflow = Workflow(tmp_path)
    workflow.results.mkdir()
    mounted(workflow.results, "size=1m", READ_ONLY)
    assert "Read-only file system" in workflow.refused()


@pytest.mark.slow
def test_full_disk_is_said_and_nothing_half_written(tmp_path, mounted):
    workflow = Workflow(tmp_path)
    workflow.results.mkdir()
    mounted(workflow.results, "size=24k")
    said = workflow.refused("results/tiny/wine/splits.parquet")
    assert "No space left on device" in said
    for path in workflow.results.rglob("*.parquet"):
        read_any(path)  # whole, or not there
    assert not list(workflow.results.rglob("*.tmp"))
    mounted(workflow.results, "size=10m", REMOUNT)
    workflow.run("results/tiny/wine/splits.parquet")
    assert (workflow.results / "tiny" / "wine" / "splits.parquet").exists()


@pytest.mark.slow
def test_what_is_not_asked_for_may_have_a_mistake(tmp_path):
    config = changed(CONFIG, studies=["broken"], methods={"odd": {"use": "no_such_file.py:Odd"}})
    broken = changed(STUDY, own_methods=True)
    workflow = Workflow(tmp_path, config=config, tiny=STUDY, broken=broken)
    assert "select tiny/wine/shared/0" in workflow.planned("tiny")
    said = workflow.refused()
    assert "config.yaml: methods.odd: method file" in said
    assert "studies/broken.yaml" not in said


@pytest.mark.slow
def test_a_mistyped_target_names_the_nearest(tmp_path):
    assert "unknown target 'tny'; did you mean 'tiny'?" in Workflow(tmp_path).refused("tny")
