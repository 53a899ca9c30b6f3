"""Notes that the compare stage adds to what the comparison itself says."""

from __future__ import annotations

from fslib.compare.stage import notes_on_costs, notes_on_counts, notes_on_searches
from fslib.run.artefacts import frame_of
from fslib.select.changes import Change, Expected, write_changes


def test_methods_that_ask_for_too_much_are_noted_once():
    cell = {"dataset": "d", "method": "cmim", "fact": "asked_for", "value": 50.0}
    other = cell | {"split": 0, "fact": "criterion", "value": 0.5}
    jmi = cell | {"split": 0, "method": "jmi"}
    facts = frame_of([cell | {"split": 0}, cell | {"split": 1}, jmi, other], "facts")
    assert notes_on_counts(facts).rows() == [
        ("capped", "d", "cmim, jmi", "asks for 50 features, more than there are")
    ]


def test_what_the_size_of_a_table_changed_is_noted(tmp_path):
    path = str(tmp_path / "afforded.json")
    shorter = Change({"n_probes": 100}, reason="n_probes 100 of 500: too long")
    write_changes({"daf": shorter, "babd": Change(skipped=True, reason="too long")}, path)
    assert notes_on_searches([("d", path)]).rows() == [
        ("shortened", "d", "daf", "n_probes 100 of 500: too long"),
        ("shortened", "d", "babd", "too long"),
    ]


def test_what_a_table_will_take_is_the_sum_of_the_parts_of_a_study(tmp_path):
    fast, thorough, refused = (str(tmp_path / name) for name in ("fast", "thorough", "refused"))
    write_changes({}, fast, Expected(seconds=60, memory_mb=400))
    write_changes({}, thorough, Expected(seconds=240, memory_mb=1200))
    write_changes({}, refused)
    parts = [("d", fast), ("other", refused), ("d", thorough), ("other", refused)]
    assert notes_on_costs(parts).rows() == [
        (
            "expected",
            "d",
            "",
            "about 5 min of one core besides the start of jobs, and 1.2 GB of memory a job",
        )
    ]
