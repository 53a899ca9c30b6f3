"""Values from YAML files, checked against a schema: the first mistake as one clear sentence."""

from __future__ import annotations

from functools import cache
from importlib import resources
from math import isfinite
from pathlib import Path

import jsonschema
import yaml

from fslib.evaluate.classifier import CLASSIFIERS
from fslib.evaluate.measures import MEASURES
from fslib.evaluate.stability import STABILITY
from fslib.run.errors import FslibError
from fslib.run.spelling import nearest
from fslib.split.schemes import SCHEMES

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


#: Names that a schema allows by ``known: <key>``; each list comes from the module that implements
#: the named things.
_KNOWN = {
    "split schemes": lambda: SCHEMES,
    "classifiers": CLASSIFIERS.names,
    "measures": lambda: MEASURES,
    "stability measures": lambda: STABILITY,
}


class ConfigError(FslibError):
    """The configuration or a study says something that cannot be."""


def parse(path: Path) -> dict:
    try:
        values = yaml.load(path.read_text(encoding="utf-8"), _LOADER)
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist") from None
    except (Exception, RecursionError) as problem:  # PyYAML lets errors of all kinds through
        raise ConfigError(f"{path} is not readable YAML: {problem}") from problem
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected keys and values, found {type(values).__name__}")
    return values


@cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    text = (resources.files("fslib.config") / f"{kind}.schema.yaml").read_text()
    return jsonschema.Draft202012Validator(_with_known_names(yaml.load(text, _LOADER)))


def _with_known_names(schema):
    """The schema with ``known: <things>`` replaced by the names that such things have."""
    if isinstance(schema, list):
        return [_with_known_names(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    filled = {key: _with_known_names(part) for key, part in schema.items()}
    if isinstance(schema.get("known"), str):
        filled["enum"] = list(_KNOWN[filled.pop("known")]())
    return filled


def validated(values: dict, kind: str, where: str) -> dict:
    """Values with defaults, or the first mistake as one clear sentence."""
    try:
        _check_plain(values, f"{where}:")
    except RecursionError:
        raise ConfigError(f"{where}: is nested too deeply") from None
    validator = _validator(kind)
    problems = list(validator.iter_errors(values))
    if problems:
        problem = min(problems, key=lambda p: (len(p.absolute_path), str(p.absolute_path)))
        lacks_a_part = problem.validator == "required" and not problem.absolute_path
        hint = "; `fslib init` writes all of it" if kind == "config" and lacks_a_part else ""
        raise ConfigError(f"{where}: {_sentence(problem)}{hint}")
    return _with_defaults(values, validator.schema)


def _check_plain(value, where: str) -> None:
    """Refuse values that YAML has and JSON, the language of schemas, has not."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ConfigError(f"{where} the key {key!r} is not a word; put it in quotes")
            _check_plain(inner, f"{where} {key}:")
    elif isinstance(value, list):
        for inner in value:
            _check_plain(inner, where)
    elif isinstance(value, float) and not isfinite(value):
        raise ConfigError(f"{where} {value} is not a number to work with")
    elif not isinstance(value, str | int | float | None):
        raise ConfigError(f"{where} {value!r} is a {type(value).__name__}; put it in quotes")


def _sentence(problem: jsonschema.ValidationError) -> str:
    key = ".".join(str(p) for p in problem.absolute_path)
    place = f"{key}: " if key else ""
    if problem.validator == "additionalProperties":
        known = problem.schema["properties"]
        unknown = sorted(str(k) for k in problem.instance if k not in known)[0]
        return f"{place}unknown key {unknown!r}{nearest(unknown, known)}"
    if problem.validator == "required":
        missing = next(k for k in problem.validator_value if k not in problem.instance)
        return f"{place}the key {missing!r} is missing"
    if problem.validator == "enum":
        known = problem.validator_value
        return f"{place}unknown value {problem.instance!r}{nearest(problem.instance, known)}"
    if problem.validator == "pattern":
        return f"{place}{_short(problem.instance)} does not fit. {problem.schema['description']}"
    if problem.validator in ("oneOf", "anyOf"):
        hint = problem.schema.get("description", "needs `use` or `variants`")
        return f"{place}{_short(problem.instance)} does not fit. {hint}"
    if problem.validator == "type":
        wanted = problem.validator_value
        kinds = [wanted] if isinstance(wanted, str) else wanted
        hint = f". {problem.schema['description']}" if "description" in problem.schema else ""
        said = " or ".join(_IN_WORDS[kind] for kind in kinds)
        return f"{place}{_short(problem.instance)} is not {said}{hint}"
    complaint = problem.message.removeprefix(repr(problem.instance)).strip()
    return f"{place}{_short(problem.instance)}: {complaint}"


#: What YAML has, as people say it.
_IN_WORDS = {
    "object": "a block of keys and values",
    "array": "a list",
    "string": "a word",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _short(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _with_defaults(values, schema: dict):
    if not isinstance(values, dict) or "properties" not in schema:
        return values
    filled = dict(values)
    for key, part in schema["properties"].items():
        if key not in filled and "default" in part:
            filled[key] = part["default"]
        if key in filled:
            filled[key] = _with_defaults(filled[key], part)
    return filled
