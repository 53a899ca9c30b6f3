"""Two runs at once: in one output folder they refuse each other, in two they do not meet."""

from __future__ import annotations

import pytest
from interrupting import METHOD, UNLIMITED, Run, files_of
from workflow import STUDY, Workflow, changed

pytestmark = pytest.mark.slow

PREPARE = {"continuous": ["minmax"], "discrete": ["minmax"], "evaluation": ["minmax"]}
SLOW = changed(STUDY, prepare=PREPARE, methods={"slow": {"use": "slow.py:Slow"}})


@pytest.fixture
def workflow(tmp_path):
    (tmp_path / "slow.py").write_text(METHOD)
    return Workflow(tmp_path, config=UNLIMITED, tiny=SLOW)


def test_one_folder_takes_one_run(workflow):
    with Run(workflow, stall_at="while fitting") as first:
        first.wait_for()
        before = files_of(workflow.results)
        said = workflow.refused()
        assert f"results/ is in use by process {first.process.pid} on " in said
        assert "--config output=NAME" in said
        assert files_of(workflow.results) == before
        # Looking is allowed, and so is a second run in the same working folder that writes
        # elsewhere.
        assert "select tiny/wine/slow/0" in workflow.planned()
        done = workflow.snakemake("--cores", "1", "--config", "output=other")
        assert done.returncode == 0, done.stdout
        assert first.process.poll() is None
        assert files_of(workflow.results) == before
    # Killed, the first run leaves no lock behind.
    workflow.run()
    found = workflow.frames()
    workflow.results = workflow.folder / "other"
    expected = workflow.frames()
    assert set(found) == set(expected)
    for path, frame in expected.items():
        assert found[path].equals(frame), path
