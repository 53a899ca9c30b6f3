"""Cells and claims of a made-up paper, whose standings and verdicts are known."""

import json
from pathlib import Path

import polars as pl
import pytest
from make_frames import rich

from fslib.compare.study import compare
from fslib.figures.files import Picture, write_pictures
from fslib.report.page import render
from fslib.reproduce.compare import compared_cells, judged_claims, score_line
from fslib.reproduce.findings import found_findings
from fslib.reproduce.keep import _added, keep, read_kept, read_runs
from fslib.reproduce.kept_pages import grand_page, grand_summary, overview, paper_page
from fslib.reproduce.paper import (
    FAILS,
    HOLDS,
    UNTESTED,
    Cell,
    Finding,
    Paper,
    PaperError,
    Reading,
    Verdict,
    judged,
)
from fslib.reproduce.results import Results
from fslib.run.artefacts import CONTRACTS, write_any
from fslib.run.errors import FslibError
from fslib.run.layout import Layout

CELLS = """table,dataset,method,quantity,condition,value,deviation,note
1,wine,a,accuracy,,90.0,2.0,
1,wine,b,accuracy,,80.0,2.0,
1,wine,c,accuracy,,70.0,2.0,
1,wine,d,accuracy,r=0.5,,,illegible
2,wine,a,seconds,,10,,
2,wine,b,seconds,,20,,
2,wine,c,seconds,,30,,
"""
CLAIMS = """
- {id: a_best, claim: A is best., quotation: "the best", where: 1}
- {id: b_fast, claim: B is fast., quotation: "fast", where: 2}
- {id: c, claim: C is nice., quotation: "nice", where: 3, why_not: Taste.}
"""


def made_up() -> Paper:
    paper = Paper("made_up", "Nobody (2000).", published_repeats=lambda row: 4)

    @paper.table
    def accuracies(results):
        yield Cell("1", "wine", "a", "accuracy", "", 88.0, 2.0, 16)  # tolerance 2·√(1 + 1/4)
        yield Cell("1", "wine", "b", "accuracy", "", 82.4, 2.0, 16)
        yield Cell("2", "wine", "a", "seconds", "", 10.0, None, 16)  # equal, but by what?
        yield Cell("2", "wine", "b", "seconds", "", 12.0, None, 16)
        yield Cell("2", "wine", "c", "seconds", "", None)

    @paper.claim("a_best")
    def best(results):
        return judged({"wine": True})

    @paper.claim("b_fast")
    def fast(results):
        return Verdict(FAILS, "12 s")

    return paper


@pytest.fixture
def folder(tmp_path):
    """The texts of the made-up paper."""
    folder = tmp_path / "papers" / "made_up"
    folder.mkdir(parents=True)
    (folder / "paper.py").touch()
    (folder / "cells.csv").write_text(CELLS)
    (folder / "claims.yaml").write_text(CLAIMS)
    return folder


@pytest.fixture
def compared(folder):
    nothing = Results("made_up", {})
    return (
        compared_cells(made_up(), nothing, folder),
        judged_claims(made_up(), nothing, folder),
    )


def test_cells_stand_where_two_standard_errors_put_them(compared):
    cells, _ = compared
    standings = ["within", "outside", "not run", "not printed"]
    assert cells["standing"].to_list() == [*standings, *["no deviation"] * 2, "no value"]
    assert cells["tolerance"][0] == pytest.approx(2 * (2**2 / 4 + 2**2 / 16) ** 0.5)
    assert cells["difference"].to_list()[:2] == pytest.approx([-2.0, 2.4])


def test_claims_without_a_predicate_say_why(compared):
    _, claims = compared
    assert claims["verdict"].to_list() == [HOLDS, FAILS, UNTESTED]
    assert claims["detail"].to_list() == ["holds on wine", "12 s", "Taste."]


def test_cells_without_a_deviation_are_no_score():
    line = score_line(
        pl.DataFrame({"standing": ["no deviation"]}), pl.DataFrame({"verdict": [HOLDS]})
    )
    assert line == "no cell can be judged (no deviation 1); claims: holds 1"


def test_one_line_says_it_all(compared):
    assert score_line(*compared) == (
        "1 of 2 cells within two standard errors "
        "(no deviation 2, no value 1, not run 1, not printed 1); "
        "claims: holds 1, does not hold 1, not tested 1"
    )


def test_a_cell_that_the_paper_does_not_have_is_a_mistake(folder):
    paper = made_up()
    paper.table(lambda results: [Cell("9", "wine", "a", "accuracy", "", 1.0)])
    with pytest.raises(PaperError, match=r"the paper has no cell \('9', 'wine'"):
        compared_cells(paper, Results("made_up", {}), folder)


def test_a_predicate_without_a_claim_is_a_mistake(folder):
    paper = made_up()
    paper.claim("a_bets")(lambda results: judged({}))
    with pytest.raises(PaperError, match=r"predicates without a claim: .*a_bets"):
        judged_claims(paper, Results("made_up", {}), folder)


def test_a_claim_with_neither_predicate_nor_reason_is_a_mistake(folder):
    paper = made_up()
    del paper.claims["a_best"]
    with pytest.raises(PaperError, match=r"need a predicate or `why_not`: \['a_best'\]"):
        judged_claims(paper, Results("made_up", {}), folder)


def test_a_claim_has_one_predicate_and_a_figure_one_name():
    paper = made_up()
    with pytest.raises(PaperError, match="claim 'a_best' has two predicates"):
        paper.claim("a_best")(lambda results: judged({}))
    paper.figure("figure_1", "A figure.")(lambda results: None)
    with pytest.raises(PaperError, match="two figures are called 'figure_1'"):
        paper.figure("figure_1", "Another.")(lambda results: None)


def test_findings_are_plain_data_and_may_have_nothing_to_tell(folder):
    paper = made_up()
    rows = pl.DataFrame({"a": ["x"], "b": [1.5]})
    paper.finding("mix", "Mixed up")(lambda results: Finding("They are.", {"n": 3}, rows))
    paper.finding("silent", "Unknown")(lambda results: None)
    with pytest.raises(PaperError, match="two findings are called 'mix'"):
        paper.finding("mix", "Again")(lambda results: None)
    found = found_findings(paper, Results("made_up", {}), folder)
    table = {"columns": ["a", "b"], "rows": [("x", 1.5)]}
    told = {"name": "mix", "title": "Mixed up", "text": "They are."}
    assert found == [{**told, "numbers": {"n": 3}, "table": table}]


class Parts(Results):
    """One run per part, whose number of models is the accuracy of method a."""

    def __init__(self, **runs):
        super().__init__("made_up", {})
        self._runs = runs

    def _read(self, kind):
        rows = [{"part": part, "n_fits": n, "status": "ok"} for part, n in self._runs.items()]
        schema = {**CONTRACTS[kind], "part": pl.String}
        filled = [{name: row.get(name) for name in schema} for row in rows * (kind == "runs")]
        return pl.DataFrame(filled, schema=schema)


def test_another_reading_stands_beside_the_main_one(folder):
    paper = Paper(
        "made_up",
        "Nobody (2000).",
        published_repeats=lambda row: 4,
        readings=(Reading("C fitted; the paper says 1", {"hard": "plain"}),),
    )

    @paper.table
    def accuracies(results):
        assert results.parts == {"plain", "else"}
        accuracy = results.runs.filter(part="plain")["n_fits"].item()
        yield Cell("1", "wine", "a", "accuracy", "", accuracy, 2.0, 16)

    @paper.claim("a_best")
    def best(results):
        return judged({"wine": results.runs.filter(part="plain")["n_fits"].item() > 85})

    @paper.claim("b_fast")
    def fast(results):
        return judged({"wine": True})

    results = Parts(plain=80, hard=89, **{"else": 1})
    main = paper.main_reading(results)
    assert compared_cells(paper, main, folder)["ours"][0] == 80
    claims = judged_claims(paper, results, folder)
    assert claims["verdict"].to_list() == [FAILS, HOLDS, UNTESTED]
    told = "Read otherwise (C fitted; the paper says 1): holds; holds on wine"
    assert claims["detail"][0] == f"not on wine. {told}"
    assert "otherwise" not in claims["detail"][1]
    (finding,) = found_findings(paper, results, folder)
    assert finding["title"] == "Read otherwise: C fitted; the paper says 1"
    assert list(finding["numbers"].values()) == [1, 0, 1]
    assert finding["table"]["rows"] == [
        ("1", "wine", "a", "accuracy", "", 90.0, 80.0, 89.0, "within")
    ]
    # Without its parts a reading has nothing to say.
    alone = Parts(plain=80, **{"else": 1})
    assert found_findings(paper, alone, folder) == []
    assert judged_claims(paper, alone, folder)["detail"][0] == "not on wine"


@pytest.mark.parametrize(("ours", "standing"), [(80.04, "within"), (80.4, "outside")])
def test_a_value_is_rounded_as_its_table_is(folder, ours, standing):
    cells = (folder / "cells.csv").read_text().replace("80.0,2.0", "80,0")
    (folder / "cells.csv").write_text(cells)
    paper = made_up()
    paper.tables = [lambda results: [Cell("1", "wine", "b", "accuracy", "", ours, 0.0, 16)]]
    compared = compared_cells(paper, Results("made_up", {}), folder)
    # 0.4 off a printed 80 in a table of one decimal: not a matter of rounding.
    assert compared["standing"][1] == standing


def test_a_single_repeat_has_no_deviation(folder):
    paper = made_up()
    paper.tables = [lambda results: [Cell("1", "wine", "a", "accuracy", "", 88.0, 0.0, 1)]]
    compared = compared_cells(paper, Results("made_up", {}), folder)
    assert compared["standing"][0] == "no deviation"


def test_a_deviation_of_something_else_is_replaced(folder):
    paper = made_up()
    ours = Cell("1", "wine", "a", "accuracy", "", 88.0, 2.0, 16, published_deviation=0.5)
    paper.tables = [lambda results: [ours]]
    compared = compared_cells(paper, Results("made_up", {}), folder)
    assert compared["tolerance"][0] == pytest.approx(2 * (0.5**2 / 4 + 2**2 / 16) ** 0.5)
    assert compared["published_deviation"][0] == 0.5


def test_summaries_of_long_runs_are_kept_and_shown(compared, folder, tmp_path):
    cells, claims = compared
    made = tmp_path / "results" / "made_up_small" / "reproduction"
    with pytest.raises(FslibError, match="is not there yet"):
        keep(Layout(str(tmp_path / "results")), "made_up_small", [], folder)
    write_any(cells, made / "cells.parquet")
    write_any(claims, made / "claims.parquet")
    found = [
        {"name": "mix", "title": "Two tables are mixed up", "text": "They are.",
         "numbers": {"correlation": 0.98612},
         "table": {"columns": ["a", "b"], "rows": [["x", 1.5]]}}
    ]  # fmt: skip
    (made / "findings.json").write_text(json.dumps(found))
    drawn = [Picture("figure_1", "<svg/>", "A figure.", "", "")]
    write_pictures(drawn, str(made / "figures"), str(made / "figures.json"))
    (made / "figures" / ".snakemake_timestamp").touch()
    times = tmp_path / "results" / "benchmarks" / "made_up_small-a" / "wine"
    times.mkdir(parents=True)
    (times / "evaluate.tsv").write_text("s\tcpu_time\n3600\t3500\n")
    write_any(claims, tmp_path / "results" / "made_up_small-a" / "ledger.parquet")
    parts = ["made_up_small-a", "made_up_small-b"]
    keep(Layout(str(tmp_path / "results")), "made_up_small", parts, folder, "Beside others.")
    (run,) = json.loads((folder / "outcome" / "runs.json").read_text())
    assert run["hours"] == {"made_up_small-a": 1.0}
    assert run["command"].endswith("made_up_small --config without='[made_up_small-b]'")
    (folder / "README.md").write_text("## Before quoting a number\nAsk.\n\n## Else\nNo more.\n")
    page = overview(folder.parent)
    assert "| made_up | 1 / 2 | 4 | 1 | 1 | 0 | 1 | 1 | 1.00 |" in page
    assert "| A is best. | holds | holds on wine |" in page
    page = paper_page(folder)
    assert "| A is best. | holds | holds on wine |" in page
    assert ": Beside others.\n" in page
    assert "\nAsk.\n" in page
    # The paper's layout: methods side by side, published before ours.
    assert "| data set | condition | a | b | c | d |" in page
    assert "| wine |  | 90 / 88.0 ✓ | 80 / 82.4 ✗ | 70 / not run |  |" in page
    assert "| wine | r=0.5 |  |  |  | illegible |" in page
    assert "outcome/figures/figure_1.svg)\n\nA figure." in page
    kept = [path.name for path in (folder / "outcome" / "figures").iterdir()]
    assert kept == ["figure_1.svg"]
    assert "## Ranking" not in page
    assert "## Finding: Two tables are mixed up\n\nThey are.\n\n- correlation: 0.986\n" in page
    assert "| x | 1.5 |" in page
    assert "No more." not in page


def test_a_study_is_kept_part_by_part(compared, folder, tmp_path):
    """A second run adds what it decided and leaves what the first alone has."""
    cells, claims = compared
    at = Layout(str(tmp_path / "results"))
    parts = ["made_up-a", "made_up-b"]

    def run(part, cells, claims, finding):
        write_any(cells, at.outcome("made_up", "cells.parquet"))
        write_any(claims, at.outcome("made_up", "claims.parquet"))
        told = {"name": finding, "title": finding, "text": "So.", "numbers": {}, "table": None}
        Path(at.outcome("made_up", "findings.json")).write_text(json.dumps([told]))
        drawn = [Picture(f"figure_{part}", "<svg/>", f"Of {part}.", "", "")]
        listing = at.outcome("made_up", "figures.json")
        write_pictures(drawn, listing.removesuffix(".json"), listing)
        for one in parts:
            Path(at.ledger(one)).unlink(missing_ok=True)
        write_any(claims, at.ledger(part))

    run(parts[0], cells, claims, "first")
    keep(at, "made_up", parts, folder)
    wine_a = pl.col("table").eq("1") & pl.col("method").eq("a")
    other = cells.with_columns(
        ours=pl.when(wine_a).then(None).otherwise(pl.col("ours") + pl.col("table").eq("2")),
        standing=pl.when(wine_a).then(pl.lit("not run")).otherwise(pl.col("standing")),
    )
    fewer = claims.with_columns(
        verdict=pl.when(pl.col("claim") == "a_best").then(pl.lit(UNTESTED)).otherwise("verdict"),
        places=pl.when(pl.col("claim") == "a_best").then(0).otherwise(pl.col("places")),
        detail=pl.lit("again"),
    )
    run(parts[1], other, fewer, "second")
    keep(at, "made_up", parts, folder, add=True)
    kept = read_kept(folder / "outcome", "cells")
    assert kept["ours"].to_list() == [88.0, *other["ours"][1:]]
    assert kept["standing"].to_list() == cells["standing"].to_list()
    kept = read_kept(folder / "outcome", "claims")
    assert kept["verdict"].to_list() == claims["verdict"].to_list()
    # As many places say less than they did: of the two parts nothing judges both.
    assert kept["detail"].to_list() == [*claims["detail"][:2], "again"]
    page = paper_page(folder)
    again = "the same again: 1 of 3 cells; not 2 of seconds."
    assert again in page
    assert page.index("without='[made_up-b]'") < page.index("without='[made_up-a]'")
    for said in ("## Finding: first", "## Finding: second", "Of made_up-a.", "Of made_up-b."):
        assert said in page
    # A run of all parts takes the place of verdicts on as many places.
    write_any(fewer, at.ledger(parts[0]))
    keep(at, "made_up", parts, folder, add=True)
    kept = read_kept(folder / "outcome", "claims")
    assert kept["detail"].to_list() == [claims["detail"][0], "again", "again"]
    # Without `add` a run takes the place of all that is kept.
    keep(at, "made_up", parts, folder)
    assert "made_up-a." not in paper_page(folder)


def test_what_is_shown_twice_is_of_the_run_that_speaks_for_all():
    new, kept = [("a", 2), ("b", 2)], [("b", 1), ("c", 1)]
    assert _added(new, kept, True, lambda one: one[0]) == [("a", 2), ("b", 2), ("c", 1)]
    assert _added(new, kept, False, lambda one: one[0]) == [("b", 1), ("c", 1), ("a", 2)]


def test_a_run_that_is_kept_as_it_grows_is_one_run(compared, folder, tmp_path):
    """Its own earlier results are no second run, and its hours count once."""
    parts = ["made_up-a", "made_up-b"]

    def ran(output, **hours):
        at = Layout(str(tmp_path / output))
        for table, name in zip(compared, ("cells", "claims"), strict=True):
            write_any(table, at.outcome("made_up", f"{name}.parquet"))
        Path(at.outcome("made_up", "findings.json")).write_text("[]")
        listing = at.outcome("made_up", "figures.json")
        write_pictures([], listing.removesuffix(".json"), listing)
        for part, taken in hours.items():
            write_any(compared[1], at.ledger(f"made_up-{part}"))
            times = tmp_path / output / "benchmarks" / f"made_up-{part}"
            times.mkdir(parents=True, exist_ok=True)
            (times / "select.tsv").write_text(f"s\n{3600 * taken}\n")
        keep(at, "made_up", parts, folder, add=True)
        return read_runs(folder / "outcome")

    (run,) = ran("first", a=1.25)
    assert run["hours"] == {"made_up-a": 1.25}
    (run,) = ran("first", b=0.5)
    assert run["hours"] == {"made_up-a": 1.25, "made_up-b": 0.5}
    assert "again" not in run
    first, second = ran("second", a=1.75)
    assert first == run
    assert second["again"]["cells"] == 4
    assert ran("second", b=0.25)[1]["again"] == second["again"]
    assert "| 0 | 1 | 1 | 2.00 |" in overview(folder.parent)


def test_the_grand_comparison_has_a_page_before_and_after_its_run(compared, folder, tmp_path):
    grand = folder.rename(folder.with_name("grand"))
    assert "**Not run yet**" in grand_page(grand.parent)
    assert grand_summary(grand.parent) == ["Not run yet."]
    made, at = rich(["wine", "lucas"]), Layout(str(tmp_path / "results"))
    tables = compare(made.frames(), datasets=made.datasets, settings=made.settings)
    for name in ("ranks", "friedman"):
        write_any(tables[name], at.tables("grand")[name])
    for name, table in zip(("cells", "claims"), compared, strict=True):
        write_any(table, at.outcome("grand", f"{name}.parquet"))
    write_any(compared[1], at.ledger("grand"))
    write_pictures([], at.outcome("grand", "figures"), at.outcome("grand", "figures.json"))
    drawn = [Picture("tradeoff", "<svg/>", "Cost.", "cost", "")]
    drawn.append(Picture("accuracy_wine", "<svg/>", "Of one table.", "accuracy", "wine"))
    write_pictures(drawn, at.figure_folder("grand"), at.figures("grand"))
    Path(at.outcome("grand", "findings.json")).write_text("[]")
    keep(at, "grand", ["grand"], grand)
    page = grand_page(grand.parent)
    assert "outcome/figures/tradeoff.svg)\n\nCost." in page
    assert "Of one table." not in page
    best = tables["ranks"].filter(question="set", field="").row(0, named=True)
    assert f"| {best['method']} | {best['mean_rank']:.2f} | {best['groups']} |" in page
    assert "### How good is its order?" in page
    short = grand_summary(grand.parent)
    assert any(line.startswith(f"| {best['method']} | {best['mean_rank']:.2f} |") for line in short)
    assert sum(line.startswith("| all_features |") for line in short) == 1
    assert "Not run yet" not in page
    # A study that asks the same of other tables is kept apart and stands on the same page.
    keep(at, "grand", ["grand"], grand, apart=True)
    (grand / "outcome-grand").rename(grand / "outcome-grand_multi")
    both = grand_page(grand.parent)
    assert both.startswith(page.rstrip())
    assert "## The same asked of `grand_multi`" in both
    assert "#### How good is its order?" in both
    assert "grand/outcome-grand_multi/figures/tradeoff.svg)\n\nCost." in both
    assert grand_summary(grand.parent) == short


def test_the_page_begins_with_the_paper(compared):
    cells, claims = compared
    paper = {"name": "made_up", "citation": "Nobody (2000).", "score": score_line(cells, claims)}
    paper |= {"layouts": {}, "remarks": {}, "findings": [], "figures": []}
    html = render([], {"date": "today"}, [{**paper, "cells": cells, "claims": claims}])
    assert "Does the paper hold? made_up" in html
    assert "Nobody (2000)." in html
    assert "does not hold" in html
    assert "82.40" in html


def test_results_without_files_are_empty_tables():
    nothing = Results("made_up", {})
    assert nothing.accuracy.is_empty()
    assert "part" in nothing.accuracy.columns
    assert nothing.runs.filter(pl.col("n_fits") > 1).is_empty()
