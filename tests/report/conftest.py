"""One page for all tests of the report: drawing it takes longer than looking at it."""

import pytest
from make_study import STAMP, rich, study_for_page

from fslib.report.page import render


@pytest.fixture(scope="session")
def shown():
    """The studies of the page."""
    return [
        study_for_page(rich(["wine", "breast_cancer", "lucas"])),
        study_for_page(rich(["wine", "digits"], n_extra=14), "big", "Many methods"),
    ]


@pytest.fixture(scope="session")
def html(shown):
    return render(shown, STAMP)
