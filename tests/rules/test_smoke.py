"""The whole graph on methods that misbehave: the run finishes and says what went wrong."""

import re

import polars as pl
import pytest
import yaml
from workflow import PROJECT, STUDY, Workflow

pytestmark = pytest.mark.slow

CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())
SMOKE = yaml.safe_load((PROJECT / "studies" / "smoke.yaml").read_text())


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    run = Workflow(
        tmp_path_factory.mktemp("smoke"), config={**CONFIG, "studies": ["smoke"]}, smoke=SMOKE
    )
    run.said = run.run()
    return run


def test_bad_cells_are_marked_with_status_and_reason(smoke):
    runs = pl.read_parquet(smoke.results / "smoke" / "*" / "bad" / "runs.parquet")
    assert len(runs) == 2 * 3 * 5
    expected = {
        "crashing": ("error", "ZeroDivisionError: this method always crashes"),
        "hanging": ("timeout", "more than 8 s"),
        # On a busy machine the backstop may strike before the poll sees it.
        "eating": ("out_of_memory", "more than 300 MB|MemoryError"),
        "spawning": ("out_of_memory", "more than 300 MB|MemoryError"),
        "garbage": ("error", "columns outside"),
    }
    for method, (status, reason) in expected.items():
        rows = runs.filter(pl.col("method") == method)
        assert set(rows["status"]) == {status}
        assert all(re.search(reason, said) for said in rows["reason"]), rows["reason"].to_list()


def test_good_cells_are_as_good_as_ever(smoke):
    runs = pl.read_parquet(smoke.results / "smoke" / "*" / "shared" / "runs.parquet")
    assert set(runs["status"]) == {"ok"}
    accuracy = pl.read_parquet(smoke.results / "smoke" / "wine" / "shared" / "accuracy.parquet")
    best = accuracy.group_by("method").agg(pl.col("accuracy").max())
    assert best.filter(pl.col("method") == "correlation")["accuracy"].item() > 0.9


def test_a_person_sees_progress_and_a_summary(smoke):
    assert re.search(r"^\d+/\d+ select smoke/wine/shared/0 \S+ m?s", smoke.said, re.MULTILINE)
    log = smoke.results / "logs" / "smoke" / "wine" / "shared" / "batch-0.log"
    assert re.search(r"^smoke/wine/shared \d+/\d+$", log.read_text(), re.MULTILINE)
    assert "smoke: 18 ok, 6 timeout, 12 out of memory, 12 error" in smoke.said
    assert "report: results/report/index.html" in smoke.said


def test_status_sums_the_logs(smoke):
    said = smoke.fslib("status").stdout
    assert "smoke: select 48 of 48" in said
    assert "under way" not in said
    assert "30 failed" in said


def test_report_names_the_failures(smoke):
    page = (smoke.results / "report" / "index.html").read_text()
    assert "ZeroDivisionError: this method always crashes" in page
    assert "more than 8 s" in page


def test_strict_run_ends_with_an_error_that_names_a_cell(smoke):
    said = smoke.refused("--config", "strict=True")
    assert "strict: 10 of 16 cells are not ok; first: wine × crashing" in said


def test_snakemakes_own_report_works(smoke):
    done = smoke.snakemake("--report", "snakemake-report.html")
    assert done.returncode == 0, done.stdout
    assert (smoke.folder / "snakemake-report.html").stat().st_size > 10_000


def test_nothing_half_written_is_left(smoke):
    assert not [p for p in smoke.results.rglob("*") if p.name.endswith(".tmp")]


def test_a_study_that_continues_another_has_its_report_first(tmp_path):
    """The fast part is reported, then the whole; nothing of the fast part runs twice."""
    more = {"title": "All", "continues": "tiny", "methods": {"jmi": {"use": "jmi"}}}
    workflow = Workflow(tmp_path, tiny=STUDY, whole=more)
    workflow.run("whole")
    pages = workflow.results / "report"
    assert (pages / "tiny.html").stat().st_mtime < (pages / "whole.html").stat().st_mtime
    rows = pl.read_parquet(workflow.results / "whole" / "wine" / "*" / "runs.parquet")
    assert set(rows["method"]) == {"jmi"}
    cost = pl.read_parquet(workflow.results / "whole" / "tables" / "cost.parquet")
    assert set(cost["method"]) == {"correlation", "bw_ratio", "cmim", "jmi"}
