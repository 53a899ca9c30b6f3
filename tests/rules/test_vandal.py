"""A method that damages what others have made costs itself, not the report."""

import polars as pl
import pytest
from workflow import STUDY, Workflow, changed

from fslib.run.sandbox import View

pytestmark = pytest.mark.slow

#: Waits until another method is done, then goes for everybody's files.
VANDAL = """
import os, shutil, time
from pathlib import Path

import numpy as np


class Vandal:
    def __init__(self, quiet=False):
        self.quiet = quiet

    def get_params(self, deep=True):
        return {"quiet": self.quiet}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        deadline = time.monotonic() + 60
        while not Path("results/tiny/wine/shared/batch-0.parquet").exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        shutil.rmtree("results/data", ignore_errors=self.quiet)
        for file in Path("results").rglob("*.parquet"):
            try:
                file.write_bytes(b"vandal was here")
            except OSError:
                if not self.quiet:
                    raise
        shutil.rmtree(".snakemake", ignore_errors=self.quiet)
        self.scores_ = np.ones(X.shape[1])
        return self
"""


def test_the_report_of_the_others_is_made(tmp_path):
    try:
        View().close()
    except OSError as problem:
        pytest.skip(f"this kernel gives fits no view of their own: {problem}")
    vandals = {
        name: {"use": "vandal.py:Vandal", "quiet": name == "quiet"} for name in ("loud", "quiet")
    }
    study = changed(STUDY, methods={"good": {"use": "correlation"}, **vandals})
    workflow = Workflow(tmp_path, tiny=study)
    (tmp_path / "vandal.py").write_text(VANDAL)
    said = workflow.run(cores=4)  # the vandals wait for the good one to have results
    assert "tiny: 4 ok, 2 error" in said
    ledger = pl.read_parquet(workflow.results / "tiny" / "ledger.parquet")
    reasons = dict(ledger.select("method", "reason").rows())
    assert "Read-only file system" in reasons["loud"]
    assert reasons["good"] == reasons["quiet"] == ""
    page = (workflow.results / "report" / "index.html").read_text()
    assert "correlation" in page
    assert "Read-only file system" in page
    assert workflow.planned() == []
