"""A study as the report's script would hand it over."""

from __future__ import annotations

from make_frames import rich

from fslib.compare.figures import figures
from fslib.compare.study import compare

STAMP = {
    "date": "2026-11-16 03:00 UTC",
    "duration": "2 min 10 s",
    "commit": "abc1234",
    "seed": 1,
    "machine": "Example CPU, 2 cores, 8 GB",
    "versions": {"fslib": "0.1", "numpy": "2.4", "scikit-learn": "1.7"},
}


def drawn(made):
    """Tables and figures of a made-up study."""
    tables = compare(made.frames(), datasets=made.datasets, settings=made.settings)
    return tables, figures(tables, made.datasets)


def study_for_page(made=None, name="quick", title="Quick study") -> dict:
    made = made or rich()
    tables, figs = drawn(made)
    return {
        "name": name,
        "title": title,
        "part": "",
        "description": "Small data sets that need no network.",
        "tables": tables,
        "figures": [d.picture(name) for name, d in figs.items()],
        "configuration": "name: quick\ndatasets: [wine, digits]\n",
        "data": {
            "wine": {"title": "Wine recognition", "citation": "Forina et al. (1991), PARVUS."},
            "digits": {"title": "Digits", "differences": "The paper has more rows."},
        },
    }


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)
