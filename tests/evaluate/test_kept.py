"""What was measured before and still holds is kept, method by method."""

import polars as pl
import pytest
from test_limits import evaluated, files  # noqa: F401

from fslib.evaluate import stage
from fslib.run.artefacts import read, write

MEASURED = ("accuracy", "stability", "recovery")


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A file with a letter for every curve that a classifier computes."""
    original = stage.decision_curve

    def decision_curve(*arguments):
        with open(tmp_path / "curves", "a") as curves:
            curves.write("x")
        return original(*arguments)

    monkeypatch.setattr(stage, "decision_curve", decision_curve)

    def count() -> int:
        path = tmp_path / "curves"
        made = len(path.read_text()) if path.exists() else 0
        path.unlink(missing_ok=True)
        return made

    return count


def altered(files, method):  # noqa: F811
    """The batch with another selection of one method on one split."""
    batch = files[3][0]
    rows = read(batch, "batch").rows(named=True)
    first = next(row for row in rows if row["method"] == method)
    first["feature"] = first["feature"][::-1]
    write(pl.DataFrame(rows, schema=read(batch, "batch").schema), batch, "batch")


def test_a_changed_selection_measures_its_method_alone(files, tmp_path, counted):  # noqa: F811
    first = evaluated(files, tmp_path)
    assert counted() == 2 * 2 * 3  # methods, classifiers, splits
    assert evaluated(files, tmp_path)["accuracy"].equals(first["accuracy"])
    assert counted() == 0
    altered(files, "a")
    second = evaluated(files, tmp_path)
    assert counted() == 2 * 3
    # Kept or made anew, files are the same to the last bit.
    fresh = evaluated(files, tmp_path / "fresh")
    for kind in MEASURED:
        assert second[kind].equals(fresh[kind]), kind
    of_b = pl.col("method") == "b"
    assert second["accuracy"].filter(of_b).equals(first["accuracy"].filter(of_b))


def test_other_classifiers_measure_everything(files, tmp_path, counted):  # noqa: F811
    evaluated(files, tmp_path)
    counted()
    evaluated(files, tmp_path, classifiers=["nb"])
    assert counted() == 2 * 3


@pytest.mark.parametrize("kind", MEASURED)
def test_a_file_that_is_gone_or_damaged_keeps_nothing(files, tmp_path, counted, kind):  # noqa: F811
    evaluated(files, tmp_path)
    counted()
    path = tmp_path / f"{kind}.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    evaluated(files, tmp_path)
    assert counted() == 12
    path.unlink()
    evaluated(files, tmp_path)
    assert counted() == 12


def test_what_could_not_be_measured_is_tried_again(files, tmp_path, counted, monkeypatch):  # noqa: F811
    def fail(*arguments):
        raise ValueError("no such distance")

    with monkeypatch.context() as broken:
        broken.setattr(stage, "decision_curve", fail)
        assert len(evaluated(files, tmp_path)["unmeasured"]) == 12
    found = evaluated(files, tmp_path)
    assert counted() == 12
    assert len(found["unmeasured"]) == 0
    evaluated(files, tmp_path)
    assert counted() == 0
