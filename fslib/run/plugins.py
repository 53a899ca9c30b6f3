"""Things that are known by a name: one file each in a folder, called as the thing is."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Generic, TypeVar

from fslib.run.spelling import nearest

T = TypeVar("T")


class Plugins(Generic[T]):
    """The things of one kind, found by listing their package: none is imported until asked for.

    A module of the package defines one thing and registers it under the module's own name; modules
    whose names begin with an underscore hold what several of them share.

    Parameters
    ----------
    package : str
        Name of the package, for example ``fslib.methods``.
    kind : str
        What a message calls such a thing, for example ``method``.
    """

    def __init__(self, package: str, kind: str):
        self.package, self.kind = package, kind
        self._found: dict[str, T] = {}
        self._listed: list[str] = []

    def register(self, thing: T) -> T:
        """Class decorator that makes a thing known under its file's name."""
        self._found[thing.__module__.rpartition(".")[2]] = thing
        return thing

    def names(self) -> list[str]:
        """What there is; the folder is listed once, as names are looked up thousands of times."""
        if not self._listed:
            modules = pkgutil.iter_modules(importlib.import_module(self.package).__path__)
            self._listed = sorted(m.name for m in modules if not m.name.startswith("_"))
        return list(self._listed)

    def check(self, name: str) -> str:
        """The name itself; one that is not known is refused with the nearest that are."""
        if name not in self.names():
            raise ValueError(f"unknown {self.kind} {name!r}{nearest(name, self.names())}")
        return name

    def __getitem__(self, name: str) -> T:
        """The thing of that name; only its own module is imported."""
        importlib.import_module(f"{self.package}.{self.check(name)}")
        return self._found[name]

    def source(self, name: str) -> Path:
        """The file that defines a thing, for fingerprints."""
        (folder,) = importlib.import_module(self.package).__path__
        return Path(folder, f"{self.check(name)}.py")

    def all(self) -> dict[str, T]:
        """Every thing by name."""
        return {name: self[name] for name in self.names()}
