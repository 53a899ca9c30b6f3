"""Settings of all tests."""

import os

from hypothesis import settings

# One thread, as every job of the workflow has: two test workers whose BLAS has a thread per core
# each were found six times slower. Imported before any test imports numpy.
import fslib.run.single_thread  # noqa: F401

# A busy machine is no reason to fail; CI sees the same cases every time, people see new ones.
settings.register_profile("fslib", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("fslib")
