"""What a running study prints: a line a job, the time that is left, nothing else."""

import logging
from collections import Counter

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from fslib.run import console
from fslib.run.console import Console


def record(event, **facts):
    made = logging.LogRecord("snakemake", logging.INFO, "", 0, "", (), None)
    vars(made).update(event=event, **facts)
    return made


@pytest.fixture
def clock(monkeypatch):
    """Seconds as the test says."""
    now = [0.0]
    monkeypatch.setattr(console.time, "monotonic", lambda: now[0])
    return now


def start(job, rule, **wildcards):
    return record(LogEvent.JOB_INFO, jobid=job, rule_name=rule, wildcards=wildcards)


def test_a_line_for_each_job_with_what_is_left(clock, capsys):
    said = Console(Counter(select=4, report=1))
    for job in (1, 2):
        said.emit(start(job, "select", study="tiny", dataset="wine", entry="mrmr", batch=str(job)))
    clock[0] = 10.0
    for job in (1, 2):
        said.emit(record(LogEvent.JOB_FINISHED, job_id=job))
    # Two more of ten seconds and one of the usual ten, two at a time.
    first, second = capsys.readouterr().err.splitlines()
    assert first == "1/5 select tiny/wine/mrmr/1 10 s, about 40 s left"
    assert second == "2/5 select tiny/wine/mrmr/2 10 s, about 15 s left"


def test_targets_are_no_jobs_and_failures_name_the_log(clock, capsys):
    said = Console(Counter(select=1))
    said.emit(start(1, "quick"))
    said.emit(record(LogEvent.JOB_FINISHED, job_id=1))
    said.emit(start(2, "select", study="tiny"))
    error = {"jobid": 2, "rule_name": "select", "log": ["results/logs/tiny.log"]}
    said.emit(record(LogEvent.JOB_ERROR, **error))
    assert capsys.readouterr().err == "FAILED select tiny: see results/logs/tiny.log\n"


def test_what_is_said_otherwise_is_not_said_twice():
    assert not console._is_news(record(LogEvent.PROGRESS))
    assert not console._is_news(record(LogEvent.JOB_FINISHED))
    assert console._is_news(record(LogEvent.ERROR))
    chatter = record(None)
    chatter.msg = "Select jobs to execute..."
    assert not console._is_news(chatter)
