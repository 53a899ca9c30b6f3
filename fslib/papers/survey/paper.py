"""What Yun, Shin, Jo, Yang & Kim (2007) is: eight methods, what they keep, how accurate that is."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

PAPER = Paper(
    "survey",
    "Yun, Shin, Jo, Yang & Kim (2007), An experimental study on feature subset selection methods, "
    "CIT, 77-82.",
)
