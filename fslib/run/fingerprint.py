"""What a job's code is, as a hash: the reason to re-run it, or not to.

Snakemake watches a script's modification time, not what it imports. A fingerprint covers the
script and every local file it imports, transitively, over the parsed source: code counts, comments,
docstrings and formatting do not. Local is what belongs to no installed distribution: `fslib`
itself (whose package ``__init__`` files only re-export and do not count), a neighbour of a person's
method file, a package in the working folder or in editable mode. Installed distributions count by
their version. Of files that are not Python source (templates, compiled extensions) every byte
counts. What code loads by a name that it computes cannot be seen.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import site
import sys
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

from fslib.run.project import PACKAGE


def fingerprint(*sources: str | Path, **facts) -> str:
    """Hash of source files (with the local files they import) and of plain facts."""
    said = json.dumps(facts, sort_keys=True, default=str)
    # Files outside project and working folder are known by names alone, which two may share.
    files = sorted((_label(file), _facts(file).code) for file in covered_files(*sources))
    total = hashlib.sha256(said.encode())
    for label, code in files:
        total.update(f"{label}:{code};".encode())
    made = total.hexdigest()[:16]
    COVERED[made] = {"files": dict(files), "facts": json.loads(said)}
    return made


#: What each fingerprint of this process covers (fslib/run/coverage.py keeps it).
COVERED: dict[str, dict] = {}


def _label(file: Path) -> str:
    """A name that does not depend on where the project and the working folder lie."""
    for folder in (PACKAGE.parent, Path.cwd()):
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return file.name


def distribution_fact(module: str) -> str:
    """``name==version`` of the distribution a third-party module comes from."""
    top = module.partition(".")[0]
    # What a package says of itself; going through everything installed takes 0.3 s.
    version = getattr(sys.modules.get(top), "__version__", None)
    if version:
        return f"{top}=={version}"
    names = metadata.packages_distributions().get(top)
    return f"{names[0]}=={metadata.version(names[0])}" if names else top


def covered_files(*sources: str | Path) -> set[Path]:
    """The files themselves and every local file they import, directly or not."""
    seen: set[Path] = set()
    todo = [Path(source).resolve() for source in sources]
    while todo:
        file = todo.pop()
        if file not in seen:
            seen.add(file)
            todo.extend(_facts(file).imports)
    return seen


def numeric_versions() -> dict[str, str]:
    """Major and minor versions of the libraries that compute what we measure."""
    return {name: ".".join(metadata.version(name).split(".")[:2]) for name in _NUMERIC}


_NUMERIC = ("numpy", "scipy", "scikit-learn")


def is_local(file: str | Path) -> bool:
    """Whether a file is somebody's working copy rather than part of an installed distribution.

    A package in editable mode, in the working folder or beside a method's file is local; so is
    `fslib` itself, wherever it lies.
    """
    file = Path(file).resolve()
    return file.is_relative_to(PACKAGE) or not any(map(file.is_relative_to, _INSTALLED))


_INSTALLED = (
    {
        Path(path).resolve()
        for name, path in sysconfig.get_paths().items()
        if name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    | {Path(folder).resolve() for folder in site.getsitepackages()}
    # What a cluster's modules put on the path are distributions too.
    | {Path(p).resolve() for p in sys.path if Path(p).name in ("site-packages", "dist-packages")}
)


@dataclass(frozen=True)
class _Facts:
    """What a source file says, apart from comments, docstrings and layout."""

    code: str
    imports: frozenset[Path]


def _facts(source: Path) -> _Facts:
    return _read(source, source.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _read(source: Path, _mtime: int) -> _Facts:
    content = source.read_bytes()
    try:
        tree = ast.parse(content) if source.suffix == ".py" else None
    except (SyntaxError, ValueError):  # whoever imports it will say so
        tree = None
    if tree is None:
        return _Facts(hashlib.sha256(content).hexdigest(), frozenset())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # `from fslib.kernels import variance` may name a module or a thing in one.
            module = node.module or ""
            parts = [module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names)]
            names.update((node.level, part) for part in parts if part)
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                node.body = body[1:]
    imports = frozenset(file for level, name in names for file in _files(source, level, name))
    return _Facts(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), imports)


def _files(importer: Path, level: int, name: str) -> list[Path]:
    """The local files that an import in ``importer`` runs."""
    if not level and name.split(".")[0] == PACKAGE.name:
        file = module_file(name)
        return [file] if file else []
    if importer.is_relative_to(PACKAGE):
        return []  # `fslib` imports nothing local but itself
    top, *rest = name.split(".")
    beside = str(importer.parents[max(level - 1, 0)])
    folders = [beside] if level else [beside, *sys.path]
    found = []
    for part in (top, *rest):
        spec = PathFinder.find_spec(part, folders)
        if spec is None and not level and part is top:
            spec = _editable(top)
        if spec is None or spec.origin in (None, "built-in", "frozen"):
            folders = list(spec.submodule_search_locations or []) if spec else []
        elif not is_local(spec.origin):
            return []
        else:
            found.append(Path(spec.origin).resolve())
            folders = list(spec.submodule_search_locations or [])
        if not folders:
            break
    return found


def _editable(top: str):
    """A package that an import hook finds, as installers make them for editable mode."""
    try:
        return importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None


def module_file(name: str) -> Path | None:
    """The file of an `fslib` module, or of the module that defines a name a package re-exports."""
    top, *parts = name.split(".")
    if top != PACKAGE.name or not parts:
        return None
    file = PACKAGE.joinpath(*parts).with_suffix(".py")
    if file.is_file():
        return file
    # A name re-exported by a package: count the module that defines it.
    package = PACKAGE.joinpath(*parts[:-1], "__init__.py")
    if not package.is_file() or package.parent == PACKAGE:
        return None
    for node in ast.walk(ast.parse(package.read_text())):
        if isinstance(node, ast.ImportFrom) and any(a.name == parts[-1] for a in node.names):
            return module_file(f"{node.module}")
    return None
