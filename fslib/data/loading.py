"""From a name to a checked data set."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np

from fslib.data.catalogue import Card, card
from fslib.data.dataset import Dataset, unique_names
from fslib.data.errors import DataError
from fslib.data.fetching import Fetched, Places, obtain
from fslib.data.raw import Raw


def load(name: str, *, mirror=None, offline=None, cache=None) -> Dataset:
    """The data set called ``name``, fetched if needed and checked against the registry.

    Raw files come from the cache, then the mirror, then the registry's addresses. The cache
    is ``cache``, else the environment's FSLIB_DATA, else ``data/raw``; ``mirror`` (a folder
    or an address) and ``offline`` fall back to FSLIB_MIRROR and FSLIB_OFFLINE.

    >>> d = load("lucas_generated")
    >>> d.X.shape, d.class_names, d.essential.tolist()
    ((2000, 11), ['0', '1'], [3, 4, 7, 8, 10])
    """
    e = card(name)
    _refuse_unavailable(e)
    files = _obtained(e, Places.given(mirror, offline, cache))
    try:
        raw = read_function(e)({name: f.path for name, f in files.items()}, **e.options)
        dataset = finish(e, raw)
    except DataError as problem:
        raise DataError(f"{name}: {problem}{_unpinned(e, files)}") from problem
    dataset.metadata["provenance"] = json.dumps(_provenance(e, files, dataset))
    return dataset


def fetch(names, *, mirror=None, offline=None, cache=None, progress=True) -> None:
    """Get the raw files of data sets ahead of their use, e.g. for machines without network.

    All data sets are tried before the problems, if any, are raised together.
    """
    places = Places.given(mirror, offline, cache)
    entries = [card(name) for name in names]
    problems = []
    for e in entries:
        try:
            _refuse_unavailable(e)
            _obtained(e, places, progress)
        except DataError as problem:
            problems.append(str(problem))
    if problems:
        raise DataError("\n".join(problems))


def state(name: str, mirror=None, cache=None) -> str:
    """Whether a data set is embedded, generated, cached, in mirror, to download, unavailable.

    Files are checked by size, not by content; a mirror on the network is not contacted.
    """
    e = card(name)
    if e.kind != "download":
        return e.kind
    places = Places.given(mirror, True, cache)
    if all(_has(places.cached(f), f.bytes) for f in e.files):
        return "cached"
    if places.mirror_is_folder:
        folder = Path(places.mirror)
        if all(_has(folder / f.mirror, None if f.mirror_unpack else f.bytes) for f in e.files):
            return "in mirror"
    return "to download"


def _has(path: Path, size: int | None) -> bool:
    return path.is_file() and size in (None, path.stat().st_size)


def _refuse_unavailable(e: Card) -> None:
    if e.kind == "unavailable":
        raise DataError(f"{e.name} cannot be had: {e.notes}")


def _obtained(e: Card, places: Places, progress=False) -> dict[str, Fetched]:
    return obtain(e, places, progress) if e.files else {}


def _unpinned(e: Card, files: dict[str, Fetched]) -> str:
    """Advice to delete files without a registered hash, whose damage shows only on reading."""
    suspects = [str(files[f.name].path) for f in e.files if f.sha256 is None]
    return f" If the file is damaged, delete it: {', '.join(suspects)}" if suspects else ""


def _provenance(e: Card, files: dict[str, Fetched], dataset: Dataset) -> list[dict]:
    if not files:
        made = f"fslib.data.{e.reader}"
        return [{"made by": made, "with": e.options, "sha256": dataset.content_sha256()}]
    return [{"file": name, "sha256": f.sha256, "address": f.address} for name, f in files.items()]


def read_function(e: Card):
    """The function that reads or generates a data set."""
    module, _, function = e.reader.partition(":")
    return getattr(importlib.import_module(f"fslib.data.{module}"), function)


def finish(e: Card, raw: Raw) -> Dataset:
    """Code the labels and check shape, classes, folds and missing values."""
    codes = {label: code for code, label in enumerate(e.classes)}
    unknown = sorted(set(raw.labels.tolist()) - set(codes))
    if unknown:
        raise DataError(f"unexpected class {unknown[0]!r}, expected {list(codes)}.")
    dataset = Dataset(
        name=e.name,
        X=raw.X,
        y=[codes[label] for label in raw.labels.tolist()],
        feature_names=unique_names(raw.feature_names),
        class_names=list(codes),
        fold=raw.fold,
        group=raw.group,
        essential=raw.essential,
        metadata={
            "title": e.title,
            "citation": e.citation,
            "licence": e.licence,
            "notes": e.notes,
            "differences": e.differences,
        },
    )
    _compare("shape", (e.n_rows, e.n_features), dataset.X.shape)
    counts = np.bincount(dataset.y, minlength=len(codes)).tolist()
    _compare("rows per class", e.classes, dict(zip(codes, counts, strict=True)))
    _compare("missing values", e.missing, int(np.isnan(dataset.X).sum()))
    _compare("rows per fold", e.fold, _tally(dataset.fold))
    groups = None if dataset.group is None else len(np.unique(dataset.group))
    _compare("groups", e.groups, groups)
    if e.content_sha256:
        _compare("sha256 of the values", e.content_sha256, dataset.content_sha256())
    return dataset


def _tally(words: np.ndarray | None) -> dict[str, int] | None:
    if words is None:
        return None
    return {str(w): int(c) for w, c in zip(*np.unique(words, return_counts=True), strict=True)}


def _compare(what: str, expected, found) -> None:
    if expected != found:
        raise DataError(f"{what} should be {expected}, found {found}.")
