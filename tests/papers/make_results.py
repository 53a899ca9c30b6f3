"""Results of a study, made up row by row; kept in memory, with the columns of their contracts."""

from __future__ import annotations

import polars as pl

from fslib.reproduce.results import Results
from fslib.run.artefacts import CONTRACTS

_DEFAULTS = {"status": "ok", "ratio": 1.0}


class MadeResults(Results):
    """Results with the given rows of each kind; what a row leaves out is empty."""

    def __init__(self, kept: dict[str, pl.DataFrame] | None = None, **rows: list[dict]):
        super().__init__("made_up", {}, kept=kept)
        self._rows = rows

    def _read(self, kind: str) -> pl.DataFrame:
        schema = {**CONTRACTS[kind], "part": pl.String}
        filled = [
            {name: row.get(name, _DEFAULTS.get(name)) for name in schema}
            for row in self._rows.get(kind, ())
        ]
        return pl.DataFrame(filled, schema=schema)
