"""A search that is too long for one job is done in several, with the results of one."""

from __future__ import annotations

import pytest
from workflow import STUDY, Workflow, changed, copy_of_project

pytestmark = pytest.mark.slow

DAF = {"use": "daf", "criterion": "nb", "n_probes": 80, "seed": "daf"}
LONG = changed(
    STUDY,
    splits={"scheme": "holdout", "test": 0.3, "repeats": 1},
    methods={"daf": DAF | {"variants": {"daf0": {"variant": 0}, "half": {"n_probes": 40}}}},
)
#: What the project takes for long and for short; here everything is long and nothing short.
EDITED = {"LONGEST_SEARCH = 1800.0": "LONGEST_SEARCH = 1e-4", "\nSHORT = 16.0": "\nSHORT = 0.001"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The project with searches that are cut into stretches of 32 probes."""
    folder = copy_of_project(tmp_path_factory.mktemp("stretches") / "project")
    batches = folder / "fslib" / "config" / "batches.py"
    text = batches.read_text()
    for usual, short in EDITED.items():
        assert text.count(usual) == 1
        text = text.replace(usual, short)
    batches.write_text(text)
    return folder


def test_stretches_are_jobs_and_an_interrupted_one_is_all_that_is_lost(project, tmp_path):
    cut, whole = (
        Workflow(tmp_path / "cut", project, tiny=LONG),
        Workflow(tmp_path / "whole", tiny=LONG),
    )
    batch = "results/tiny/wine/daf/batch-0.parquet"

    def planned():
        return [job for job in cut.planned(batch) if job.startswith(("probe", "select"))]

    jobs = ["probe tiny/wine/daf/0/0/32", "probe tiny/wine/daf/0/32/64"]
    jobs += ["probe tiny/wine/daf/0/64/80", "select tiny/wine/daf/0"]
    assert planned() == jobs
    cut.run(batch)
    whole.run("results/tiny/wine/shared/batch-0.parquet")
    (rows,) = cut.frames("tiny/wine/daf/batch-0.parquet").values()
    (expected,) = whole.frames("tiny/wine/shared/batch-0.parquet").values()
    # The two constants are code: the fingerprints differ, and nothing else.
    assert rows.drop("fingerprint").equals(expected.drop("fingerprint"))
    assert "tiny: probes 3 of 3, select 2 of 2" in cut.fslib("status").stdout
    # What an interrupted run leaves: some stretches, and no batch.
    for lost in ("probes-0-32-64.parquet", "batch-0.parquet"):
        (cut.results / "tiny" / "wine" / "daf" / lost).unlink()
    assert planned() == jobs[1::2]
