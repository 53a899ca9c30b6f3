"""The report stage: tables become figures, and figures and tables one page."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from fslib.artefacts import atomic_path, read_all, read_any
from fslib.data.tables import read_table
from fslib.evaluate.names import FILES
from fslib.report.page import render

VERSIONS = ("fslib", "snakemake", "numpy", "scipy", "scikit-learn", "polars", "numexpr")


def write_figures(inputs: Mapping[str, Sequence[str]], out: str, *, study: dict) -> None:
    """Draw the figures of a study into a folder, one SVG each."""
    from fslib.report.figures import figures
    from fslib.report.style import svg_text

    frames = {name: read_all(inputs[name], name) for name in FILES}
    tables = _tables(inputs["tables"])
    with atomic_path(out) as temporary:
        temporary.mkdir()
        for name, figure in figures(tables, frames, study=study).items():
            (temporary / f"{name}.svg").write_text(svg_text(figure, name), encoding="utf-8")


def write_report(
    tables: Sequence[str],
    figures: Sequence[str],
    data: Sequence[str],
    out: str,
    *,
    studies: list[dict],
    seed: int,
) -> None:
    """Write the page of some studies."""
    notes = {}
    for path in data:
        about = read_table(path)
        notes[about.name] = {k: about.metadata.get(k, "") for k in ("title", "differences")}
    shown = [
        {
            **study,
            "tables": _tables(p for p in tables if _study_of(p) == study["name"]),
            "figures": {
                p.stem: p.read_text(encoding="utf-8")
                for folder in figures
                if Path(folder).parts[-2] == study["name"]
                for p in sorted(Path(folder).glob("*.svg"))
            },
            "data": {name: notes[name] for name in study["datasets"]},
        }
        for study in studies
    ]
    with atomic_path(out) as temporary:
        temporary.write_text(render(shown, stamp(seed)), encoding="utf-8")


def stamp(seed: int) -> dict[str, str]:
    """What was run, where and when; the only part of a report that differs between equal runs."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "seed": str(seed),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "versions": ", ".join(f"{name} {metadata.version(name)}" for name in VERSIONS),
    }


def _commit() -> str:
    project = Path(__file__).resolve().parents[2]
    try:
        found = subprocess.run(
            ["git", "-C", project, "describe", "--always", "--dirty"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return found.stdout.strip()


def _study_of(table: str) -> str:
    path = Path(table)
    return path.parent.name if path.stem == "ledger" else path.parent.parent.name


def _tables(paths) -> dict:
    return {Path(path).stem: read_any(path) for path in paths}
