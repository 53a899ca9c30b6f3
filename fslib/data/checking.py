"""What is in a table, and what in it will mislead: said before anything is run."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

from fslib.data.dataset import Dataset
from fslib.run.numbers import count

#: Rows from which columns are judged one by one; a column that tells the class tells it of these.
_JUDGED_ROWS = 5000
#: Columns that are tried as predictors: of more, those whose order says most about the class.
_TRIED = 500
#: Balanced accuracy from which one column alone is too good to be true.
_TOO_GOOD = 0.98
#: A target of numbers with more different values than this is most likely no class.
_MANY_CLASSES = 20
#: A number of nines from here on is no measurement, even where it stands once.
_SELDOM_BY_CHANCE = 99
#: Names that one warning lists.
_LISTED = 8
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?")


@dataclass(frozen=True)
class Finding:
    """One thing that will mislead: its kind, the columns or classes it is about, and a sentence."""

    kind: str
    names: list[str]
    text: str


@dataclass(frozen=True)
class Check:
    """What a table has, and the warnings about it."""

    rows: int
    numeric: int
    categorical: int
    classes: dict[str, int]
    missing: int
    columns_with_missing: int
    row_names: str | None
    groups: int | None
    has_times: bool
    warnings: list[Finding]

    def facts(self) -> str:
        """One sentence on what was read."""
        kinds = [count(self.numeric, "numeric column")] * bool(self.numeric)
        kinds += [count(self.categorical, "categorical column")] * bool(self.categorical)
        shown = [f"{name} {n:,}" for name, n in list(self.classes.items())[:_LISTED]]
        shown += ["…"] * (len(self.classes) > _LISTED)
        said = [f"{self.rows:,} rows", *kinds, f"classes: {', '.join(shown)}"]
        if self.missing:
            columns = count(self.columns_with_missing, "column")
            said.append(f"{count(self.missing, 'missing value')} in {columns}")
        if self.row_names is not None:
            said.append(f"row names ({self.row_names}), no feature")
        if self.groups is not None:
            said.append(count(self.groups, "group"))
        if self.has_times:
            said.append("split by time")
        return "; ".join(said)

    def lines(self) -> list[str]:
        """The facts, then a line for each warning."""
        return [self.facts(), *(f"warning: {w.text}" for w in self.warnings)]

    def as_json(self) -> str:
        return json.dumps({"facts": self.facts(), "warnings": [asdict(w) for w in self.warnings]})


def check_table(data: Dataset, *, folds: int | None = 5, refusal: str | None = None) -> Check:
    """Look a table over, rows in the order of the file.

    Classes of fewer rows than ``folds`` are named. Whoever has drawn a study's splits knows better:
    ``refusal`` says why they cannot be drawn, if they cannot, and ``folds`` is None then.
    """
    missing = np.isnan(data.X)
    counts = np.bincount(data.y, minlength=len(data.class_names)).tolist()
    classes = dict(zip(data.class_names, counts, strict=True))
    found = [
        *_written_otherwise(data),
        *_identifiers(data),
        *_predictors(data),
        *_constants(data),
        *_equal_columns(data),
        *_equal_rows(data),
        *_sentinels(data),
        *_spellings(data.class_names),
        *_regression(classes),
        *([] if folds is None else _small_classes(classes, folds)),
        *([] if refusal is None else [Finding("splits", [], refusal)]),
    ]
    return Check(
        rows=len(data.y),
        numeric=data.X.shape[1] - len(data.categories),
        categorical=len(data.categories),
        classes=classes,
        missing=int(missing.sum()),
        columns_with_missing=int(missing.any(axis=0).sum()),
        row_names=data.metadata.get("row_names"),
        groups=None if data.group is None else len(np.unique(data.group)),
        has_times=data.time is not None,
        warnings=found,
    )


def _named(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(map(repr, names[:_LISTED])) + (", …" if len(names) > _LISTED else "")


def _about(kind: str, names: list[str], text: str) -> Iterator[Finding]:
    """A warning about some columns, if there are any."""
    if names:
        yield Finding(kind, names, f"{_named(names)}: {text}")


#: Text that is no category: what all of it looks like, and what to do about it.
_TEXTS = {
    "date": (
        re.compile(
            r"(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})([T ].*)?"
            r"|(\d\d?[ -])?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]"
            r"(\d\d?, )?(\d\d|\d{4})",
            re.IGNORECASE,
        ),
        "dates. Name the column as `time: {name}` if rows are to be predicted from earlier ones; "
        "else `drop` it, or make something of it that new rows have too (a month, an age).",
    ),
    "unit": (
        re.compile(r"[$€£¥<>~≤≥]? ?[+-]?\d+([.,]\d+)* ?[a-zA-Zµ°/%²³$€£¥]{0,6}"),
        "numbers with a sign or unit around them, each a category of its own. Write plain numbers.",
    ),
}


def _kind_of(levels: list[str]) -> str | None:
    """Whether the texts of a categorical column are dates or numbers with a few signs or units."""
    signs = {re.sub(r"\d+", "", level) for level in levels}
    if len(levels) <= _MANY_CLASSES or all(map(_NUMBER.fullmatch, levels)):
        return None
    known = (k for k, (form, _) in _TEXTS.items() if all(map(form.fullmatch, levels)))
    kind = next(known, None)
    return None if kind == "unit" and len(signs) > _LISTED else kind


def _dates(data: Dataset) -> list[str]:
    """Columns that are dates: as they were read, as text, or as numbers like 20241231."""
    known = json.loads(data.metadata.get("dates", "[]"))

    def is_date(column: int) -> bool:
        if column in data.categories:
            return _kind_of(data.categories[column]) == "date"
        return data.feature_names[column] in known or _is_calendar(data.X[:, column])

    return [name for column, name in enumerate(data.feature_names) if is_date(column)]


def _is_calendar(values: np.ndarray) -> bool:
    """Whether numbers are dates without signs between year, month and day."""
    values = values[~np.isnan(values)]
    if not len(values) or not ((values >= 1900_01_01) & (values <= 2100_12_31)).all():
        return False
    month, day = values // 100 % 100, values % 100
    possible = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31) & (values % 1 == 0)
    return bool(possible.all())


def _written_otherwise(data: Dataset) -> Iterator[Finding]:
    """Columns of dates, and of numbers with units, which are text and so categories."""
    dates = _dates(data)
    name = dates[0] if len(dates) == 1 else "COLUMN"
    yield from _about("date", dates, _TEXTS["date"][1].format(name=name))
    units = [data.feature_names[c] for c, own in data.categories.items() if _kind_of(own) == "unit"]
    yield from _about("unit", units, _TEXTS["unit"][1])


def _identifiers(data: Dataset) -> Iterator[Finding]:
    found, dates = [], set(_dates(data))
    for column, name in enumerate(data.feature_names):
        values = data.X[:, column]
        values = values[~np.isnan(values)]
        n = len(values)
        if n < 10 or n < len(data.y) / 2 or name in dates:
            continue
        if column in data.categories:
            if len(data.categories[column]) > 0.9 * n and _kind_of(data.categories[column]) is None:
                found.append(name)
            continue
        steps = np.diff(values)
        monotone = (steps > 0).all() or (steps < 0).all()
        # Measurements may well be different in every row; whole numbers seldom are.
        whole = (values == np.round(values)).all()
        if monotone or (whole and len(np.unique(values)) == n):
            found.append(name)
    yield from _about(
        "identifier",
        found,
        "different in every row, like an identifier or a row number. It says nothing of a new row, "
        "and in a file sorted by class it tells the class: use `id` or `drop`.",
    )


def _predictors(data: Dataset) -> Iterator[Finding]:
    rng = np.random.default_rng(0)
    rows = np.arange(len(data.y))
    if len(rows) > _JUDGED_ROWS:
        rows = np.sort(rng.choice(rows, _JUDGED_ROWS, replace=False))
    y = data.y[rows]
    if len(rows) < 10 or len(np.unique(y)) < 2:
        return
    columns = range(data.X.shape[1])
    if len(columns) > _TRIED:
        columns = np.argsort(-_separation(data.X[rows], y), kind="stable")[:_TRIED].tolist()
    found = [
        data.feature_names[c]
        for c in sorted(columns)
        if _accuracy_alone(data.X[rows, c], y, c in data.categories) >= _TOO_GOOD
    ]
    yield from _about(
        "predictor",
        found,
        "alone predicts the class nearly perfectly. Is it known before the class is, or is it the "
        "class in other words? If so: `drop`.",
    )


def _separation(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """How far the ranks of any class are from those of the others, per column (|AUC − ½|)."""
    from scipy.stats import rankdata

    ranks = rankdata(np.nan_to_num(X, nan=np.inf), axis=0)
    best = np.zeros(X.shape[1])
    for c in np.unique(y):
        inside, n = y == c, int((y == c).sum())
        auc = (ranks[inside].sum(axis=0) - n * (n + 1) / 2) / max(n * (len(y) - n), 1)
        best = np.maximum(best, np.abs(auc - 0.5))
    return best


def _accuracy_alone(values: np.ndarray, y: np.ndarray, categorical: bool) -> float:
    """Balanced accuracy of the best few rules on one column, on the rows they are made from."""
    present = np.unique(y)
    if categorical:
        codes = np.nan_to_num(values, nan=-1)
        levels, code = np.unique(codes, return_inverse=True)
        if len(levels) > len(y) / 5:
            return 0.0  # nearly one category per row
        table = np.zeros((len(levels), len(present)))
        np.add.at(table, (code, np.searchsorted(present, y)), 1)
        shares = table / table.sum(axis=0)
        predicted = present[shares.argmax(axis=1)][code]
    else:
        known = values[~np.isnan(values)]
        if not len(known) or known.min() == known.max():
            return 0.0
        from sklearn.tree import DecisionTreeClassifier

        tree = DecisionTreeClassifier(
            max_leaf_nodes=len(present) + 2,
            min_samples_leaf=max(2, len(y) // 200),
            class_weight="balanced",
            random_state=0,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # many classes: the check says so itself
            predicted = tree.fit(values[:, None], y).predict(values[:, None])
    return float(np.mean([(predicted[y == c] == c).mean() for c in present]))


def _constants(data: Dataset) -> Iterator[Finding]:
    filled = np.where(np.isnan(data.X), np.inf, data.X)
    same = (filled == filled[0]).all(axis=0)
    names = [data.feature_names[c] for c in np.flatnonzero(same)]
    yield from _about("constant", names, "the same in every row. It is no feature; `drop` it.")


def _equal_columns(data: Dataset) -> Iterator[Finding]:
    alike: dict[bytes, list[str]] = {}
    for column, name in enumerate(data.feature_names):
        values = data.X[:, column]
        if np.isnan(values).all() or np.nanmin(values) == np.nanmax(values):
            continue  # constants have a warning of their own
        alike.setdefault(np.ascontiguousarray(values).tobytes(), []).append(name)
    groups = [names for names in alike.values() if len(names) > 1]
    if groups:
        shown = "; ".join(" = ".join(map(repr, g[:_LISTED])) for g in groups[:_LISTED])
        text = f"{shown}: equal columns. Rankings choose between them by name; keep one."
        yield Finding("equal columns", [name for group in groups for name in group], text)


def _equal_rows(data: Dataset) -> Iterator[Finding]:
    """Rows that repeat another one; within a group they stay together, and do no harm."""
    hashes = np.fromiter((hash(row.tobytes()) for row in data.X), dtype=np.int64)
    y = data.y
    if data.group is not None:
        codes = np.unique(data.group, return_inverse=True)[1]
        _, kept = np.unique(np.column_stack([hashes, codes]), axis=0, return_index=True)
        hashes, y = hashes[kept], y[kept]
    _, first, inverse, counts = np.unique(
        hashes, return_index=True, return_inverse=True, return_counts=True
    )
    repeated = int(len(hashes) - len(counts))
    if repeated:
        conflicting = int((y != y[first][inverse]).sum())
        said = f"{count(repeated, 'row')} {'repeats' if repeated == 1 else 'repeat'}"
        said += " another row" + (" of another group" if data.group is not None else "")
        said += " in all features"
        if conflicting:
            said += f", {conflicting} of them with another class"
        text = (
            f"{said}: cross-validation tests on rows that it has trained on, and looks better than "
            f"it is. Remove them, or "
        )
        if data.group is None:
            text += "name the column that tells which belong together as `group`."
        else:
            text += "put them into one group."
        yield Finding("equal rows", [], text)


def _sentinels(data: Dataset) -> Iterator[Finding]:
    found: dict[str, list[float]] = {}
    for column, name in enumerate(data.feature_names):
        if column in data.categories:
            own = [float(v) for v in _out_of_place(data.categories[column])]
        else:
            own = _far_away(data.X[:, column])
        if own:
            found[name] = own
    values = sorted({v for own in found.values() for v in own})
    shown = ", ".join(f"{v:g}" for v in values)
    yield from _about(
        "sentinel",
        list(found),
        f"{shown} stands far from all other values, like a word for missing. If it is one: "
        f"`missing: [{shown}]`.",
    )


def _far_away(values: np.ndarray) -> list[float]:
    """Ends of a column of numbers that people write for missing, far from all between them."""
    candidates = []
    values, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    while len(values) > 1 and (ends := [i for i in (0, -1) if _is_conventional(values[i])]):
        end = ends[0]
        candidates.append((float(values[end]), int(counts[end])))
        values, counts = np.delete(values, end), np.delete(counts, end)
    if len(values) < 2:
        return []  # of two values in all, neither stands apart
    return [
        value
        for value, times in candidates
        if max(values[0] - value, value - values[-1]) > np.ptp(values)
        and (times > 1 or abs(value) >= _SELDOM_BY_CHANCE)
    ]


def _out_of_place(levels: list[str]) -> list[str]:
    """Numbers among words that people write for missing."""
    if all(map(_NUMBER.fullmatch, levels)):
        return []
    numbers = [v for v in levels if _NUMBER.fullmatch(v)]
    far = (v for v in numbers if abs(float(v)) >= _SELDOM_BY_CHANCE)
    return [v for v in far if _is_conventional(float(v))]


def _is_conventional(value: float) -> bool:
    """Whether people write this number for a missing one: −1, nines only, limits of types."""
    text = f"{abs(value):.0f}" if value == round(value) else f"{abs(value):.6g}"
    nines = re.fullmatch(r"9+(\.9+)?", text) is not None
    return value == -1 or nines or abs(value) in (32768, 2**31)


def _spellings(class_names: list[str]) -> Iterator[Finding]:
    alike: dict[str, list[str]] = {}
    for name in class_names:
        # A sign between two words is like a blank; in front of or behind one (-1, A-) it says more.
        bare = re.sub(r"\s+|(?<=[^\W\d_])[_-](?=[^\W\d_])", "", name)
        alike.setdefault(bare.casefold(), []).append(name)
    groups = [names for names in alike.values() if len(names) > 1]
    if groups:
        shown = "; ".join(" and ".join(map(repr, names)) for names in groups[:_LISTED])
        text = f"classes that differ in case or spaces only: {shown}. Write them alike."
        yield Finding("spelling", [name for names in groups for name in names], text)


def _regression(classes: dict[str, int]) -> Iterator[Finding]:
    if len(classes) <= _MANY_CLASSES:
        return
    if all(map(_NUMBER.fullmatch, classes)) or _kind_of(list(classes)) == "unit":
        text = (
            f"the target is a number with {len(classes)} different values: a regression target? "
            f"fslib selects features for classes. Turn it into a few classes, or name `positive`."
        )
        yield Finding("regression", [], text)


def _small_classes(classes: dict[str, int], folds: int) -> Iterator[Finding]:
    small = {name: n for name, n in classes.items() if n < folds}
    if small:
        shown = ", ".join(f"{name!r} ({n})" for name, n in list(small.items())[:_LISTED])
        shown += ", …" * (len(small) > _LISTED)
        fewest = min(small.values())
        remedy = f"Set `splits.folds: {fewest}`" if fewest > 1 else "Remove or join such classes"
        text = (
            f"classes with fewer rows than {folds} folds: {shown}. {remedy}, or "
            f"`splits.stratified: false`, in the study."
        )
        yield Finding("small classes", list(small), text)
