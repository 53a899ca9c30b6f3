"""Classes and functions that a line of configuration names, anybody's or of one's own file."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from fslib.run.errors import FslibError
from fslib.run.project import PROJECT
from fslib.run.seeds import random_state, seed
from fslib.run.spelling import nearest


class MethodError(FslibError):
    """An entry names something that does not exist or does not fit."""


def load(use: str) -> Callable:
    """The class or function that ``package.module:Name`` or ``file.py:Name`` is."""
    where, _, name = use.rpartition(":")
    module = _load_file(where) if where.endswith(".py") else _load_module(where)
    found = getattr(module, name, None)
    if not _is_usable(found):
        known = [n for n, v in vars(module).items() if _is_usable(v) and not n.startswith("_")]
        near = nearest(name, known)
        raise MethodError(f"{where} has no class {name!r} with a `fit`, and no such function{near}")
    return found


def made(use: str, params: Mapping, seed_of_it: int):
    """An object of a class, nested ones included; each ``random_state`` gets a seed of its own."""
    accepted = inspect.signature(load(use)).parameters
    filled = {}
    for name, value in params.items():
        if isinstance(value, Mapping) and "use" in value:
            inner = {k: v for k, v in value.items() if k != "use"}
            value = made(value["use"], inner, seed(seed_of_it, name))
        filled[name] = value
    if "random_state" in accepted and "random_state" not in filled:
        filled["random_state"] = random_state(seed_of_it)
    return load(use)(**filled)


def _is_usable(thing) -> bool:
    return hasattr(thing, "fit") if inspect.isclass(thing) else inspect.isroutine(thing)


def own_file(use: str) -> str | None:
    """The person's own file that an entry names, if it names one."""
    where = use.rpartition(":")[0]
    return str(_place_of(where)) if where.endswith(".py") else None


def _place_of(path: str) -> Path:
    """A person's own file, looked for in the working folder and then in the project's."""
    places = [folder / path for folder in (Path.cwd(), PROJECT)]
    file = next((place.resolve() for place in places if place.is_file()), None)
    if file is None:
        raise MethodError(f"method file {places[0]} does not exist")
    return file


def _load_file(path: str):
    file = _place_of(path)
    name = f"fslib_own_{file.stem}"
    if name in sys.modules and sys.modules[name].__file__ == str(file):
        return sys.modules[name]
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # for what stands beside it
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
