"""Real runs of the workflow in folders of their own, for tests that look at it from outside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import yaml

PROJECT = Path(__file__).resolve().parents[1]

CONFIG = {
    "seed": 1,
    "output": "results",
    "studies": ["tiny"],
    "limits": {"tiny": {"seconds": 20, "memory_mb": 500}},
}
#: Cheap, with what a dry run must tell apart: two methods that share a kernel, one that does not.
STUDY = {
    "title": "Tiny",
    "datasets": ["wine"],
    "prepare": {"continuous": ["minmax"], "discrete": ["bins5"], "evaluation": ["standard"]},
    "splits": {"scheme": "holdout", "test": 0.3, "repeats": 2},
    "limits": "tiny",
    "methods": {name: {"use": name} for name in ("correlation", "bw_ratio", "cmim")},
    "evaluate": {"classifiers": ["nb"], "sizes": [1, 3]},
}
#: Columns that hold measurements of the machine rather than results.
TIMINGS = ("wall_seconds", "cpu_seconds", "seconds", "peak_mb")


def changed(base: dict, **keys) -> dict:
    """A copy of a configuration with some of its keys replaced."""
    return {**base, **keys}


def snippet(name: str, page: str = "README.md") -> str:
    """The code block below its name in a page of the project."""
    text = (PROJECT / page).read_text()
    found = re.search(rf"<!-- snippet: {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found, f"{page} has no snippet {name!r}"
    return found[1]


class Workflow:
    """A working folder with its own configuration and studies, run by a project's Snakefile."""

    def __init__(self, folder: Path, project: Path = PROJECT, config=CONFIG, **studies):
        self.folder, self.project = folder, project
        self.results = folder / "results"
        folder.mkdir(parents=True, exist_ok=True)
        self.configure(**config)
        for name, study in (studies or {"tiny": STUDY}).items():
            self.study(name, study)

    def configure(self, **config) -> None:
        (self.folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))

    def study(self, name: str, study: dict) -> None:
        (self.folder / "studies").mkdir(exist_ok=True)
        text = yaml.safe_dump(study, sort_keys=False)
        (self.folder / "studies" / f"{name}.yaml").write_text(text)

    def snakemake(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run Snakemake; what it said on both streams is in ``stdout``."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", self.project / "Snakefile"]
        return self._call([*command, "--directory", self.folder, *arguments], environment)

    @staticmethod
    def call_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
        """Run Snakemake in a project's own folder, as a person in a clone does."""
        command = [sys.executable, "-m", "snakemake", *arguments]
        return subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, *targets: str, cores: int = 2, **environment: str) -> str:
        """A run that has to succeed; what it said."""
        done = self.snakemake(*targets, "--cores", str(cores), **environment)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def refused(self, *targets: str, **environment: str) -> str:
        """A run that has to fail without a traceback; what it said."""
        done = self.snakemake(*targets, "--cores", "1", **environment)
        assert done.returncode != 0, done.stdout
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout

    def planned(self, *targets: str) -> list[str]:
        """Jobs that a run would do now, as ``rule wildcards``, sorted; the target rule apart."""
        done = self.snakemake(*targets, "--dry-run", "--cores", "1", "--quiet", "host")
        assert done.returncode == 0, done.stdout
        blocks = re.split(r"\n(?=(?:local)?rule )", done.stdout)[1:]
        counted = re.search(r"^total\s+(\d+)$", done.stdout, re.MULTILINE)
        assert len(blocks) == (int(counted[1]) if counted else 0), done.stdout
        jobs = []
        for block in blocks:
            rule = re.match(r"(?:local)?rule (\w+):", block)[1]
            wildcards = re.search(r"^    wildcards: (.*)$", block, re.MULTILINE)
            if wildcards:
                values = [pair.partition("=")[2] for pair in wildcards[1].split(", ")]
                jobs.append(f"{rule} {'/'.join(values)}")
        return sorted(jobs)

    def fslib(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        """Run the `fslib` command in the working folder."""
        call = "import sys; from fslib.cli import main; sys.exit(main())"
        environment = {"PYTHONPATH": str(self.project), **environment}
        return self._call([sys.executable, "-c", call, *arguments], environment)

    def _call(self, command, environment) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=600,
        )

    def frames(self, pattern: str = "**/*.parquet") -> dict[str, pl.DataFrame]:
        """Result files by their path below the results, without what only measures the machine."""
        return {
            str(path.relative_to(self.results)): pl.read_parquet(path).drop(TIMINGS, strict=False)
            for path in sorted(self.results.glob(pattern))
        }


def copy_of_project(folder: Path) -> Path:
    """The project as a fresh clone would have it, to be edited."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    return folder
