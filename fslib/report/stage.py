"""The report stage: tables become figures, and figures and tables one page."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from fslib.artefacts import ArtefactError, atomic_path, read_all, read_any
from fslib.data.tables import read_table
from fslib.evaluate.names import FILES
from fslib.report.page import render

VERSIONS = ("fslib", "snakemake", "numpy", "scipy", "scikit-learn", "polars", "numexpr")


def write_figures(
    inputs: Mapping[str, Sequence[str]], folder: str, hashes: str, *, study: dict
) -> None:
    """Draw the figures of a study into a folder, one SVG each, and list their hashes."""
    from fslib.report.figures import figures

    frames = {name: read_all(inputs[name], name) for name in FILES}
    tables = _tables(inputs["tables"])
    write_drawn(figures(tables, frames, study=study), folder, hashes)


def write_drawn(figures: Mapping, folder: str, hashes: str) -> None:
    """Figures as SVG in a folder that appears as a whole, and the list of their hashes."""
    from fslib.report.style import svg_text

    drawn = {f"{name}.svg": svg_text(figure, name).encode() for name, figure in figures.items()}
    with atomic_path(folder) as temporary:
        temporary.mkdir()
        for name, svg in drawn.items():
            (temporary / name).write_bytes(svg)
    with atomic_path(hashes) as temporary:
        of_files = {name: hashlib.sha256(svg).hexdigest() for name, svg in sorted(drawn.items())}
        temporary.write_text(json.dumps(of_files, indent=1) + "\n")


def write_report(
    tables: Sequence[str],
    figures: Sequence[str],
    reproductions: Sequence[str],
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
            "figures": _figures(next(p for p in figures if _study_of(p) == study["name"])),
            "data": {name: notes[name] for name in study["datasets"]},
        }
        for study in studies
    ]
    folders = dict.fromkeys(Path(path).parent for path in reproductions)
    papers = [
        {
            "cells": read_any(folder / "cells.parquet"),
            "claims": read_any(folder / "claims.parquet"),
            "figures": _figures(folder / "figures.json"),
        }
        for folder in folders
    ]
    with atomic_path(out) as temporary:
        temporary.write_text(render(shown, stamp(seed), papers), encoding="utf-8")


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
    """The commit that runs, marked where files other than kept results differ from it."""
    git = ["git", "-C", Path(__file__).resolve().parents[2]]
    options = {"capture_output": True, "text": True, "timeout": 10}
    try:
        found = subprocess.run([*git, "describe", "--always"], check=True, **options)
        changed = subprocess.run(
            [*git, "diff", "--quiet", "HEAD", "--", ".", ":!reproduced"], **options
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return found.stdout.strip() + "-dirty" * (changed.returncode != 0)


def _study_of(path: str) -> str:
    folder = Path(path).parent
    return folder.parent.name if folder.name == "tables" else folder.name


def _figures(hashes: str) -> dict[str, str]:
    """The figures of a study by name, from the folder beside the list of their hashes."""
    found = {}
    for name, expected in json.loads(Path(hashes).read_text()).items():
        path = Path(hashes).with_suffix("") / name
        svg = path.read_bytes()
        if hashlib.sha256(svg).hexdigest() != expected:
            raise ArtefactError(
                f"{path} was changed after it was drawn. Delete {hashes} to have it redrawn."
            )
        found[path.stem] = svg.decode()
    return found


def _tables(paths) -> dict:
    return {Path(path).stem: read_any(path) for path in paths}
