"""The data stage: a name becomes raw files, and raw files a checked table."""

from __future__ import annotations

import json

from fslib.data.canonical import canonical
from fslib.data.catalogue import card
from fslib.data.checking import check_table
from fslib.data.errors import DataError
from fslib.data.loading import fetch, load
from fslib.data.own import read_own
from fslib.data.tables import write_table
from fslib.run.artefacts import atomic_path, refusing
from fslib.run.script import tell


def write_fetched(name: str, out: str, *, data: dict) -> None:
    """Get the raw files of a data set and write down which bytes they are."""
    fetch([name], **_places(data))
    files = {file.name: file.sha256 for file in card(name).files}
    with atomic_path(out) as temporary:
        temporary.write_text(json.dumps(files, indent=1) + "\n")


def write_dataset(name: str, out: str, *, own: dict, data: dict) -> None:
    """Load a registered data set, or a person's own file, and write it as a table.

    A person's own file that cannot be used is refused; the raw files of a registered data set are
    checked by hash, so that whatever goes wrong with one of those is a fault.
    """
    if name in own:
        with refusing(out, over=DataError):
            data = read_own(**own[name], name=name)
            found = check_table(data, folds=None)  # each study's splits tell what they need
            for line in found.lines():
                tell(f"{name}: {line}")
            data.metadata["check"] = found.as_json()
            write_table(canonical(data), out)
    else:
        write_table(load(name, **_places(data)), out)


def _places(data: dict) -> dict:
    # What the configuration leaves open, the environment decides (FSLIB_OFFLINE and others).
    return {**data, "offline": data["offline"] or None}
