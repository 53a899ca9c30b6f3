"""Notes that the compare stage adds to what the comparison itself says."""

from __future__ import annotations

from fslib.compare.stage import notes_on_counts, notes_on_searches
from fslib.run.artefacts import frame_of
from fslib.select.changes import Change, write_changes


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
