"""A search in stretches: the rows of one fit, at the cost of all stretches; failures are rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from fslib import DAF
from fslib.config.batches import TOGETHER
from fslib.criteria.parallel import CHUNK
from fslib.data.stage import write_dataset
from fslib.prepare.stage import write_fitted
from fslib.run.artefacts import ArtefactError, read
from fslib.select.fits import Job
from fslib.select.probes import probe_stretch
from fslib.select.stage import select_batch
from fslib.split.stage import write_splits

TIMINGS = ["wall_seconds", "cpu_seconds", "peak_mb"]
STRETCHES = ((0, 64), (64, 96), (96, 100))


def variant(name: str, **params) -> dict:
    params = {"criterion": "svm_linear", "max_subset_size": 5, "n_probes": 100, **params}
    facts = {"use": "daf", "preparation": ("minmax",), "role": "competitor", "fingerprint": ""}
    return facts | {
        "name": name,
        "entry": "e",
        "seed_name": "s",
        "params": params,
    }


JOB = Job(
    "mine",
    "wine",
    "e",
    [variant("daf0"), variant("daf2", variant=2), variant("half", n_probes=50)],
    "holdout",
    1,
    "code",
)


class Stages:
    """The select and the probe stage on one split of wine."""

    def __init__(self, folder: Path):
        self.folder = folder
        table, splits = str(folder / "table.parquet"), str(folder / "splits.parquet")
        prepared = str(folder / "minmax.parquet")
        write_dataset("wine", table, own={}, data={"offline": True})
        scheme = {"scheme": "holdout", "repeats": 2, "test": 0.3, "stratified": True}
        scheme |= {"most_rows": None}
        write_splits(table, splits, dataset="wine", scheme=scheme, seed=1, final=False)
        write_fitted(table, splits, prepared, steps=["minmax"])
        self.read = table, splits, [prepared]
        self.limits = {"seconds": 60, "memory_mb": 1000}

    def probe(self, first: int, end: int, job: Job = JOB) -> str:
        out = str(self.folder / f"probes-0-{first}-{end}.parquet")
        how = {"limits": self.limits, "log": None, "job": job, "split": 1}
        probe_stretch(*self.read, out, first=first, end=end, **how)
        return out

    def select(self, name: str, probes=(), job: Job = JOB) -> pl.DataFrame:
        out = str(self.folder / f"{name}.parquet")
        how = {"limits": self.limits, "workers": 1, "log": None, "job": job, "batch": [1]}
        select_batch(*self.read, out, probes=probes, **how)
        return read(out, "batch")


@pytest.fixture(scope="module")
def stages(tmp_path_factory) -> Stages:
    return Stages(tmp_path_factory.mktemp("stages"))


@pytest.fixture(scope="module")
def probes(stages) -> list[str]:
    """Every stretch, the last one first."""
    return [stages.probe(*stretch) for stretch in reversed(STRETCHES)]


def test_stretches_begin_where_probes_are_not_evaluated_together():
    assert TOGETHER == CHUNK


def test_rows_are_those_of_one_fit(stages, probes):
    whole = stages.select("whole")
    assert whole["status"].to_list() == ["ok"] * 3
    assert whole["value"].list.first().to_list() == [100, 100, 50]
    joined = stages.select("joined", probes)
    assert joined.drop(TIMINGS).equals(whole.drop(TIMINGS))
    spent = sum(read(path, "probes")["cpu_seconds"].sum() for path in probes)
    assert joined["cpu_seconds"].min() > spent > 0


def test_a_stretch_that_is_there_is_kept_also_for_another_variant(stages, probes):
    before = read(probes[1], "probes")
    stages.probe(64, 96)
    assert read(probes[1], "probes").equals(before)  # its timings too: nothing was evaluated
    more = replace(JOB, variants=[variant("daf1", variant=1), *JOB.variants])
    stages.probe(64, 96, more)
    assert read(probes[1], "probes").equals(before)
    assert stages.select("more", probes, more)["status"].to_list() == ["ok"] * 4


def test_probes_of_another_search_are_refused(stages, probes):
    other = replace(JOB, variants=[variant("daf0", max_subset_size=4)])
    with pytest.raises(ArtefactError, match="probes of another search"):
        stages.select("other", probes, other)
    with pytest.raises(ArtefactError, match="probes of another search"):
        stages.select("code", probes, replace(JOB, code="changed"))


def test_a_criterion_of_ones_own_is_the_same_in_every_process(stages, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "def separation(X, y):\n    return float(abs(X[y == 0].mean() - X[y == 1].mean()))\n"
    (tmp_path / "mine.py").write_text(text)
    own = variant("own", criterion={"use": "mine.py:separation"})
    job = replace(JOB, variants=[own])
    marks = {
        read(stages.probe(first, 100, job), "probes")["fingerprint"].item() for first in (0, 96)
    }
    assert len(marks) == 1
    rows = stages.select("own", [stages.probe(*stretch, job) for stretch in STRETCHES], job)
    assert rows["status"].to_list() == ["ok"]


def test_a_failed_stretch_is_the_row_of_its_search_until_it_is_tried_again(stages, monkeypatch):
    job = replace(JOB, variants=[variant("weak", criterion_params={"C": 0.001})])
    good = [stages.probe(*stretch, job) for stretch in STRETCHES[:2]]
    with monkeypatch.context() as broken:
        broken.setattr(DAF, "probe_values", lambda *a: 1 / 0)
        bad = stages.probe(*STRETCHES[2], job)
    row = stages.select("failed", [*good, bad], job).row(0, named=True)
    assert row["status"] == "error"
    assert row["reason"] == "probes 96 to 100: ZeroDivisionError: division by zero"
    again = stages.probe(*STRETCHES[2], job)
    assert stages.select("failed", [*good, again], job)["status"].to_list() == ["ok"]
