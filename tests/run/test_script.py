"""What surrounds the one call of every script."""

import subprocess
import sys

#: A script as those of the pipeline are.
SCRIPT = """
import fslib.run.job_start
import gc
from fslib.run.script import reporting
assert not gc.isenabled()
with reporting(None):
    assert gc.isenabled()
    assert len(gc.get_objects()) < 100, "a collection would look at what was imported"
    made = [[] for _ in range(1000)]
assert len(gc.get_objects()) < 100, "the last collections would look at everything"
"""


def test_garbage_is_looked_for_only_in_what_the_work_made():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
