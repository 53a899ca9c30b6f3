"""Where the workflow lies: beside the package in a clone, inside it in an installation."""

from __future__ import annotations

from pathlib import Path

#: The package `fslib` itself.
PACKAGE = Path(__file__).resolve().parents[1]

_SHIPPED = PACKAGE / "workflow"
#: Whether this is an installed package, with a copy of the workflow (setup.py), and no clone.
INSTALLED = _SHIPPED.is_dir()
#: The folder of the Snakefile, `rules/`, `scripts/`, `studies/`, `profiles/` and `config.yaml`.
PROJECT = _SHIPPED if INSTALLED else PACKAGE.parent
