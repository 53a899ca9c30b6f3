"""One page for all tests of the report: drawing it takes longer than looking at it."""

import pytest
from make_study import STAMP, rich, study_for_page

from fslib.report.page import render


@pytest.fixture(scope="session")
def html():
    first = study_for_page(rich(["wine", "breast_cancer", "lucas"]))
    second = study_for_page(rich(["wine", "digits"], n_extra=14), "big", "Many methods")
    return render([first, second], STAMP)
