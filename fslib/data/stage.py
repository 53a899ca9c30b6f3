"""The data stage: a name becomes a checked table."""

from __future__ import annotations

from fslib.data.dataset import Dataset
from fslib.data.loading import load
from fslib.data.tables import write_table


def write_dataset(name: str, out: str, *, own: dict, data: dict) -> None:
    """Load a registered data set, or a person's own file, and write it as a table."""
    write_table(_dataset(name, own, data), out)


def _dataset(name: str, own: dict, data: dict) -> Dataset:
    if name in own:
        from fslib.data.own import read_own

        return read_own(own[name]["path"], own[name]["target"], name=name)
    # None leaves the choice to the environment (FSLIB_MIRROR, FSLIB_OFFLINE).
    return load(
        name,
        mirror=data.get("mirror"),
        offline=data.get("offline") or None,
        cache=data.get("cache"),
    )
