"""The report stage: tables become figures, and figures and tables one page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from fslib.data.tables import read_table
from fslib.figures.files import Drawn, read_drawn, write_drawn
from fslib.report.page import render
from fslib.run.artefacts import atomic_path, read_all, read_any
from fslib.run.layout import FILES
from fslib.run.stamp import stamp


def write_figures(
    inputs: Mapping[str, Sequence[str]], folder: str, hashes: str, *, study: dict
) -> None:
    """Draw the figures of a study into a folder, one SVG each, and list their hashes."""
    from fslib.compare.figures import figures

    frames = {name: read_all(inputs[name], name) for name in FILES}
    tables = _tables(inputs["tables"])
    drawn = {name: Drawn(f, "") for name, f in figures(tables, frames, study=study).items()}
    write_drawn(drawn, folder, hashes)


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
            "figures": _pictures(p for p in figures if _study_of(p) == study["name"]),
            "data": {name: notes[name] for name in study["datasets"]},
        }
        for study in studies
    ]
    folders = dict.fromkeys(Path(path).parent for path in reproductions)
    papers = [
        {
            "cells": read_any(folder / "cells.parquet"),
            "claims": read_any(folder / "claims.parquet"),
            "figures": read_drawn(folder / "figures.json"),
            **json.loads((folder / "paper.json").read_text("utf-8")),
        }
        for folder in folders
    ]
    with atomic_path(out) as temporary:
        temporary.write_text(render(shown, stamp(seed), papers), encoding="utf-8")


def _study_of(path: str) -> str:
    folder = Path(path).parent
    return folder.parent.name if folder.name == "tables" else folder.name


def _tables(paths) -> dict:
    return {Path(path).stem: read_any(path) for path in paths}


def _pictures(listings) -> dict[str, str]:
    return {p.name: p.svg for listing in listings for p in read_drawn(listing)}
