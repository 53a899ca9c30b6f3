"""Data sets by name, a person's own files, and the tables the pipeline works on."""

import importlib

_HOME = {
    "DataError": "errors",
    "Dataset": "dataset",
    "check_table": "checking",
    "Card": "catalogue",
    "dataset_names": "catalogue",
    "card": "catalogue",
    "load": "loading",
    "fetch": "loading",
    "state": "loading",
    "read_own": "own",
    "table": "tables",
    "write_table": "tables",
    "read_table": "tables",
    "describe_datasets": "page",
    "markdown_page": "page",
}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'fslib.data' has no attribute {name!r}")
    return getattr(importlib.import_module(f"fslib.data.{_HOME[name]}"), name)
