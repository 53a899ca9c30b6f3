"""The reproduce stage: a paper's cells, claims and figures from the results of its study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fslib.figures.files import Drawn, write_drawn
from fslib.figures.style import drawing
from fslib.reproduce.compare import compared_cells, judged_claims
from fslib.reproduce.paper import paper_named
from fslib.reproduce.results import Results
from fslib.run.artefacts import write_any
from fslib.run.layout import FILES


def reproduce(
    inputs: Mapping[str, Sequence[str]],
    out: Mapping[str, str],
    *,
    group: str,
    paper: str,
    published: str,
    claims: str,
) -> None:
    """Write what became of a paper: compared cells, judged claims, figures."""
    about = paper_named(paper)
    results = Results(group, {kind: inputs[kind] for kind in FILES}, inputs["data"])
    write_any(compared_cells(about, results, published), out["cells"])
    write_any(judged_claims(about, results, claims), out["claims"])
    drawn = {}
    with drawing():
        for name, (caption, draw) in about.figures.items():
            figure = draw(results)
            if figure is not None:
                drawn[name] = Drawn(figure, caption)
    write_drawn(drawn, out["folder"], out["hashes"])
