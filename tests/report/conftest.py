"""One page for all tests of the report: drawing it takes longer than looking at it."""

import pytest
from make_study import STAMP, rich, study_for_page

from fslib.report.page import render


def make_page() -> str:
    second = study_for_page(rich(["wine", "digits"], n_extra=14), "big", "Many methods")
    return render([study_for_page(), second], STAMP)


@pytest.fixture(scope="session")
def html():
    return make_page()
