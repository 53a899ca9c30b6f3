"""The reproduce stage: a paper's cells, claims, findings, figures from results of its study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from fslib.figures.files import write_pictures
from fslib.figures.style import Drawn, drawing
from fslib.reproduce.agreement import agreement_pictures
from fslib.reproduce.compare import compared_cells, judged_claims, score_line
from fslib.reproduce.findings import found_findings
from fslib.reproduce.paper import paper_in
from fslib.reproduce.remarks import remarks
from fslib.reproduce.results import Results
from fslib.run.artefacts import atomic_path, write_any
from fslib.run.layout import FILES


def reproduce(
    inputs: Mapping[str, Sequence[str]],
    out: Mapping[str, str],
    *,
    group: str,
    kept: Mapping[str, pl.DataFrame] | None = None,
) -> None:
    """Write what became of a paper: compared cells, judged claims, findings, figures, its score.

    Parameters
    ----------
    inputs : for each kind of `FILES` the files of the study's parts, ``data`` the tables of the
        data sets, ``splits`` the splits of the parts, ``paper`` the texts of the paper's folder,
        `claims.yaml` first.
    out : files ``cells``, ``claims``, ``findings``, ``about`` and ``listing``, the figures'
        ``folder`` and that of the ``exhibits``.
    group : name of the study file.
    kept : exhibits of earlier runs, by name.
    """
    folder = Path(inputs["paper"][0]).parent
    paper = paper_in(folder)
    kinds = {kind: inputs[kind] for kind in FILES}
    results = Results(group, kinds, inputs["data"], inputs["splits"], kept)
    main = paper.main_reading(results)
    cells = compared_cells(paper, main, folder)
    claims = judged_claims(paper, results, folder)
    write_any(cells, out["cells"])
    write_any(claims, out["claims"])
    with atomic_path(out["exhibits"]) as temporary:
        temporary.mkdir()
        for name, exhibit in paper.kept_of(results):
            write_any(exhibit, temporary / f"{name}.parquet")
    about = {
        "name": paper.name,
        "citation": paper.citation,
        "score": score_line(cells, claims),
        "layouts": paper.layouts,
        "remarks": remarks(folder),
    }
    for name, content in (("about", about), ("findings", found_findings(paper, results, folder))):
        with atomic_path(out[name]) as temporary:
            temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    drawn = agreement_pictures(cells)
    with drawing():
        for name, (caption, draw) in paper.figures.items():
            figure = draw(main)
            if figure is not None:
                drawn.append(Drawn(figure, caption).picture(name))
    write_pictures(drawn, out["folder"], out["listing"])
