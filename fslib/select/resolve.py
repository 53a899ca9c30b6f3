"""From a line of configuration to a selector: ours, anybody's, or a file of your own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from fslib.adapt import as_selector
from fslib.base import FeatureSelector
from fslib.registry import METHODS
from fslib.run.fingerprint import distribution_fact, fingerprint, is_local, numeric_versions
from fslib.run.objects import MethodError, load, own_file, takes_seed, with_objects
from fslib.run.seeds import random_state, seed
from fslib.run.spelling import nearest

#: Parameters that a run fills where an entry does not.
_FILLED = ("random_state", "essential")


@dataclass(frozen=True)
class Recipe:
    """A class, or a function, with its parameters, as an entry names them."""

    use: str
    params: dict
    #: Whether it is a parameter of another one, rather than a method or a classifier.
    is_parameter: bool = False

    @property
    def made_from(self) -> Callable:
        return find(self.use, self.is_parameter)

    @property
    def tags(self) -> type[FeatureSelector]:
        """Where to look up tags: the class itself, or the defaults for a foreign one."""
        ours = inspect.isclass(self.made_from) and issubclass(self.made_from, FeatureSelector)
        return self.made_from if ours else FeatureSelector

    @property
    def shares_fits(self) -> bool:
        """Whether several settings of the class have work in common that it knows to share."""
        return self.tags._rank_together.__func__ is not FeatureSelector._rank_together.__func__

    def check(self) -> None:
        """Refuse parameters that a class or function does not take or lacks, nested ones too."""
        accepted = inspect.signature(self.made_from).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in accepted.values()):
            for name in self.params:
                if name not in accepted:
                    raise MethodError(
                        f"{self.use} has no parameter {name!r}{nearest(name, accepted)}"
                    )
        for nested in self._nested():
            nested.check()
        self._check_call()
        # scikit-learn's classes say which values they take; a constructor of anybody else's may
        # do anything, and is called in the limited process of a fit only.
        if hasattr(self.made_from, "_parameter_constraints"):
            try:
                _made(self)._validate_params()
            except (TypeError, ValueError) as problem:
                raise MethodError(f"{self.use}: {problem}") from problem

    def _check_call(self) -> None:
        """Refuse a class without a parameter that it needs, and a function not of X and y."""
        is_class = inspect.isclass(self.made_from)
        if self.is_parameter and not is_class:
            return  # what it is called with is its owner's affair
        signature = inspect.signature(self.made_from)
        filled = {name: None for name in _FILLED if name in signature.parameters} | self.params
        try:
            signature.bind(*[] if is_class else [None, None], **filled)
        except TypeError as problem:
            about = "" if is_class else " is a function that does not take a table and its labels"
            raise MethodError(f"{self.use}{about}: {problem}") from problem

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
            nested=[nested.fingerprint() for nested in self._nested()],
            numerics=numeric_versions(),
            version=distribution_fact(module.__name__) if installed else None,
        )

    def _nested(self) -> list[Recipe]:
        """Parameters, or parts of them, that name a class or a function themselves."""
        found = []
        with_objects(self.params, lambda use, own, _: found.append(Recipe(use, own, True)))
        return found


def _made(recipe: Recipe, **extra):
    """The object, or the function with its parameters filled in.

    A nested estimator that takes a ``random_state`` gets one of its own, derived from its owner's.
    """

    def nested(use: str, params: dict, place: str):
        own = {**extra}
        if "random_state" in extra:
            own["random_state"] = random_state(seed(extra["random_state"], place))
        return _made(Recipe(use, params, is_parameter=True), **own)

    accepted = set(inspect.signature(recipe.made_from).parameters)
    if not takes_seed(recipe.made_from):
        accepted.discard("random_state")
    filled = {k: v for k, v in extra.items() if k in accepted and k not in recipe.params}
    params = with_objects(recipe.params, nested)
    if inspect.isclass(recipe.made_from):
        return recipe.made_from(**params, **filled)
    return partial(recipe.made_from, **params, **filled) if params or filled else recipe.made_from


def find(use: str, is_parameter: bool = False) -> Callable:
    """The class or function that ``name``, ``package.module:Name`` or ``file.py:Name`` is."""
    if not isinstance(use, str):
        raise MethodError(f"`use` names a method, a class or a function; {use!r} is no name")
    if ":" not in use:
        if use not in METHODS.names():
            near = _in_scikit_learn(use) or nearest(use, METHODS.names())
            raise MethodError(f"unknown method {use!r}{near}")
        return METHODS[use]
    try:
        return load(use, is_parameter)
    except MethodError as problem:
        meant = _in_scikit_learn(use) if re.match(r"sklearn\b", use) else ""
        if not meant:
            raise
        raise MethodError(f"{str(problem).partition(';')[0]}{meant}") from problem


def _in_scikit_learn(use: str) -> str:
    """The path of what a name means in scikit-learn, as the end of a sentence; else nothing.

    >>> _in_scikit_learn("ExtraTreesClassifier")
    "; did you mean 'sklearn.ensemble:ExtraTreesClassifier'?"
    >>> _in_scikit_learn("sklearn:RFE")
    "; did you mean 'sklearn.feature_selection:RFE'?"
    """
    from sklearn import feature_selection
    from sklearn.utils import all_estimators

    def plain(name: str) -> str:
        return re.sub(r"[^a-z0-9]|classifier$", "", name.lower())

    found = {
        plain(name): f"{cls.__module__.rpartition('._')[0]}:{name}"
        for kind in ("regressor", "classifier", "transformer")
        for name, cls in all_estimators(kind)
        if hasattr(cls, "get_support") or kind != "transformer"
    }
    found |= {
        plain(name): f"sklearn.feature_selection:{name}"
        for name in feature_selection.__all__
        if inspect.isfunction(getattr(feature_selection, name))
    }
    meant = found.get(plain(re.split("[.:]", use)[-1]))
    return f"; did you mean {meant!r}?" if meant else ""
