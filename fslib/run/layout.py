"""Where every artefact lies below the output folder, and how splits are numbered."""

from __future__ import annotations

#: The files of one (data set, method entry), in the order the evaluate stage writes them.
FILES = ("selections", "runs", "accuracy", "stability", "recovery", "facts")
