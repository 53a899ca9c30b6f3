"""What a new working folder starts with."""

from __future__ import annotations

from pathlib import Path

from fslib.run.errors import FslibError
from fslib.run.project import PROJECT

_STUDY = """\
# A study of your own: `fslib run my_study --cores 4`. Its name is the file's. The manual explains
# every key; what is left out is taken from the study below.
extends: quick
title: My study
datasets: [wine, wdbc]
"""


def write_starter(folder: Path, *, force: bool = False) -> list[Path]:
    """Write `config.yaml`, `profiles/` and a first study; refuse to write over what is there.

    The studies of the project need no copy: they are found where the project lies, and a copy would
    not follow its next version.
    """
    found = {
        folder / path.relative_to(PROJECT): path.read_text()
        for path in [PROJECT / "config.yaml", *sorted((PROJECT / "profiles").glob("*/*.yaml"))]
    }
    found[folder / "studies" / "my_study.yaml"] = _STUDY
    there = [str(path) for path in found if path.exists()]
    if there and not force:
        raise FslibError(f"{', '.join(there)}: there already; --force writes over")
    for path, text in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(found)
