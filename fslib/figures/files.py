"""Figures on disk: a folder of SVG files, and beside it a list with their captions and hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from fslib.run.artefacts import ArtefactError, atomic_path


@dataclass(frozen=True)
class Picture:
    """A figure as it is on disk and on a page."""

    name: str
    svg: str
    caption: str
    section: str
    """The part of a page it belongs to."""
    dataset: str = ""
    """The data set it shows, where it shows one."""


def write_pictures(pictures: Iterable[Picture], folder: str, listing: str) -> None:
    """Write the figures as SVG into a folder that appears as a whole, and list them in order.

    Snakemake takes checksums of files, not of folders: later rules depend on the list, which has a
    hash of every figure.
    """
    listed = {}
    with atomic_path(folder) as temporary:
        temporary.mkdir()
        for facts in map(asdict, pictures):
            name, svg = facts.pop("name"), facts.pop("svg").encode()
            (temporary / f"{name}.svg").write_bytes(svg)
            listed[name] = {**facts, "sha256": hashlib.sha256(svg).hexdigest()}
    with atomic_path(listing) as temporary:
        temporary.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read_pictures(listing: str | Path) -> list[Picture]:
    """The figures of a list, from the folder of its name beside it."""
    found = []
    for name, facts in json.loads(Path(listing).read_text("utf-8")).items():
        path = Path(listing).with_suffix("") / f"{name}.svg"
        svg = path.read_bytes()
        if hashlib.sha256(svg).hexdigest() != facts.pop("sha256"):
            raise ArtefactError(
                f"{path} was changed after it was drawn. Delete {listing} to have it redrawn."
            )
        found.append(Picture(name, svg.decode(), **facts))
    return found
