"""Figures on disk: a folder of SVG files, and beside it a list with their captions and hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from fslib.figures.style import svg_text
from fslib.run.artefacts import ArtefactError, atomic_path


@dataclass(frozen=True)
class Drawn:
    """A figure with what a reader is told about it."""

    figure: Figure
    caption: str
    section: str = ""
    """The part of a page it belongs to."""
    dataset: str = ""
    """The data set it shows, where it shows one."""


@dataclass(frozen=True)
class Picture:
    """A figure as it was read back."""

    name: str
    svg: str
    caption: str
    section: str
    dataset: str = ""


def write_drawn(figures: Mapping[str, Drawn], folder: str, listing: str) -> None:
    """Write the figures as SVG into a folder that appears as a whole, and list them in order.

    Snakemake takes checksums of files, not of folders: later rules depend on the list, which has a
    hash of every figure.
    """
    drawn = {name: svg_text(d.figure, name).encode() for name, d in figures.items()}
    with atomic_path(folder) as temporary:
        temporary.mkdir()
        for name, svg in drawn.items():
            (temporary / f"{name}.svg").write_bytes(svg)
    with atomic_path(listing) as temporary:
        facts = {
            name: {
                "caption": figures[name].caption,
                "section": figures[name].section,
                "dataset": figures[name].dataset,
                "sha256": hashlib.sha256(svg).hexdigest(),
            }
            for name, svg in drawn.items()
        }
        temporary.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read_drawn(listing: str | Path) -> list[Picture]:
    """The figures of a list, from the folder of its name beside it."""
    folder = Path(listing).with_suffix("")
    found = []
    for name, facts in json.loads(Path(listing).read_text("utf-8")).items():
        path = folder / f"{name}.svg"
        svg = path.read_bytes()
        if hashlib.sha256(svg).hexdigest() != facts.pop("sha256"):
            raise ArtefactError(
                f"{path} was changed after it was drawn. Delete {listing} to have it redrawn."
            )
        found.append(Picture(name, svg.decode(), **facts))
    return found
