"""Notes that the compare stage adds to what the comparison itself says."""

from __future__ import annotations

from fslib.compare.stage import notes_on_counts
from fslib.run.artefacts import frame_of


def test_methods_that_were_asked_for_too_much_are_noted_once():
    cell = {"dataset": "d", "method": "cmim", "fact": "asked_for", "value": 50.0}
    other = cell | {"split": 0, "fact": "criterion", "value": 0.5}
    jmi = cell | {"split": 0, "method": "jmi"}
    facts = frame_of([cell | {"split": 0}, cell | {"split": 1}, jmi, other], "facts")
    assert notes_on_counts(facts).rows() == [
        ("capped", "d", "cmim, jmi", "asked for 50 features, and got all there are")
    ]
