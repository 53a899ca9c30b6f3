"""How times grow, drawn with the project's own panels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from fslib.figures.panels import line_panels
from fslib.figures.style import drawing, svg_text


def write_growth(
    title: str, lines: Sequence[pl.DataFrame], path: Path, ylabel: str = "CPU seconds"
) -> None:
    """Curves (`fslib.figures.panels.points`) on logarithmic axes, a panel each, as SVG."""
    with drawing():
        figure = line_panels(title, lines, xlabel="", ylabel=ylabel, log="xy")
        path.write_text(svg_text(figure, path.stem), encoding="utf-8")
