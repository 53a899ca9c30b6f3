"""Killed or interrupted at any moment, the same command goes on where it was."""

from __future__ import annotations

import hashlib
import os
import signal

import numpy as np
import pytest
import yaml
from interrupting import METHOD, PATIENCE, UNLIMITED, Run, files_of, slow_site
from workflow import STUDY, Workflow, changed, copy_of_project

from fslib.run.artefacts import read_any

pytestmark = pytest.mark.slow

METHODS = {"slow": {"use": "slow.py:Slow"}, "correlation": {"use": "correlation"}}
PREPARE = {"continuous": ["minmax"], "discrete": ["minmax"], "evaluation": ["minmax"]}
SMALL = changed(STUDY, prepare=PREPARE, methods=METHODS)


@pytest.fixture(scope="module")
def site():
    """A server that holds the file of a data set."""
    rng = np.random.default_rng(0)
    rows = [[*(f"{v:.4f}" for v in rng.normal(size=4)), "ab"[i % 2]] for i in range(40)]
    with slow_site("\n".join(map(",".join, rows)).encode()) as here:
        yield here


@pytest.fixture(scope="module")
def project(site, tmp_path_factory):
    """The project with one more data set, which has to be downloaded."""
    folder = copy_of_project(tmp_path_factory.mktemp("interruption") / "project")
    entry = {
        "title": "Served",
        "reader": "readers.text:separated",
        "citation": "none",
        "licence": "none",
        "shape": [40, 4],
        "classes": {"a": 20, "b": 20},
        "files": [
            {
                "name": "served.csv",
                "bytes": len(site.body),
                "sha256": hashlib.sha256(site.body).hexdigest(),
                "sources": [{"url": f"{site.address}/served.csv"}],
            }
        ],
    }
    (folder / "fslib" / "data" / "sets" / "served.yaml").write_text(yaml.safe_dump(entry))
    return folder


def small(folder, project=None) -> Workflow:
    dataset = "served" if project else "wine"
    more = {"project": project} if project else {}
    workflow = Workflow(folder, config=UNLIMITED, **more, tiny=changed(SMALL, datasets=[dataset]))
    (folder / "slow.py").write_text(METHOD)
    return workflow


def test_killed_at_any_moment_the_same_command_goes_on(site, project, tmp_path):
    workflow = small(tmp_path / "killed", project)
    kept = {}

    def check() -> None:
        there = files_of(workflow.results)
        lost = [path for path, writing in kept.items() if there.get(path) != writing]
        assert not lost, f"done again or gone: {lost}"
        for path in there:
            if path.suffix == ".parquet":
                read_any(path)  # refuses half a file
        kept.update(there)

    site.stall = True
    with Run(workflow) as run:
        run.wait_for(site.sent_half.is_set)
    site.stall = False
    check()
    raw = workflow.folder / "data" / "raw"
    assert not list(raw.rglob("*.csv"))

    written = [r"batch-0\.parquet$", r"ledger\.parquet$", "figures$", r"index\.html$"]
    for moment in ["while fitting", *written]:
        with Run(workflow, stall_at=moment) as run:
            run.wait_for()
        check()

    workflow.run()
    there = files_of(workflow.results)
    assert {path: there[path] for path in kept} == kept
    assert not list(workflow.folder.rglob("*.tmp"))
    assert [path.name for path in raw.rglob(".fetching*")] == []
    assert workflow.planned() == []

    undisturbed = small(tmp_path / "undisturbed", project)
    undisturbed.run()
    frames, expected = workflow.frames(), undisturbed.frames()
    assert set(frames) == set(expected)
    for path, frame in expected.items():
        assert frames[path].equals(frame), path


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    return small(tmp_path_factory.mktemp("interrupted"))


@pytest.mark.parametrize("whole_group", [True, False], ids=["ctrl-c", "main process only"])
def test_interrupt_ends_all_processes_at_once(interrupted, whole_group):
    with Run(interrupted, stall_at="while fitting") as run:
        run.wait_for()
        # Snakemake, the job, its worker and the method's own child.
        assert len(run.survivors()) >= 4
        if whole_group:
            os.killpg(run.process.pid, signal.SIGINT)
        else:
            run.process.send_signal(signal.SIGINT)
        run.process.wait(PATIENCE)
        assert not run.survivors()
    assert run.process.returncode != 0
    assert "interrupted" in run.said
    assert "Traceback" not in run.said, run.said
    assert not list(interrupted.results.rglob("slow/*.parquet"))


def test_after_an_interrupt_the_same_command_goes_on(interrupted):
    done = files_of(interrupted.results)
    assert any(path.name == "splits.parquet" for path in done)
    interrupted.run()
    there = files_of(interrupted.results)
    assert {path: there[path] for path in done} == done
    assert (interrupted.results / "report" / "index.html").exists()
