"""The smoke study on a real SLURM of two nodes, with a job cancelled and one over its time."""

from __future__ import annotations

import polars as pl
import pytest
import yaml
from interrupting import PATIENCE, Run
from slurm_cluster import NoSlurmError, slurm_cluster
from workflow import PROJECT, Workflow

pytestmark = pytest.mark.slow

CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text()) | {"studies": ["smoke"]}
#: A queue that may be asked often. That there is no accounting and no account is noticed.
ON_LOOPBACK = [
    *("--slurm-init-seconds-before-status-checks", "2"),
    *("--seconds-between-status-checks", "2"),
]
#: What these do to a machine under load, and so which limit strikes first, is up to the machine.
GREEDY = ("eating", "spawning")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        with slurm_cluster(tmp_path_factory.mktemp("slurm")) as running:
            yield running
    except NoSlurmError as reason:
        pytest.skip(f"no cluster to test on: {reason}")


def comparable(frames: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Result files without the methods whose status is up to the machine."""
    return {
        path: frame.filter(~pl.col("method").is_in(GREEDY)) if "method" in frame.columns else frame
        for path, frame in frames.items()
    }


def test_smoke_study_on_two_nodes(cluster, tmp_path):
    away = Workflow(tmp_path / "away", config=CONFIG)
    here = Workflow(tmp_path / "here", config=CONFIG)

    def jobs(about: str) -> list[dict]:
        return [job for job in cluster.jobs() if job["about"].endswith(about)]

    profile = ("--profile", str(PROJECT / "profiles" / "slurm"), *ON_LOOPBACK)
    with Run(
        away, *profile, stall_at=r"amfes_quick/shared/batch-0\.parquet$", **cluster.environment
    ) as run:
        # One job stands still, its result half written, until SLURM ends it at its time limit.
        run.wait_for()
        stalled = jobs("select_wildcards_smoke_amfes_quick_shared_0")[0]
        cluster.call("scontrol", "update", f"JobId={stalled['id']}", "TimeLimit=1")
        # Another is cancelled.
        cancelled = jobs("select_wildcards_smoke_wine_bad_0")[0]
        cluster.call("scancel", cancelled["id"])
        here.run(cores=1)
        run.process.wait(2 * PATIENCE)
        assert run.process.returncode == 0, run.said
        assert "Trying to restart job" in run.said
        assert run.said.count("SLURM's accounting is off: squeue is asked") == 1

    states = {job["id"]: job["state"] for job in cluster.jobs()}
    assert states.pop(stalled["id"]) == "TIMEOUT"
    assert states.pop(cancelled["id"]) == "CANCELLED"
    assert set(states.values()) == {"COMPLETED"}
    assert len(states) == 10  # twelve with the two that were submitted again
    assert {job["node"] for job in cluster.jobs()} == set(cluster.nodes)
    assert not list(away.results.rglob("*.tmp"))

    # Our own limits come first: a method over them is a row, not a lost job.
    ledger = pl.read_parquet(away.results / "smoke" / "ledger.parquet")
    of = {row["method"]: row for row in ledger.rows(named=True) if row["dataset"] == "wine"}
    assert of["hanging"]["timeout"] == 3
    assert of["crashing"]["error"] == of["garbage"]["error"] == 3
    assert all(of[name]["timeout"] + of[name]["out_of_memory"] == 3 for name in GREEDY)
    assert of["correlation"]["ok"] == 3

    found, expected = comparable(away.frames()), comparable(here.frames())
    assert set(found) == set(expected)
    for path, frame in expected.items():
        assert found[path].equals(frame), path
