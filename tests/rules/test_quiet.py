"""Quiet where nothing is wrong: a summary for a plan, a line a job for a run."""

from __future__ import annotations

import re

import pytest
from workflow import PROJECT, Workflow

pytestmark = pytest.mark.slow


def test_a_dry_run_of_a_large_study_is_a_summary():
    done = Workflow.call_in(PROJECT, "amfes", "--dry-run", "--cores", "1")
    assert done.returncode == 0, done.stdout
    assert re.search(r"^select +\d{2,}$", done.stdout, re.MULTILINE)
    assert len(done.stdout) < 5_000


def test_a_run_prints_a_line_for_each_job(tmp_path):
    workflow = Workflow(tmp_path)
    n_jobs = len(workflow.planned())
    said = workflow.run()
    for number in range(1, n_jobs + 1):
        assert len(re.findall(rf"^{number}/{n_jobs} \w+ \S+ [\d.]+ m?s", said, re.MULTILINE)) == 1
    assert re.search(r"about [\d.]+ (s|min) left", said)
    assert "Select jobs" not in said
