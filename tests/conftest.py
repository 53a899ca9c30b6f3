"""Settings of all tests."""

import os

from hypothesis import settings

# A busy machine is no reason to fail; CI sees the same cases every time, people see new ones.
settings.register_profile("fslib", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("fslib")
