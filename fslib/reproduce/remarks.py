"""What the README of a paper's folder tells its readers, by heading."""

from __future__ import annotations

import re
from pathlib import Path


def remarks(folder: Path) -> dict[str, str]:
    """The sections of the README, Markdown without their headings; none without a README."""
    readme = folder / "README.md"
    text = readme.read_text("utf-8") if readme.exists() else ""
    sections = re.split(r"^## +", text, flags=re.MULTILINE)[1:]
    parted = (section.partition("\n") for section in sections)
    return {heading.strip(): body.strip() for heading, _, body in parted if body.strip()}
