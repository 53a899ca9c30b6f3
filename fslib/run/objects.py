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


def load(use: str, is_parameter: bool = False) -> Callable:
    """The class or function that ``package.module:Name`` or ``file.py:Name`` is.

    A method or a classifier has a `fit`; their parameters may be of any class.
    """
    where, _, name = use.rpartition(":")
    module = _load_file(where) if where.endswith(".py") else _load_module(where)
    found = getattr(module, name, None)
    if not _is_usable(found, is_parameter):
        usable = [n for n, thing in vars(module).items() if _is_usable(thing, is_parameter)]
        near = nearest(name, [n for n in usable if not n.startswith("_")])
        wanted = "" if is_parameter else " with a `fit`"
        raise MethodError(f"{where} has no class {name!r}{wanted}, and no such function{near}")
    return found


def _is_usable(thing, is_parameter: bool) -> bool:
    if inspect.isclass(thing):
        return is_parameter or hasattr(thing, "fit")
    return inspect.isroutine(thing)


def made(use: str, params: Mapping, seed_of_it: int, is_parameter: bool = False):
    """An object of a class, nested ones included; each ``random_state`` gets a seed of its own."""

    def nested(use: str, params: dict, place: str):
        return made(use, params, seed(seed_of_it, place), is_parameter=True)

    thing = load(use, is_parameter)
    filled = with_objects(params, nested)
    if takes_seed(thing) and "random_state" not in filled:
        filled["random_state"] = random_state(seed_of_it)
    return thing(**filled)


def takes_seed(thing: Callable) -> bool:
    """Whether a class or function has a ``random_state`` that is for us to fill.

    Folds refuse a seed unless they are shuffled; then the generators of the fit's process, which
    are seeded, shuffle them.
    """
    has_it = "random_state" in inspect.signature(thing).parameters
    return has_it and (hasattr(thing, "fit") or not inspect.isclass(thing))


def with_objects(value, make: Callable[[str, dict, str], object], place: str = ""):
    """A value of YAML in which objects replace the mappings that say ``use``, at any depth.

    ``make`` gets what to use, its parameters, and the place of the mapping in the value.

    >>> with_objects({"steps": [["scale", {"use": "a:B", "c": 1}]]}, lambda *told: told)
    {'steps': [['scale', ('a:B', {'c': 1}, 'steps.0.1')]]}
    """
    if isinstance(value, Mapping) and place and "use" in value:
        return make(value["use"], {k: v for k, v in value.items() if k != "use"}, place)

    def below(key):
        return f"{place}.{key}" if place else str(key)

    if isinstance(value, Mapping):
        return {key: with_objects(part, make, below(key)) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [with_objects(part, make, below(i)) for i, part in enumerate(value)]
    return value


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
