"""Studies that an earlier plan has resolved: where nothing changed, no method is imported again.

To resolve a study, every method that it names is imported, and scikit-learn with them: a third of
what a run with nothing to do takes. What came of it is kept in Snakemake's folder under a hash of
all that it was made from: the study and the configuration, every file of `fslib`, and the names and
versions of all installed distributions. Studies with own files or tables, which can change without
any of these, are resolved each time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from fslib.config.study import Study
from fslib.run.artefacts import atomic_path
from fslib.run.fingerprint import COVERED, is_local

#: Beside what Snakemake keeps of a working folder; nothing is kept where Snakemake was never run.
_FOLDER = Path(".snakemake")
_PACKAGE = Path(__file__).resolve().parents[1]


def recalled(resolve: Callable[..., Study], name: str, raw: dict, config: Mapping, **more) -> Study:
    """What ``resolve`` makes of these arguments, or made of the same in an earlier plan."""
    uses = (*_uses(raw), *_uses(config["methods"]))
    if not _FOLDER.is_dir() or config["datasets"] or not all(map(_is_installed, uses)):
        return resolve(name=name, raw=raw, config=config, **more)
    key = _key([name, raw, config, more])
    path = _FOLDER / "fslib" / f"{name}.pickle"
    # A file of another version, or half a disk's: then the study is resolved again.
    with suppress(Exception):
        found, study, covered = pickle.loads(path.read_bytes())
        if found == key:
            COVERED.update(covered)
            return study
    study = resolve(name=name, raw=raw, config=config, **more)
    with suppress(OSError), atomic_path(path) as temporary:
        temporary.write_bytes(pickle.dumps((key, study, COVERED)))
    return study


def _uses(value) -> Iterator[str]:
    """Everything that is named by `use`, at any depth."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "use":
                yield inner
            else:
                yield from _uses(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _uses(inner)


def _is_installed(use) -> bool:
    """Whether a name means a method of ours, or something in an installed distribution."""
    if not isinstance(use, str) or ".py:" in use:
        return False
    if ":" not in use:
        return True
    spec = importlib.util.find_spec(use.partition(":")[0].partition(".")[0])
    return spec is not None and bool(spec.origin) and not is_local(spec.origin)


def _key(asked) -> str:
    said = json.dumps([sys.version, _surroundings(), asked], default=str)
    return hashlib.sha256(said.encode()).hexdigest()


@cache
def _surroundings() -> str:
    """Hash of our own files and of the names and versions of what is installed."""
    total = hashlib.sha256()
    for file in sorted(_PACKAGE.rglob("*")):
        if file.suffix in (".py", ".yaml", ".json"):
            total.update(f"{file.relative_to(_PACKAGE)} {file.stat().st_size};".encode())
            total.update(file.read_bytes())
    # Whatever is on the path counts, also what PYTHONPATH names.
    installed = {found.name for folder in sys.path for found in Path(folder).glob("*.dist-info")}
    total.update(repr(sorted(installed)).encode())
    return total.hexdigest()
