"""Requests for features meet the table that there is."""

import numpy as np
from sklearn.datasets import load_wine

from fslib.select.columns import Columns
from fslib.select.resolve import Recipe

X, y = load_wine(return_X_y=True)


def test_a_request_is_capped_wherever_it_stands():
    step = {"use": "sklearn.feature_selection:RFE", "n_features_to_select": 20}
    columns = Columns.of(
        {"n_features_to_select": 50, "ranker": {"use": "p:P", "steps": [["select", step]]}},
        13,
        None,
    )
    assert columns.wanted == 13
    assert columns.facts == {"asked_for": 50}
    assert columns.params == {
        "n_features_to_select": 13,
        "ranker": {"use": "p:P", "steps": [["select", step | {"n_features_to_select": 13}]]},
    }


def test_requests_that_fit_stay():
    for params in ({}, {"n_features_to_select": 13}, {"n_features_to_select": 0.5}, {"n": None}):
        columns = Columns.of(params, 13, None)
        assert columns.params == params
        assert columns.facts == {}


def test_all_columns_of_a_category_may_be_ranked_and_features_are_counted():
    columns = Columns.of({"n_features_to_select": 4}, 6, np.array([0, 1, 1, 1, 1, 2]))
    assert columns.params == {"n_features_to_select": 4}
    assert columns.wanted == 3
    assert columns.facts == {"asked_for": 4}


def test_a_ranker_that_asks_for_too_much_runs():
    ranker = {"use": "mrmr", "bins": 5, "n_features_to_select": 50}
    columns = Columns.of({"ranker": ranker}, X.shape[1], None)
    selected = Recipe("best_prefix", columns.params).build(random_state=0).fit(X, y)
    assert len(selected.path_) == 13
    assert columns.wanted is None  # the method's own number
