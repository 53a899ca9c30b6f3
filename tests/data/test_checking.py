"""What will mislead in a table is named before anything is run."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer

from fslib.data import check_table, read_own
from fslib.data.dataset import Dataset

N = 200


def table(**columns) -> dict:
    rng = np.random.default_rng(0)
    kind = np.array(["no", "yes"])[rng.permutation(N) % 2]
    return {"a": rng.normal(size=N), "b": rng.normal(size=N), "kind": kind} | columns


def checked(tmp_path, columns: dict, **keys):
    path = tmp_path / "mine.csv"
    pl.DataFrame(columns).write_csv(path)
    return check_table(read_own(path, "kind", **keys))


def test_a_good_table_has_no_warning(tmp_path):
    rng = np.random.default_rng(1)
    found = checked(
        tmp_path,
        table(
            age=rng.integers(18, 90, N),
            colour=rng.choice(["red", "green", "blue"], N),
            flag=rng.random(N) < 0.5,
            sign=rng.choice([-1, 1], N),
            gaps=[None if i % 9 == 0 else float(v) for i, v in enumerate(rng.normal(size=N))],
        ),
    )
    assert found.warnings == []
    assert found.facts() == (
        "200 rows; 5 numeric columns; 2 categorical columns; classes: no 100, yes 100; "
        "23 missing values in 1 column"
    )


def test_a_real_table_has_no_warning():
    bunch = load_breast_cancer()
    names = [str(n) for n in bunch.feature_names]
    data = Dataset("wdbc", bunch.data, bunch.target, names, ["m", "b"])
    assert check_table(data).warnings == []


def spoilt(rng):
    """Each defect, the kind of its warning, and what the warning must name."""
    own = table()
    kind = own["kind"]
    by_class = np.argsort(kind, kind="stable")
    leak = np.where(kind == "yes", 3.0, 1.0) + 0.1 * rng.normal(size=N)
    leak[0] = 2.0 - leak[0]
    months = [(i, ["Jan", "Feb", "Mar", "May", "Dec"][i % 5]) for i in range(N)]
    days = [f"2021-{i // 28 % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(N)]
    yield "days", table(day=days), "date", "'day': dates"
    yield "days as numbers", table(n=[int(d.replace("-", "")) for d in days]), "date", "`time: n`"
    yield "words for months", table(m=[f"{i % 28 + 1} {m} 2024" for i, m in months]), "date", "'m'"
    yield "some months", table(m=[f"{m}-{i % 9 + 10}" for i, m in months]), "date", "`time: m`"
    yield "days in Europe", table(day=[".".join(d.split("-")[::-1]) for d in days]), "date", "'day'"
    yield (
        "money",
        table(pay=[f"${i:,}.50" for i in range(1000, 1000 + N)]),
        "unit",
        "'pay': numbers",
    )
    yield "row number", table(Id=np.arange(1, N + 1)), "identifier", "'Id'"
    yield "seconds", table(t=np.arange(N) / 7), "identifier", "'t'"
    sorted_by_class = {k: np.asarray(v)[by_class] for k, v in own.items()} | {"n": np.arange(N)}
    yield "row number in a sorted file", sorted_by_class, "predictor", "'n'"
    yield "shuffled numbers", table(id=rng.permutation(N) * 7), "identifier", "'id'"
    yield "names", table(name=[f"person {i}" for i in range(N)]), "identifier", "'name'"
    yield "leak", table(leak=leak), "predictor", "'leak'"
    yield (
        "words for the class",
        table(outcome=np.where(kind == "yes", "P", "Q")),
        "predictor",
        "'out",
    )
    yield (
        "both ends",
        table(both=np.where(kind == "yes", 0, rng.choice([-1, 1], N))),
        "predictor",
        "'both'",
    )
    yield "constant", table(c=[1.0] * N, e=[None] * N), "constant", "'c', 'e'"
    yield "equal columns", table(again=own["a"], more=own["a"]), "equal columns", "'a' = 'again'"
    yield "equal rows", {k: [*v, *v[:7]] for k, v in own.items()}, "equal rows", "7 rows repeat"
    gone = np.where(rng.random(N) < 0.1, -999, rng.normal(size=N))
    yield "sentinel", table(gone=gone), "sentinel", "missing: [-999]"
    nines = np.where(rng.random(N) < 0.1, 9999, rng.integers(20, 80, N))
    yield "nines", table(nines=nines), "sentinel", "missing: [9999]"
    labels = np.where(rng.random(N) < 0.1, np.char.upper(kind), kind)
    once = np.array(gone)
    once[once == -999] = 0
    once[3] = -999
    yield "one sentinel", table(once=once), "sentinel", "missing: [-999]"
    both = np.where(rng.random(N) < 0.1, 999, gone)
    yield "two sentinels", table(both=both), "sentinel", "missing: [-999, 999]"
    yield "a fraction", table(gone=np.where(gone == -999, -999.9, gone)), "sentinel", "[-999.9]"
    words = rng.choice(["red", "blue", "-999"], N)
    yield "among words", table(colour=words), "sentinel", "missing: [-999]"
    gap = [None if i == 5 else i for i in range(N)]
    yield "row number with a gap", table(number=gap), "identifier", "'number'"
    yield "prices", table(kind=[f"${i // 4}.50" for i in range(N)]), "regression", "a regression"
    yield "case", table(kind=labels), "spelling", "'NO' and 'no'"
    spaces = np.where(rng.random(N) < 0.1, np.char.add(kind, " "), kind)
    yield "spaces", table(kind=spaces), "spelling", "'no' and 'no '"
    yield "regression", table(kind=rng.integers(0, 40, N)), "regression", "a regression target?"
    rare = kind.astype("<U9")
    rare[:3] = "perhaps"
    many = table(kind=np.arange(N) // 4)
    yield "many small classes", many, "small classes", "'7' (4), …. Set `splits.folds: 4`"
    yield "small class", table(kind=rare), "small classes", "'perhaps' (3). Set `splits.folds: 3`"


@pytest.mark.parametrize(
    ("columns", "kind", "words"),
    [case[1:] for case in spoilt(np.random.default_rng(2))],
    ids=[case[0] for case in spoilt(np.random.default_rng(2))],
)
def test_defects_are_named(tmp_path, columns, kind, words):
    found = checked(tmp_path, columns)
    texts = [w.text for w in found.warnings if w.kind == kind]
    assert len(texts) == 1, found.lines()
    assert words in texts[0]
    assert f"warning: {texts[0]}" in found.lines()


@pytest.mark.parametrize("pair", [(-1, 1), ("A", "A-"), ("A", "A+"), ("1-2", "12"), ("x_1", "x1")])
def test_signs_in_labels_are_no_spelling(tmp_path, pair):
    """Obeying would merge the classes."""
    kinds = np.array(pair)[np.arange(N) % 7 % 2]
    assert not [w for w in checked(tmp_path, table(kind=kinds)).warnings if w.kind == "spelling"]


def test_rows_that_disagree(tmp_path):
    own = table()
    twice = {k: [*v, *v[:4]] for k, v in own.items()}
    twice["kind"][-1] = "no" if twice["kind"][-1] == "yes" else "yes"
    texts = [w.text for w in checked(tmp_path, twice).warnings]
    assert any("4 rows repeat another row in all features, 1 of them with" in t for t in texts)


def test_what_is_said_is_acted_upon(tmp_path):
    """Every key that a warning proposes removes the warning."""
    rng = np.random.default_rng(3)
    gone = np.where(rng.random(N) < 0.1, -999, rng.normal(size=N))
    bad = table(Id=np.arange(N), gone=gone, c=[1.0] * N)
    assert {w.kind for w in checked(tmp_path, bad).warnings} == {
        "identifier",
        "sentinel",
        "constant",
    }
    assert not checked(tmp_path, bad, id="Id", missing=[-999], drop=["c"]).warnings


@pytest.mark.parametrize(
    "column",
    [
        ("scale", [1 + i % 9 for i in range(N)]),
        ("once", [1 + i % 4 for i in range(N - 1)] + [9]),
        ("sign", [(-1, 0, 1)[i % 3] for i in range(N)]),
        ("percent", [i % 100 for i in range(N)]),
    ],
)
def test_nines_within_a_scale_are_no_sentinels(tmp_path, column):
    name, values = column
    own = table(**{name: np.random.default_rng(1).permutation(values)})
    assert not checked(tmp_path, own).warnings


def test_codes_that_are_declared_categories_have_no_unit(tmp_path):
    own = table(code=[10_000_000 + 37 * (i % 40) for i in range(N)])
    assert not checked(tmp_path, own, categorical=["code"]).warnings


def test_rows_that_repeat_within_a_group_do_no_harm(tmp_path):
    own = {k: [*v, *v[:7]] for k, v in (table() | {"who": np.arange(N)}).items()}
    assert not checked(tmp_path, own, group="who").warnings
    own["who"][-1] = N
    (warning,) = checked(tmp_path, own, group="who").warnings
    assert "1 row repeats another row of another group in all features:" in warning.text
    assert warning.text.endswith("Remove them, or put them into one group.")


def test_a_wide_table_is_looked_over_quickly():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 5000))
    y = np.arange(60) % 3
    X[:, 4321] = y + 0.01 * rng.normal(size=60)
    data = Dataset("wide", X, y, [f"g{i}" for i in range(5000)], ["a", "b", "c"])
    (warning,) = check_table(data).warnings
    assert (warning.kind, warning.names) == ("predictor", ["g4321"])
