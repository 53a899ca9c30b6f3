"""fslib: feature selection, benchmarked. Method classes load on first use."""

__version__ = "0.2.0.dev0"


def __getattr__(name):
    if not name[:1].isupper():
        raise AttributeError(f"module 'fslib' has no attribute {name!r}")
    from fslib.registry import class_named

    return class_named(name)


def __dir__():
    from fslib.registry import METHODS

    return sorted([*globals(), *(cls.__name__ for cls in METHODS.all().values())])
