"""Yun, Shin, Jo, Yang & Kim (2007): eight methods, what they keep and what it does to accuracy."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

PAPER = Paper(
    "survey",
    "Yun, Shin, Jo, Yang & Kim (2007), An experimental study on feature subset selection methods, "
    "CIT, 77-82.",
)
