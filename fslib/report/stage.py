"""The report stage: lays out what the stages before it have written."""

from __future__ import annotations

import json
from pathlib import Path

from fslib.data.tables import read_table
from fslib.figures.files import read_pictures
from fslib.report.page import render
from fslib.run.artefacts import atomic_path, read_any, refusal
from fslib.run.layout import Layout
from fslib.run.stamp import stamp


def write_report(
    at: Layout, out: str, *, studies: list[dict], papers: list[str], seed: int
) -> None:
    """Write the page of some studies, and of the study files that have a paper."""
    shown = [
        {
            **study,
            "tables": {name: read_any(path) for name, path in at.tables(study["name"]).items()},
            "figures": read_pictures(at.figures(study["name"])),
            "data": {name: _about(at.table(name)) for name in study["datasets"]},
        }
        for study in studies
    ]
    outcomes = [
        {
            **json.loads(Path(at.outcome(group, "paper.json")).read_text("utf-8")),
            "cells": read_any(at.outcome(group, "cells.parquet")),
            "claims": read_any(at.outcome(group, "claims.parquet")),
            "findings": json.loads(Path(at.outcome(group, "findings.json")).read_text("utf-8")),
            "figures": read_pictures(at.outcome(group, "figures.json")),
        }
        for group in papers
    ]
    with atomic_path(out) as temporary:
        temporary.write_text(render(shown, stamp(seed), outcomes), encoding="utf-8")


def _about(table: str) -> dict[str, str]:
    """What a data set says of itself; nothing of a refused one, whose reason is in the notes."""
    if refusal(table) is not None:
        return {}
    metadata = read_table(table).metadata
    return {key: metadata.get(key, "") for key in ("title", "differences", "citation", "check")}
