"""The small version of `benchmarks/scale.py`: planned, interrupted, resumed, every cell there."""

from __future__ import annotations

import subprocess
import sys

import pytest
from workflow import PROJECT

pytestmark = pytest.mark.slow


def test_a_thousand_cells_are_planned_interrupted_resumed_and_aggregated(tmp_path):
    out = tmp_path / "scale.md"
    done = subprocess.run(
        [sys.executable, PROJECT / "benchmarks" / "scale.py", "--quick", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    # It ends with an error when finished batches are done again or a cell is missing.
    assert done.returncode == 0, done.stdout
    assert "1,000 cells" in out.read_text()
