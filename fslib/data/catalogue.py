"""What is known about each data set: one YAML file in ``sets/`` per data set.

A file holds the title, citation, terms, files (size, sha256 and where they come from),
the reader with its options, and what a correct load must give. ``like: other`` takes over
every field of another file that is not given anew (a second task on the same raw data);
``copies: 20`` makes ``name01 … name20`` of it (a generator that is drawn again).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import yaml

from fslib.run.spelling import nearest

SETS = Path(__file__).parent / "sets"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Source:
    """An address, and how to get the file out of what it gives."""

    url: str
    unpack: tuple[str, ...] = ()
    """Steps such as ``zip:folder/file``, ``tar:member``, ``Z``, ``gz`` (see `archives`)."""


@dataclass(frozen=True)
class File:
    """A raw file, known by its bytes."""

    name: str
    folder: str
    """Where it is cached, below the cache's top folder."""
    bytes: int | None
    sha256: str | None
    """None where no trustworthy copy was at hand: the load is then checked by content only."""
    also_sha256: tuple[str, ...]
    """Other bytes that are known to hold the same values."""
    mirror: str
    """Where a mirror keeps it, below its top folder."""
    mirror_unpack: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Card:
    """What the registry says of one data set."""

    name: str
    kind: str
    """embedded, generated, download or unavailable."""
    title: str
    citation: str
    licence: str
    reader: str
    options: dict
    files: tuple[File, ...]
    papers: tuple[str, ...]
    n_rows: int
    n_features: int
    classes: dict[str, int]
    """Rows of each class, in the order of the integer codes."""
    missing: int
    fold: dict[str, int] | None
    groups: int | None
    text: bool
    """Whether features are counts of terms, most of them 0."""
    content_sha256: str | None
    """Hash of the values and classes of an embedded set, which has no file to hash."""
    notes: str
    differences: str
    """Where the papers' counts and the public file differ."""
    official: tuple[str, ...]
    """Pages of the originators, for people."""
    family: str
    """The name without its copy number."""
    copies: int


def dataset_names() -> list[str]:
    """Names of all data sets, those known but unavailable included."""
    return list(_families())


def card(name: str) -> Card:
    """The registry's entry for ``name``; no data is loaded.

    >>> card("wine").n_features
    13
    """
    families = _families()
    if name not in families:
        known = [n for n, family in families.items() if n in (family, f"{family}01")]
        raise KeyError(f"unknown data set {name!r}{nearest(name, known)}")
    return _card(name, families[name])


@lru_cache(maxsize=1)
def _families() -> dict[str, str]:
    """Every data set's name with its file's name. Files are searched for `copies`, not parsed."""
    names = {}
    for path in sorted(SETS.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        copies = re.search(r"^copies: (\d+)$", text, re.MULTILINE)
        if copies:
            for number in range(1, int(copies[1]) + 1):
                names[f"{path.stem}{number:02d}"] = path.stem
        else:
            names[path.stem] = path.stem
    return names


def _fields(family: str) -> dict:
    fields = yaml.load((SETS / f"{family}.yaml").read_text(encoding="utf-8"), Loader=_LOADER)
    if "like" in fields:
        # The cache keeps shared raw files in the folder of the data set that is named by `like`.
        fields = {"folder": fields["like"], **_fields(fields.pop("like")), **fields}
    return fields


@cache
def _card(name: str, family: str) -> Card:
    fields = _fields(family)
    folder = fields.pop("folder", family)
    files = tuple(_file(folder, f) for f in fields.pop("files", ()))
    kind = fields.pop("kind", "download")
    rows, columns = fields.pop("shape")
    copies = fields.pop("copies", 1)
    options = dict(fields.pop("options", {}))
    if copies > 1:
        options["copy"] = int(name.removeprefix(family))
    return Card(
        name=name,
        kind=kind,
        title=fields.pop("title"),
        citation=fields.pop("citation"),
        licence=fields.pop("licence"),
        reader=fields.pop("reader", ""),
        options=options,
        files=files,
        papers=tuple(fields.pop("papers", ())),
        n_rows=rows,
        n_features=columns,
        classes={str(k): v for k, v in fields.pop("classes").items()},
        missing=fields.pop("missing", 0),
        fold=fields.pop("fold", None),
        groups=fields.pop("groups", None),
        text=fields.pop("text", False),
        content_sha256=fields.pop("content_sha256", None),
        notes=fields.pop("notes", ""),
        differences=fields.pop("differences", ""),
        official=tuple(fields.pop("official", ())),
        family=family,
        copies=copies,
        **fields,  # a misspelt field is refused here
    )


def _file(folder: str, fields: dict) -> File:
    fields = dict(fields)
    name = fields.pop("name")
    folder = fields.pop("folder", folder)
    mirror = fields.pop("mirror", {"path": name})
    return File(
        name=name,
        folder=folder,
        bytes=fields.pop("bytes", None),
        sha256=fields.pop("sha256"),
        also_sha256=tuple(fields.pop("also_sha256", ())),
        mirror=f"{folder}/{mirror['path']}",
        mirror_unpack=tuple(mirror.get("unpack", ())),
        sources=tuple(Source(s["url"], tuple(s.get("unpack", ()))) for s in fields.pop("sources")),
        **fields,
    )
