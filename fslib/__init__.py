"""fslib: feature selection, benchmarked. Method classes load on first use."""

__version__ = "0.1.0"


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    from fslib.registry import class_named

    return class_named(name)
