"""Cards for practitioners: the honest number first, features, fewer of them, what instead."""

import shlex

import polars as pl
import pytest
from make_frames import rich

from fslib.cli import parser
from fslib.compare.study import compare
from fslib.report.cards import cards


@pytest.fixture(scope="module")
def tables():
    made = rich(["wine", "lucas"])
    return compare(made.frames(), datasets=made.datasets, settings=made.settings)


def test_the_honest_number_comes_first(tables):
    honest = tables["recommendation"].with_columns(
        expected=pl.lit(0.8), expected_low=pl.lit(0.7), expected_high=pl.lit(0.9)
    )
    card = cards(tables | {"recommendation": honest}, "quick")[0]
    assert card["value"].split() == ["80.0", "%"]
    assert card["told"].replace("\u00a0", " ").startswith("to expect (70.0 % to 90.0 %); on the")
    unknown = tables["recommendation"].with_columns(expected=pl.lit(None, pl.Float64))
    card = cards(tables | {"recommendation": unknown}, "quick")[0]
    assert card["told"] == ""
    assert "±" in card["value"]


def test_measures_that_are_no_shares_are_no_percentages(tables):
    judged = tables["recommendation"].with_columns(judge_by=pl.lit("log_loss"))
    assert "%" not in cards(tables | {"recommendation": judged}, "quick")[0]["value"]


def test_fewer_features_are_told_with_the_recommended_size_marked(tables):
    fewer = cards(tables, "quick")[0]["fewer"]
    sizes = [k for k, _, _ in fewer]
    assert sizes == sorted(sizes, reverse=True)
    assert [k for k, _, chosen in fewer if chosen] == [tables["recommendation"]["k"][0]]
    own = tables["fewer_features"].filter(dataset="wine", classifier="all", recommended=False)
    many = pl.concat([own.with_columns(pl.col("k") + 100 * i) for i in range(9)])
    assert len(cards(tables | {"fewer_features": many}, "quick")[0]["fewer"]) <= 8


def test_what_most_splits_chose_stands_beside_the_refit(tables):
    agreed = pl.DataFrame(
        {
            "dataset": "wine",
            "name": [f"f{i}" for i in range(12)],
            "frequency": [1.0, 0.6] * 6,
            "in_refit": [True, False, None] * 4,
        }
    )
    first, second = cards(tables | {"consensus": agreed}, "quick")
    assert first["agreed"] == "12 features"
    assert first["consensus"][:3] == ["f0 · 100%", "f1 · 60%, not in the refit", "f2 · 100%"]
    assert first["consensus"][10:] == ["and 2 more"]
    assert second["consensus"] == []


def test_warnings_about_recommended_columns_stand_on_the_card(tables):
    chosen = tables["selected_features"].filter(dataset="wine")["name"][0]
    warnings = [
        {"kind": "identifier", "names": ["Id", chosen], "text": "a row number?"},
        {"kind": "constant", "names": ["flat"], "text": "the same in every row."},
    ]
    checks = [{"dataset": "wine", "facts": "", "warnings": warnings}]
    first, second = cards(tables, "own", checks)
    assert first["doubts"] == ["a row number?"]
    assert second["doubts"] == []


def test_features_that_say_the_same_are_named(tables):
    names = [f"g{i}" for i in range(5)]
    pairs = pl.DataFrame(
        {
            "dataset": "wine",
            "feature": 1,
            "other": range(5),
            "name": "f1",
            "other_name": names,
            "similarity": 0.987,
            "other_recommended": False,
        }
    )
    first, second = cards(tables | {"interchangeable": pairs}, "quick")
    assert first["similar"] == ["f1: g0 (0.99), g1 (0.99), g2 (0.99) and 2 more"]
    assert second["similar"] == []


def test_a_classifier_that_loses_is_named(tables):
    losing = tables["by_classifier"].with_columns(loses=pl.col("classifier") == "nb")
    told = cards(tables | {"by_classifier": losing}, "quick")[0]["classifiers"]
    assert [text.startswith("nb") for text in told] == [text.endswith("loses") for text in told]
    assert len(told) == 3


def test_what_to_type_next_is_a_command_of_fslib(tables):
    program, *words = shlex.split(cards(tables, "quick")[0]["next"])
    understood = parser().parse_args(words)
    assert program == "fslib"
    assert (understood.study, understood.dataset) == ("quick", "wine")
