"""From a line of configuration to a selector: ours, anybody's, or a file of your own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path

from fslib.base import FeatureSelector
from fslib.registry import METHODS
from fslib.run.errors import FslibError
from fslib.run.fingerprint import distribution_fact, fingerprint
from fslib.run.spelling import nearest

_PROJECT = Path(__file__).resolve().parents[2]


class MethodError(FslibError):
    """A method entry names something that does not exist or does not fit."""


@dataclass(frozen=True)
class Recipe:
    """A class with its parameters, as an entry names them."""

    use: str
    params: dict

    @property
    def cls(self) -> type:
        return find_class(self.use)

    @property
    def tags(self) -> type[FeatureSelector]:
        """Where to look up tags: the class itself, or the defaults for a foreign one."""
        return self.cls if issubclass(self.cls, FeatureSelector) else FeatureSelector

    @property
    def shares_fits(self) -> bool:
        """Whether several settings of the class have work in common that it knows to share."""
        return self.tags._rank_together.__func__ is not FeatureSelector._rank_together.__func__

    def check(self) -> None:
        """Refuse parameters that the class does not take."""
        accepted = inspect.signature(self.cls).parameters
        if any(p.kind is p.VAR_KEYWORD for p in accepted.values()):
            return
        for name in self.params:
            if name not in accepted:
                raise MethodError(f"{self.use} has no parameter {name!r}{nearest(name, accepted)}")

    def build(self, **extra) -> FeatureSelector:
        """The selector; ``extra`` fills parameters that exist and are not set."""
        accepted = inspect.signature(self.cls).parameters
        extra = {k: v for k, v in extra.items() if k in accepted and k not in self.params}
        params = {k: _built(v) for k, v in self.params.items()}
        made = self.cls(**params, **extra)
        if isinstance(made, FeatureSelector):
            return made
        from fslib.select.adapt import Adapted

        return Adapted(made)

    def fingerprint(self) -> str:
        """Hash of the method's own code, and of any code that its parameters name."""
        module = sys.modules[self.cls.__module__]
        inside = module.__name__.split(".")[0] == "fslib" or ".py:" in self.use
        nested = [_nested_fingerprint(v) for v in self.params.values()]
        if inside:
            return fingerprint(module.__file__, *self.tags.sources(self.params), nested=nested)
        return fingerprint(version=distribution_fact(module.__name__), nested=nested)


def find_class(use: str) -> type:
    """The class that ``name``, ``package.module:Class`` or ``file.py:Class`` stands for."""
    if not isinstance(use, str):
        raise MethodError(f"`use` names a method or a class; {use!r} is no name")
    if ":" not in use:
        if use not in METHODS.names():
            raise MethodError(f"unknown method {use!r}{nearest(use, METHODS.names())}")
        return METHODS[use]
    where, _, name = use.rpartition(":")
    module = _load_file(where) if where.endswith(".py") else _load_module(where)
    found = getattr(module, name, None)
    if not (inspect.isclass(found) and hasattr(found, "fit")):
        classes = [n for n, v in vars(module).items() if inspect.isclass(v) and hasattr(v, "fit")]
        raise MethodError(f"{where} has no class {name!r} with a `fit`{nearest(name, classes)}")
    return found


def _load_file(path: str):
    """A person's own file, looked for in the working folder and then in the project's."""
    places = [folder / path for folder in (Path.cwd(), _PROJECT)]
    file = next((place.resolve() for place in places if place.is_file()), None)
    if file is None:
        raise MethodError(f"method file {places[0]} does not exist")
    name = f"fslib_own_{file.stem}"
    if name in sys.modules and sys.modules[name].__file__ == str(file):
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        del sys.modules[name]
        raise MethodError(f"{file} cannot be imported: {problem!r}") from problem
    return module


def _load_module(name: str):
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as problem:  # it is anybody's code
        raise MethodError(f"cannot import {name!r}: {problem!r}") from problem


def _built(value):
    """Nested ``{use: package.module:Class, ...}`` values become objects."""
    if isinstance(value, dict) and "use" in value:
        return find_class(value["use"])(**{k: _built(v) for k, v in value.items() if k != "use"})
    return value


def _nested_fingerprint(value) -> str:
    if isinstance(value, dict) and "use" in value:
        params = {k: v for k, v in value.items() if k != "use"}
        return Recipe(value["use"], params).fingerprint()
    return ""
