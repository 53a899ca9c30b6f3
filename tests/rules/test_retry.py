"""`fslib retry`: another try for the cells that are not ok, and for nothing else."""

from __future__ import annotations

import re

import polars as pl
import pytest
from workflow import CONFIG, STUDY, Workflow, changed

from fslib.run.artefacts import write

pytestmark = pytest.mark.slow

#: Fails while a file called `broken` lies in the working folder: the code itself never changes.
FLAKY = """
from pathlib import Path
from fslib.methods.correlation import Correlation

class Flaky(Correlation):
    def _rank(self, X, y):
        if Path("broken").exists():
            raise OSError("the licence server does not answer")
        return super()._rank(X, y)
"""


@pytest.fixture(scope="module")
def failed(tmp_path_factory) -> Workflow:
    """A study that config.yaml does not name, with one good and one failed method in a job."""
    methods = {
        "mixed": {"variants": {"good": {"use": "correlation"}, "flaky": {"use": "flaky.py:Flaky"}}}
    }
    study = changed(STUDY, methods=methods)
    workflow = Workflow(tmp_path_factory.mktemp("retry"), tiny=STUDY, other=study)
    (workflow.folder / "flaky.py").write_text(FLAKY)
    (workflow.folder / "broken").touch()
    workflow.run("results/other/ledger.parquet")
    return workflow


def batch(workflow: Workflow) -> pl.DataFrame:
    return pl.read_parquet(workflow.results / "other" / "wine" / "mixed" / "batch-0.parquet")


def test_retry_runs_failed_cells_again_and_keeps_the_others(failed):
    before = batch(failed)
    assert before.group_by("method", "status").len().sort("method").rows() == [
        ("flaky", "error", 2),
        ("good", "ok", 2),
    ]

    listed = failed.fslib("retry", "--dry-run")
    assert listed.returncode == 0
    assert "2 cells in 1 jobs" in listed.stdout
    assert "other: wine × flaky, split 1: error: OSError: the licence server" in listed.stdout
    assert batch(failed).equals(before)

    (failed.folder / "broken").unlink()
    done = failed.fslib("retry", "--cores", "2")
    assert done.returncode == 0, done.stdout
    ran = re.findall(r"^\d+/\d+ (\w+) ", done.stdout, re.MULTILINE)
    assert sorted(set(ran)) == ["compare", "evaluate", "figures", "report", "select"]
    assert ran.count("select") == 1

    after = batch(failed)
    assert after["status"].to_list() == ["ok"] * 4
    # The very same rows, their timings included: those fits were not repeated.
    good = pl.col("method") == "good"
    assert after.filter(good).equals(before.filter(good))
    assert "other: 4 ok" in done.stdout

    again = failed.fslib("retry")
    assert again.returncode == 0
    assert "nothing to run again" in again.stdout


def test_retry_knows_what_studies_want(failed):
    unknown = failed.fslib("retry", "othr")
    assert unknown.returncode == 2
    assert "unknown study 'othr'; did you mean 'other'" in unknown.stdout
    leftover = failed.results / "other" / "wine" / "gone"
    leftover.mkdir()
    rows = batch(failed).with_columns(status=pl.lit("timeout"))

    write(rows, leftover / "batch-0.parquet", "batch")
    said = failed.fslib("retry")
    assert said.returncode == 0
    assert "gone/batch-0.parquet: left alone" in said.stdout
    failed.configure(**changed(CONFIG, studies=["tiny", "othr"]))
    assert failed.fslib("retry").returncode == 2
