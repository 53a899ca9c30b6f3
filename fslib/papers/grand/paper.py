"""What the five papers conclude of methods, asked again under one protocol on many data sets."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

PAPER = Paper(
    "grand",
    "Claims of the five papers under one protocol: no paper of its own, and no published cells.",
)
