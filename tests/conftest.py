"""Settings of all tests."""

import os

import pytest
from hypothesis import settings

# One thread, as every job of the workflow has: two test workers whose BLAS has a thread per core
# each were found six times slower. Imported before any test imports numpy.
import fslib.run.single_thread  # noqa: F401

# A busy machine is no reason to fail; CI sees the same cases every time, people see new ones.
settings.register_profile("fslib", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("fslib")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Whoever looks at a finished run of the workflow waits for it.

    Files with slow tests come first: workers that share out the rest end at about the same time.
    """
    for item in items:
        if not {"finished", "followed"}.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture
def other_processes(monkeypatch):
    """`n_jobs` starts processes for work of any length."""
    monkeypatch.setattr("fslib.run.workers.WORTHWHILE", 0.0)
