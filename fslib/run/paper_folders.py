"""Where papers lie: one folder each, in ``papers/`` of a working folder or in `fslib.papers`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fslib.run.project import PACKAGE

#: The papers that come with the project.
OWN = PACKAGE / "papers"


def paper_folders(folders: Iterable[str | Path] = ()) -> dict[str, Path]:
    """The folder of every paper by its name.

    A paper of ``papers/`` in one of the ``folders`` comes before one of the same name in a later
    folder, and before the project's own. A folder is a paper if it has a ``paper.py``; its name is
    that of a Python package.
    """
    found: dict[str, Path] = {}
    for place in [*(Path(folder, "papers") for folder in folders), OWN]:
        for module in sorted(place.glob("*/paper.py")):
            if module.parent.name.isidentifier():
                found.setdefault(module.parent.name, module.parent)
    return dict(sorted(found.items()))


def paper_code(folder: Path) -> list[Path]:
    """The modules of a paper: `paper.py` first, since the others import it."""
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    return sorted(modules, key=lambda path: (path.name != "paper.py", path.name))


def paper_texts(folder: Path) -> list[Path]:
    """What the paper says: its claims, the cells of its tables if any, and our remarks."""
    others = (folder / "cells.csv", folder / "README.md")
    return [folder / "claims.yaml", *(path for path in others if path.exists())]


def outcome_folder(folder: Path, apart: str = "") -> Path:
    """Where the outcome of a paper's fullest run is kept, or that of a study kept apart from it."""
    return folder / "-".join(filter(None, ("outcome", apart)))


def outcomes_apart(folder: Path) -> dict[str, Path]:
    """The outcomes of studies that are kept apart, by the study's name."""
    return {path.name.partition("-")[2]: path for path in sorted(folder.glob("outcome-*"))}
