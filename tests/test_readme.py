"""What the README shows is run: own data, own methods, a study, the library, the results. So is the
method of CONTRIBUTING.md.
"""

import re
from pathlib import Path

import polars as pl
import pytest
import yaml
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestCentroid
from workflow import PROJECT, Workflow, snippet

README = (PROJECT / "README.md").read_text()
CONTRIBUTING = (PROJECT / "CONTRIBUTING.md").read_text()
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """A folder in which the README's steps for own data, own methods and a study were followed."""
    folder = tmp_path_factory.mktemp("readme")
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.assign(label=y.map({0: "setosa", 1: "versicolor", 2: "virginica"})).to_csv(
        folder / "mine.csv", index=False
    )
    (folder / "my_methods.py").write_text(snippet("my_methods.py"))
    config = {
        **CONFIG,
        **yaml.safe_load(snippet("own-data")),
        **yaml.safe_load(snippet("own-method")),
    }
    run = Workflow(
        folder,
        config=config,
        three_filters=yaml.safe_load(snippet("study")),
        more=yaml.safe_load(snippet("study-parts")),
    )
    run.run("own_fast", "three_filters", "more-samples")
    return run


def test_own_table_gets_a_recommendation(followed):
    chosen = pl.read_csv(followed.results / "own_fast" / "tables" / "selected_features.csv")
    assert set(chosen["name"]) <= {
        f"{p} {q} (cm)" for p in ("sepal", "petal") for q in ("length", "width")
    }
    assert (followed.results / "report" / "own_fast.html").exists()


def test_own_methods_are_rows_like_any_other(followed):
    runs = pl.read_parquet(followed.results / "own_fast" / "mine" / "*" / "runs.parquet")
    for name in ("lasso", "spread", "mrmr", "correlation"):
        mine = runs.filter(pl.col("method") == name)
        assert len(mine) == 11
        assert set(mine["status"]) == {"ok"}
    assert set(runs.filter(pl.col("method") == "signal_to_noise")["status"]) == {"skipped"}


def test_study_of_the_readme_ran(followed):
    frame = pl.read_parquet(followed.results / "three_filters" / "*" / "*" / "accuracy.parquet")
    assert set(frame["method"]) == {"correlation", "mid", "miq"}
    assert set(frame["dataset"]) == {"wine", "wdbc"}


def test_parts_have_keys_of_their_own(followed):
    samples = pl.read_parquet(followed.results / "more-samples" / "wine" / "*" / "runs.parquet")
    assert set(samples["method"]) == {"correlation"}
    assert samples["split"].max() == 7


def test_results_are_read_as_shown(followed, monkeypatch, capsys):
    monkeypatch.chdir(followed.folder)
    exec(snippet("results").replace("results/quick", "results/three_filters"), {})
    assert "correlation" in capsys.readouterr().out
    exec(snippet("cost", "docs/cluster.md"), {})
    assert int(capsys.readouterr().out.split()[0]) > 0


def test_library_as_shown(capsys):
    names = {}
    exec(snippet("library"), names)
    assert names["X4"].shape == (178, 4)
    assert "flavanoids" in capsys.readouterr().out


def test_method_of_contributing_ranks():
    names = {"__name__": "spread"}
    exec(snippet("method", "CONTRIBUTING.md"), names)
    fitted = names["Spread"]().fit([[0, 0], [1, 5], [0, 2]], [0, 1, 1])
    assert fitted.order_.tolist() == [1, 0]


def test_classifier_of_contributing_decides():
    names = {"__name__": "nearest_mean"}
    exec(snippet("classifier", "CONTRIBUTING.md"), names)
    X, y = load_iris(return_X_y=True)
    decisions = names["NearestMean"]().decide(X[::2], y[::2], X[1::2], [2, 4])
    peer = NearestCentroid().fit(X[::2], y[::2])
    assert decisions.predicted[1].tolist() == peer.predict(X[1::2]).tolist()


def test_tables_that_contributing_says_to_add_to_exist():
    named = re.findall(r"`(\w+)`\s+in\s+`([\w/]+\.py)`", CONTRIBUTING)
    assert len(named) >= 4
    for name, file in named:
        assert re.search(rf"^{name}\b", (PROJECT / file).read_text(), re.MULTILINE), (name, file)


@pytest.mark.parametrize("page", [README, CONTRIBUTING], ids=["readme", "contributing"])
def test_every_linked_file_exists(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page):
        assert Path(PROJECT, target).exists(), target
