"""What Snakemake is told of each job: its priority and its time, and the warning while planning."""

from __future__ import annotations

import re

import polars as pl
import pytest
from workflow import CONFIG, STUDY, Workflow, changed

pytestmark = pytest.mark.slow

#: One fit may take two hours.
LONG = changed(CONFIG, limits={"tiny": {"seconds": 7200, "memory_mb": 500}})
COSTLY = {
    **{name: {"use": name} for name in ("correlation", "mrmr")},
    "svm_rfe": {"use": "svm_rfe"},
    "babd": {"use": "babd", "kernel": "rbf"},
}


def told(workflow: Workflow, key: str) -> dict[str, str]:
    """One key of every job of a dry run, by its rule and wildcards."""
    done = workflow.snakemake("--dry-run", "--cores", "1", "--quiet", "host")
    assert done.returncode == 0, done.stdout
    found = {}
    for block in re.split(r"\n(?=(?:local)?rule )", done.stdout)[1:]:
        rule = re.match(r"(?:local)?rule (\w+):", block)[1]
        said = dict(re.findall(r"^    (\w+): (.*)$", block, re.MULTILINE))
        found[f"{rule} {said.get('wildcards', '')}"] = said.get(key, "")
    return found


def test_long_jobs_are_told_to_start_first_and_tables_before_them(tmp_path):
    splits = {"scheme": "holdout", "test": 0.3, "repeats": 20}  # so that one is no longer cheap
    study = changed(STUDY, datasets=["digits"], methods=COSTLY, splits=splits)
    told_to = told(Workflow(tmp_path, tiny=study), "priority")
    of = {job: int(priority or 0) for job, priority in told_to.items()}

    def first(start: str) -> int:
        return max(p for job, p in of.items() if job.startswith(start) and "=babd" not in job)

    rfe = [p for job, p in of.items() if job.startswith("select") and "entry=svm_rfe" in job]
    cheap = [p for job, p in of.items() if job.startswith("select") and "entry=shared" in job]
    assert min(rfe) > max(cheap)
    assert first("table") == first("prepare") > first("select")


def test_a_request_is_for_the_splits_of_the_job_within_the_cap(tmp_path):
    asked = told(Workflow(tmp_path, config=LONG), "resources")
    minutes = {
        job: int(re.search(r"runtime=(\d+)", text)[1])
        for job, text in asked.items()
        if job.startswith("select")
    }
    # Three fits on two splits, though a batch may have ten.
    assert set(minutes.values()) == {5 + 3 * 2 * 120}


def test_planning_warns_once_where_one_fit_exceeds_the_cap(tmp_path):
    workflow = Workflow(tmp_path, config=LONG, tiny=changed(STUDY, job_minutes=60))
    done = workflow.snakemake("--dry-run", "--cores", "1")
    warned = [line for line in done.stdout.splitlines() if "fslib: warning" in line]
    assert len(warned) == 1
    assert "tiny: select jobs ask for 125 minutes, more than job_minutes: 60" in warned[0]
    workflow.study("tiny", changed(STUDY, job_minutes=125))
    assert "fslib: warning" not in workflow.snakemake("--dry-run", "--cores", "1").stdout


def test_a_batch_that_is_no_longer_cut_so_is_not_tried_again(tmp_path):
    failing = changed(STUDY, methods={"bad": {"use": "bad.py:Bad"}}, batch=1)
    workflow = Workflow(tmp_path, tiny=failing)
    (tmp_path / "bad.py").write_text("def Bad(X, y):\n    raise ValueError('no')\n")
    workflow.run()
    workflow.study("tiny", changed(failing, batch=2))
    said = workflow.fslib("retry", "--dry-run").stdout
    assert "batch-1.parquet: left alone" in said
    assert "1 cells in 1 jobs" in said


def test_results_do_not_depend_on_how_batches_are_cut(tmp_path):
    both = {name: {"use": name} for name in ("correlation", "cmim")}
    study = changed(STUDY, methods={"both": {"variants": both}})
    whole = Workflow(tmp_path / "whole", config=LONG, tiny=study)
    single = Workflow(tmp_path / "single", config=LONG, tiny=changed(study, job_minutes=130))
    for workflow in (whole, single):
        workflow.run()
    found, expected = (w.frames("tiny/**/*.parquet") for w in (single, whole))
    # A variant on a split each, instead of all in one job.
    assert "tiny/wine/shared/batch-3.parquet" in found
    assert "tiny/wine/shared/batch-1.parquet" not in expected
    for path, frame in expected.items():
        if "batch-" not in path:
            # Only the order of rows may tell.
            assert found[path].sort(pl.all()).equals(frame.sort(pl.all())), path
            if "tables" in path:
                assert found[path].equals(frame), path
