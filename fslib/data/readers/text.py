"""Tables in plain text: separated values, C4.5 ``.data`` files, labels in a file of their own."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from fslib.data.errors import DataError
from fslib.data.raw import Raw, numbered


def rows_of(path: Path, separator: str | None = ",", skip: int = 0) -> list[list[str]]:
    """The cells of each line that is not empty, after ``skip`` lines."""
    lines = path.read_text(encoding="latin-1").splitlines()[skip:]
    rows = [[cell.strip() for cell in line.split(separator)] for line in lines if line.strip()]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise DataError(
                f"{path.name}: row {number} has {len(row)} cells, the first has {len(rows[0])}."
            )
    return rows


def numbers(rows: list[list[str]], missing: str | None = None) -> np.ndarray:
    """Cells as float64, correctly rounded; ``missing`` becomes NaN.

    >>> numbers([[".28", "?"]], missing="?").tolist()
    [[0.28, nan]]
    """
    if missing is not None:
        rows = [["nan" if cell == missing else cell for cell in row] for row in rows]
    return np.array([[float(cell) for cell in row] for row in rows])


def separated(
    files: dict[str, Path],
    *,
    separator: str | None = ",",
    skip: int = 0,
    header: int | None = None,
    target: int = -1,
    drop: tuple[int, ...] = (),
    group: int | None = None,
    group_pattern: str = ".*",
    missing: str | None = None,
    labels: dict[str, str] | None = None,
    keep: tuple[str, ...] | None = None,
    folds: dict[str, str] | None = None,
    prefix: str = "f",
) -> Raw:
    """A table with its class in one column.

    ``separator``: between cells, white space if None. ``skip``: lines before the rows;
    ``header``: which of them holds the names (of all columns, or of the features alone).
    ``target``, ``drop``, ``group``: columns by position; a group is what ``group_pattern``
    matches at the beginning of its cell. ``labels``: class names for the labels in the file;
    ``keep``: the classes wanted. ``folds``: the files to join, in order, and each one's fold.
    """
    parts = {name: rows_of(files[name], separator, skip) for name in folds or files}
    rows = [row for part in parts.values() for row in part]
    width = len(rows[0])
    target %= width
    features = [i for i in range(width) if i != target and i not in drop]
    fold = None
    if folds:
        fold = np.repeat([folds[n] for n in parts], [len(part) for part in parts.values()])
    found = [row[target] for row in rows]
    if labels:
        found = [labels.get(label, label) for label in found]
    raw = Raw(
        X=numbers([[row[i] for i in features] for row in rows], missing),
        labels=np.array(found),
        feature_names=_names(next(iter(files.values())), separator, header, width, features)
        or numbered(prefix, len(features)),
        fold=fold,
        group=None
        if group is None
        else np.array([re.match(group_pattern, row[group])[0] for row in rows]),
    )
    return raw if keep is None else _only(raw, keep)


def _names(path: Path, separator, header, width: int, features: list[int]) -> list[str] | None:
    if header is None:
        return None
    line = path.read_text(encoding="latin-1").splitlines()[header]
    names = [cell.strip() for cell in line.split(separator)]
    return [names[i] for i in features] if len(names) == width else names


def _only(raw: Raw, classes: tuple[str, ...]) -> Raw:
    kept = np.isin(raw.labels, classes)
    return Raw(raw.X[kept], raw.labels[kept], raw.feature_names)


def labels_apart(files: dict[str, Path], *, data: str, labels: str, prefix: str = "f") -> Raw:
    """Values in one file, separated by white space, and one label per line in another."""
    X = numbers(rows_of(files[data], None))
    return Raw(
        X, np.array(files[labels].read_text(encoding="ascii").split()), numbered(prefix, X.shape[1])
    )
