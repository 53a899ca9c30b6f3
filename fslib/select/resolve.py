"""From a line of configuration to a selector: ours, anybody's, or a file of your own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from fslib.adapt import as_selector
from fslib.base import FeatureSelector
from fslib.registry import METHODS
from fslib.run.fingerprint import distribution_fact, fingerprint, is_local, numeric_versions
from fslib.run.objects import MethodError, load, own_file
from fslib.run.seeds import random_state, seed
from fslib.run.spelling import nearest


@dataclass(frozen=True)
class Recipe:
    """A class, or a function, with its parameters, as an entry names them."""

    use: str
    params: dict

    @property
    def made_from(self) -> Callable:
        return find(self.use)

    @property
    def tags(self) -> type[FeatureSelector]:
        """Where to look up tags: the class itself, or the defaults for a foreign one."""
        ours = inspect.isclass(self.made_from) and issubclass(self.made_from, FeatureSelector)
        return self.made_from if ours else FeatureSelector

    @property
    def shares_fits(self) -> bool:
        """Whether several settings of the class have work in common that it knows to share."""
        return self.tags._rank_together.__func__ is not FeatureSelector._rank_together.__func__

    def check(self, as_parameter: bool = False) -> None:
        """Refuse parameters that a class or function does not take, nested ones included."""
        accepted = inspect.signature(self.made_from).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in accepted.values()):
            for name in self.params:
                if name not in accepted:
                    raise MethodError(
                        f"{self.use} has no parameter {name!r}{nearest(name, accepted)}"
                    )
        for nested in self._nested().values():
            nested.check(as_parameter=True)
        if not (as_parameter or inspect.isclass(self.made_from) or _takes_a_table(accepted)):
            raise MethodError(f"{self.use} is a function that does not take a table and its labels")
        # scikit-learn's classes say which values they take; a constructor of anybody else's may
        # do anything, and is called in the limited process of a fit only.
        if hasattr(self.made_from, "_parameter_constraints"):
            try:
                _made(self)._validate_params()
            except (TypeError, ValueError) as problem:
                raise MethodError(f"{self.use}: {problem}") from problem

    def build(self, **extra) -> FeatureSelector:
        """The selector; ``extra`` fills parameters that exist and are not set."""
        return as_selector(_made(self, **extra))

    def fingerprint(self) -> str:
        """Hash of the method's own code, and of any code that its parameters name."""
        module = inspect.getmodule(self.made_from)
        defined_in = getattr(module, "__file__", None)
        installed = module is not None and not (defined_in and is_local(defined_in))
        files = [] if installed else [defined_in]
        return fingerprint(
            *filter(None, [*files, own_file(self.use)]),
            *self.tags.sources(self.params),
            nested=[nested.fingerprint() for nested in self._nested().values()],
            numerics=numeric_versions(),
            version=distribution_fact(module.__name__) if installed else None,
        )

    def _nested(self) -> dict[str, Recipe]:
        """Parameters that name a class or a function themselves."""
        return {
            name: Recipe(value["use"], {k: v for k, v in value.items() if k != "use"})
            for name, value in self.params.items()
            if isinstance(value, dict) and "use" in value
        }


def _made(recipe: Recipe, **extra):
    """The object, or the function with its parameters filled in.

    A nested estimator that takes a ``random_state`` gets one of its own, derived from its owner's.
    """
    accepted = inspect.signature(recipe.made_from).parameters
    filled = {k: v for k, v in extra.items() if k in accepted and k not in recipe.params}
    params = dict(recipe.params)
    for name, nested in recipe._nested().items():
        own = {**extra}
        if "random_state" in extra:
            own["random_state"] = random_state(seed(extra["random_state"], name))
        params[name] = _made(nested, **own)
    if inspect.isclass(recipe.made_from):
        return recipe.made_from(**params, **filled)
    return partial(recipe.made_from, **params, **filled) if params or filled else recipe.made_from


def find(use: str) -> Callable:
    """The class or function that ``name``, ``package.module:Name`` or ``file.py:Name`` is."""
    if not isinstance(use, str):
        raise MethodError(f"`use` names a method, a class or a function; {use!r} is no name")
    if ":" not in use:
        if use not in METHODS.names():
            near = _in_scikit_learn(use) or nearest(use, METHODS.names())
            raise MethodError(f"unknown method {use!r}{near}")
        return METHODS[use]
    return load(use)


def _in_scikit_learn(use: str) -> str:
    """The path of what a name means in scikit-learn, as the end of a sentence; else nothing.

    >>> _in_scikit_learn("ExtraTreesClassifier")
    "; did you mean 'sklearn.ensemble:ExtraTreesClassifier'?"
    """
    from sklearn import feature_selection
    from sklearn.utils import all_estimators

    def plain(name: str) -> str:
        return re.sub(r"[^a-z0-9]|classifier$", "", name.lower())

    found = {
        plain(name): f"{cls.__module__.rpartition('._')[0]}:{name}"
        for kind in ("transformer", "classifier")
        for name, cls in all_estimators(kind)
        if hasattr(cls, "get_support") or kind == "classifier"
    }
    found |= {
        plain(name): f"sklearn.feature_selection:{name}"
        for name in feature_selection.__all__
        if inspect.isfunction(getattr(feature_selection, name))
    }
    meant = found.get(plain(use.rpartition(".")[2]))
    return f"; did you mean {meant!r}?" if meant else ""


def _takes_a_table(accepted: Mapping[str, inspect.Parameter]) -> bool:
    """Whether a function has room for X and y."""
    kinds = [p.kind for p in accepted.values()]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return inspect.Parameter.VAR_POSITIONAL in kinds or sum(k in positional for k in kinds) >= 2
