"""Jobs in a container: Snakemake starts them in the image that the profile of the manual names."""

from __future__ import annotations

import os

import polars as pl
import pytest
from workflow import Workflow, snippet

pytestmark = pytest.mark.slow

#: In Apptainer's place: writes down what it was asked, and runs the command without any container.
APPTAINER = """#!/bin/sh
[ "$1" = --version ] && echo "apptainer version 1.3.0" && exit
echo "$@" >> {calls}
while [ "$1" != sh ] && [ "$1" != bash ]; do shift; done
exec "$@"
"""


def test_jobs_run_in_the_image_of_the_profile(tmp_path):
    image, calls, programs = tmp_path / "fslib.sif", tmp_path / "calls", tmp_path / "bin"
    image.touch()
    programs.mkdir()
    shown = snippet("profile", "docs/cluster.md")
    profile = tmp_path / "profile" / "config.yaml"
    profile.parent.mkdir()
    profile.write_text(shown.replace("/shared/fslib.sif", str(image)))
    for name in ("apptainer", "singularity"):
        (programs / name).write_text(APPTAINER.format(calls=calls))
        (programs / name).chmod(0o755)
    workflow = Workflow(tmp_path / "run")
    table, method = "results/data/wine/table.parquet", f"--profile={profile.parent}"
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    workflow.run(table, method, PATH=path)
    (job,) = calls.read_text().splitlines()
    assert job.startswith("exec ")
    assert "--bind /shared" in job
    assert str(image) in job
    assert "table.py" in job
    assert pl.read_parquet(workflow.folder / table).height == 178
    assert "Nothing to be done" in workflow.run(table, method, "--dry-run", PATH=path)
