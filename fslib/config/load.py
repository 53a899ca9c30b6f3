"""`config.yaml` and the study files beside it: found, read, put together from what they extend."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fslib.config.checked import ConfigError, parse, validated
from fslib.config.recalled import recalled
from fslib.config.study import Study, check_names, resolved_study
from fslib.run.paper_folders import paper_folders
from fslib.run.spelling import nearest


@dataclass(frozen=True)
class Config:
    """`config.yaml` with its defaults filled in, and the studies beside it."""

    values: dict
    folders: tuple[Path, ...]

    def __getitem__(self, key):
        return self.values[key]

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """What each study file stands for: one study of its name, or one for each of its parts."""
        groups = {
            name: [f"{name}-{part}" for part in self._raw_or_empty(name).get("parts") or ()]
            or [name]
            for name in sorted(self._study_files)
        }
        known = [name for names in groups.values() for name in names]
        for name in self["without"]:
            if name not in known:
                raise ConfigError(f"without: unknown study {name!r}{nearest(name, known)}")
        return {
            group: [name for name in names if name not in self["without"]]
            for group, names in groups.items()
        }

    @cached_property
    def study_names(self) -> list[str]:
        return sorted(name for names in self.groups.values() for name in names)

    @property
    def targets(self) -> list[str]:
        """Everything that can be run by name: study files and parts of them."""
        return sorted({*self.groups, *self.study_names})

    @cached_property
    def _study_files(self) -> dict[str, Path]:
        """Studies by name; the working folder's come before the project's."""
        files = {
            path.stem: path
            for folder in reversed(self.folders)
            for path in sorted((folder / "studies").glob("*.yaml"))
        }
        check_names("study", files, "studies/")
        for name, path in files.items():
            if not re.fullmatch(r"\w[\w.-]*", name):
                raise ConfigError(
                    f"{path}: {name!r} is no name for a study: use letters, digits, _, - and ."
                )
        return files

    def study(self, name: str) -> Study:
        """One study, checked; methods and data sets are looked up, not loaded."""
        files = [file for file, names in self.groups.items() if name in names]
        if not files:
            raise ConfigError(f"unknown study {name!r}{nearest(name, self.study_names)}")
        if len(files) > 1:
            raise ConfigError(f"studies/: {' and '.join(files)} both have a study {name!r}")
        file = files[0]
        where = f"studies/{file}.yaml"
        values = self._raw(file)
        parts, part = values.pop("parts", None), ""
        if parts is not None:
            _check_parts(parts, where)
            part = name.removeprefix(f"{file}-")
            values, where = _merged(values, parts[part]), f"{where}: parts.{part}"
            part = "" if "title" in parts[part] else part
        if isinstance(values.get("paper"), str):
            _check_paper(values["paper"], self.papers, where)
        beside: dict = {}
        for other, base in self.continued.items():
            if base == file:
                beside |= self._raw_or_empty(other).get("methods", {})
        study = recalled(
            resolved_study,
            name,
            values,
            self.values,
            part=part,
            text=self._text(file),
            where=where,
            beside=beside,
        )
        base = values.get("continues")
        return study if base is None else study.continuing(self.study(base), where)

    @cached_property
    def continued(self) -> dict[str, str]:
        """Studies that continue another one, and that one."""
        raw = {name: self._raw_or_empty(name).get("continues") for name in self._study_files}
        return {name: base for name, base in raw.items() if base is not None}

    def paper(self, name: str) -> str | None:
        """Name of the paper that a study file reproduces, if any; a part by itself has no paper."""
        return self._raw_or_empty(name).get("paper") if name in self.groups else None

    def paper_folder(self, name: str) -> Path:
        """The folder of a study file's paper; the working folder's papers come first."""
        where, paper = f"studies/{name}.yaml", self.paper(name)
        if paper is None:
            raise ConfigError(f"{where}: names no `paper` that its results are set beside")
        _check_paper(paper, self.papers, where)
        return self.papers[paper]

    @cached_property
    def papers(self) -> dict[str, Path]:
        """Folders of all papers by name."""
        return paper_folders(self.folders)

    def _raw(self, name: str, on_the_way: tuple[str, ...] = ()) -> dict:
        """A study file as written, on top of the one it extends."""
        path = self._study_files[name]
        values = parse(path)
        base = values.pop("extends", None)
        if "continues" in values:
            if base is not None:
                raise ConfigError(f"studies/{name}.yaml: extends: it continues another study")
            base = values["continues"]
        if base is None:
            return values
        if base in (name, *on_the_way):
            raise ConfigError(f"studies/{name}.yaml: extends: it extends itself")
        others = [other for other in self._study_files if other != name]
        if base not in others:
            raise ConfigError(
                f"studies/{name}.yaml: extends: unknown study {base!r}{nearest(str(base), others)}"
            )
        return _extended(self._raw(base, (name, *on_the_way)), values)

    def _raw_or_empty(self, name: str) -> dict:
        """Values of a study file; none for a file with a mistake, which is reported when it is run.

        Look-ups over all study files must not fail because of one of them.
        """
        try:
            values = self._raw(name)
            parts = values.get("parts")
            if parts is not None:
                _check_parts(parts, f"studies/{name}.yaml")
            return values
        except ConfigError:
            return {}

    def _text(self, name: str) -> str:
        """A study file and, below it, the one it extends, for people to read."""
        text = self._study_files[name].read_text()
        values = parse(self._study_files[name])
        base = values.get("extends") or values.get("continues")
        return text if base is None else f"{text}\n# studies/{base}.yaml\n{self._text(base)}"


def load_config(values: Mapping | str | Path, folders: Sequence[str | Path] = (".",)) -> Config:
    """Check a configuration (a mapping or a file) and fill in its defaults.

    Studies are looked for in ``studies/`` and papers in ``papers/`` of each folder; of two with the
    same name the one in the earlier folder counts.
    """
    if not isinstance(values, Mapping):
        values = parse(Path(values))
    filled = validated(dict(values), "config", "config.yaml")
    check_names("data set", filled["datasets"], "config.yaml: datasets: ")
    config = Config(filled, tuple(Path(folder) for folder in folders))
    for name in filled["studies"]:
        if name not in config.targets:
            raise ConfigError(
                f"config.yaml: studies: unknown study {name!r}{nearest(name, config.targets)}"
            )
    return config


def _merged(below, above, nulls_stay: bool = False):
    """``below`` changed by ``above``: mappings key by key, other values replaced, nulls removed.

    >>> _merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None, "e": 3}, "d": [2]})
    {'a': {'c': 2, 'e': 3}, 'd': [2]}
    """
    if not isinstance(above, dict):
        return above
    below = below if isinstance(below, dict) else {}
    merged = {
        key: _merged(below.get(key), above[key], nulls_stay) if key in above else below[key]
        for key in {**below, **above}
    }
    return {key: value for key, value in merged.items() if nulls_stay or value is not None}


def _extended(below: dict, above: dict) -> dict:
    """The values of a study (``above``) on top of the study that it extends (``below``).

    A null inside a part stays, as it removes a key of the values that all parts share.

    >>> full = {"methods": {"a": 1, "b": 2}, "parts": {"x": {"methods": {"b": None}}, "y": {}}}
    >>> _extended(full, {"parts": {"x": {"methods": {"a": 3}}, "y": None}})["parts"]
    {'x': {'methods': {'b': None, 'a': 3}}}
    """
    merged = _merged(below, above)
    if isinstance(above.get("parts"), dict):
        parts = _merged(below.get("parts"), above["parts"], nulls_stay=True)
        merged["parts"] = {name: part for name, part in parts.items() if part is not None}
    return merged


def _check_parts(parts, where: str) -> None:
    if not (isinstance(parts, dict) and parts):
        raise ConfigError(f"{where}: parts: expected names, each with the keys that are its own")
    for name, part in parts.items():
        if not re.fullmatch(r"\w[\w.-]*", str(name)):
            raise ConfigError(
                f"{where}: parts: {name!r} is no name: use letters, digits, _, - and ."
            )
        if not isinstance(part, dict):
            raise ConfigError(f"{where}: parts.{name}: expected keys and values, found {part!r}")


def _check_paper(name: str, papers, where: str) -> None:
    if name not in papers:
        raise ConfigError(f"{where}: paper: unknown paper {name!r}{nearest(name, papers)}")
