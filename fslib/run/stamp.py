"""What was run, where and when."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata

from fslib.run.project import INSTALLED, PROJECT

VERSIONS = ("fslib", "snakemake", "numpy", "scipy", "scikit-learn", "polars", "numexpr")


def stamp(seed: int) -> dict[str, str]:
    """What was run, where and when; the only part of a report that differs between equal runs."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "seed": str(seed),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {metadata.version(name)}" for name in VERSIONS),
    }


def commit() -> str:
    """The commit that runs, marked where files other than kept results differ from it.

    An installed package has no commit: the folder that it lies in may be anybody's repository.
    """
    if INSTALLED:
        return f"release {metadata.version('fslib')}"
    git = ["git", "-C", PROJECT]
    options = {"capture_output": True, "text": True, "timeout": 10}
    try:
        found = subprocess.run([*git, "describe", "--always"], check=True, **options)
        changed = subprocess.run(
            [*git, "diff", "--quiet", "HEAD", "--", ".", ":!fslib/papers/*/outcome*/*"], **options
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return found.stdout.strip() + "-dirty" * (changed.returncode != 0)
