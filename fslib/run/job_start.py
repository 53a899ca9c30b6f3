"""Import first in a script of the pipeline: one thread per process, and a quick start.

Importing allocates so much that Python keeps looking for garbage, which there is none of: a tenth
of the time. `fslib.run.script.reporting` turns collection on again.
"""

import gc

import fslib.run.single_thread  # noqa: F401

gc.disable()
