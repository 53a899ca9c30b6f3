"""What a short job costs on SLURM: by itself, in a group of Snakemake's, and in a job that shares.

A small study on a throw-away SLURM of two nodes with two CPUs each (root), whole for each way. Its
methods are in a file of their own, so that nobody knows that they are cheap and each has jobs of
its own, 18 on the cluster; where they share, the same methods are asked for by their names.
Snakemake's `cores` does not restrict a cluster; it is how many CPUs the jobs of one group may use
at a time.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml
from whole_runs import PROJECT, job_costs

sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT / "tests" / "rules")]

STUDY = {
    "title": "Short jobs",
    "datasets": ["wine", "amfes_quick"],
    "prepare": {"continuous": ["minmax"], "discrete": ["bins5"], "evaluation": ["standard"]},
    "splits": {"scheme": "holdout", "test": 0.3, "repeats": 2},
    "limits": "smoke",
    "evaluate": {"classifiers": ["nb"], "sizes": [1, 3]},
}
METHODS = {"correlation": "Correlation", "bw_ratio": "BWRatio", "cmim": "CMIM", "mrmr": "MRMR"}
SHARING = "shared jobs"


def grouped_by(count: int, *more: str) -> list[str]:
    return ["--groups", "evaluate=evaluate", "--group-components", f"evaluate={count}", *more]


WAYS = {
    "none": [],
    "two, side by side": grouped_by(2),
    "four, side by side": grouped_by(4),
    "four, one after the other": grouped_by(4, "--cores", "1"),
    SHARING: [],
}


def measure(name: str, folder: Path) -> str:
    """One row: what a run took on the nodes."""
    from slurm_cluster import slurm_cluster
    from test_cluster import ON_LOOPBACK

    config = yaml.safe_load((PROJECT / "config.yaml").read_text()) | {"studies": ["short"]}
    (folder / "studies").mkdir(parents=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    methods = {
        method: {"use": method if name == SHARING else f"own.py:{thing}"}
        for method, thing in METHODS.items()
    }
    (folder / "studies" / "short.yaml").write_text(yaml.safe_dump({**STUDY, "methods": methods}))
    (folder / "own.py").write_text(
        "".join(f"from fslib.methods.{m} import {thing}\n" for m, thing in METHODS.items())
    )
    (folder / "cluster").mkdir()
    profile = ["--profile", str(PROJECT / "profiles" / "slurm"), *ON_LOOPBACK, *WAYS[name]]
    begin = time.monotonic()
    with slurm_cluster(folder / "cluster" / "slurm") as cluster:
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "--snakefile", PROJECT / "Snakefile", *profile],
            cwd=folder,
            env={**os.environ, **cluster.environment},
            capture_output=True,
            timeout=1800,
        )
        shown = [cluster.call("scontrol", "show", "job", job["id"]) for job in cluster.jobs()]
    took = [re.search(r"RunTime=(\d+):(\d+):(\d+)", text).groups() for text in shown]
    on_nodes = sum(int(h) * 3600 + int(m) * 60 + int(s) for h, m, s in took)
    evaluations = [text for text in shown if "rule_evaluate" in text]
    asked = {
        " ".join(re.findall(r"(?:NumCPUs|TimeLimit|MinMemoryNode)=\S+", text))
        for text in evaluations
    }
    rules = ("select", "evaluate", "compare", "figures")
    scripts = [j["s"] for rule in rules for j in job_costs(folder / "results").get(rule, [])]
    beside = (on_nodes - sum(scripts)) / max(len(scripts), 1)
    ended = "done" if done.returncode == 0 else "**failed**"
    return (
        f"| {name} | {ended}, {time.monotonic() - begin:.0f} s | {len(shown)} | {len(scripts)} | "
        f"{' or '.join(sorted(asked))} | {on_nodes} s | {beside:.0f} s | "
        f"{os.getloadavg()[0]:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ways", nargs="*", default=list(WAYS), help=f"of {list(WAYS)}")
    print(
        "| evaluations | run | SLURM jobs | jobs done | one asks for | on nodes | "
        "beside its script, per job | load |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in parser.parse_args().ways:
        with tempfile.TemporaryDirectory() as folder:
            print(measure(name, Path(folder) / "run"), flush=True)


if __name__ == "__main__":
    main()
