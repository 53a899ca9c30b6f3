"""Methods by name: one file in ``fslib/methods`` per method, named as the method is."""

from __future__ import annotations

from fslib.base import FeatureSelector
from fslib.run.plugins import Plugins

METHODS: Plugins[type[FeatureSelector]] = Plugins("fslib.methods", "method")
register = METHODS.register


def class_named(class_name: str) -> type[FeatureSelector]:
    """The method class called ``class_name``: what ``from fslib import MRMR`` resolves to."""
    for cls in METHODS.all().values():
        if cls.__name__ == class_name:
            return cls
    raise AttributeError(f"fslib has no method class {class_name!r}")
