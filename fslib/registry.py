"""Methods by name: one file in ``fslib/methods`` per method, named as the method is."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from fslib.base import FeatureSelector
from fslib.run.spelling import nearest

#: The folder, not the package: methods import this module, so this module imports none of them.
_METHODS = str(Path(__file__).with_name("methods"))
_CLASSES: dict[str, type[FeatureSelector]] = {}


def register(cls: type[FeatureSelector]) -> type[FeatureSelector]:
    """Class decorator that makes a method known under its file's name."""
    _CLASSES[cls.__module__.rpartition(".")[2]] = cls
    return cls


def method_names() -> list[str]:
    """Names of all methods, found by listing the folder: nothing is imported."""
    return sorted(m.name for m in pkgutil.iter_modules([_METHODS]) if not m.name.startswith("_"))


def method_class(name: str) -> type[FeatureSelector]:
    """The class registered under ``name``; only its own module is imported."""
    if name not in method_names():
        raise KeyError(f"unknown method {name!r}{nearest(name, method_names())}")
    importlib.import_module(f"fslib.methods.{name}")
    return _CLASSES[name]


def method_classes() -> dict[str, type[FeatureSelector]]:
    """Every method's class by name."""
    return {name: method_class(name) for name in method_names()}


def class_named(class_name: str) -> type[FeatureSelector]:
    """The method class called ``class_name``: what ``from fslib import MRMR`` resolves to."""
    for cls in method_classes().values():
        if cls.__name__ == class_name:
            return cls
    raise AttributeError(f"fslib has no method class {class_name!r}")
