"""The mirror where there is one, and a local server whose answers a test can script."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from scripted_server import running_site


@pytest.fixture(scope="session")
def mirror():
    """The folder with the raw files that FSLIB_MIRROR names."""
    folder = os.environ.get("FSLIB_MIRROR")
    if not folder or not Path(folder).is_dir():
        pytest.skip("no mirror of the raw files (set FSLIB_MIRROR to its folder)")
    return Path(folder)


@pytest.fixture(scope="session")
def raw_cache(tmp_path_factory):
    """One cache for all tests that read the mirror."""
    return tmp_path_factory.mktemp("raw")


@pytest.fixture
def site():
    with running_site() as here:
        yield here
