"""Sphinx's configuration. Reference pages that are made from code are written before a build."""

import logging
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

import fslib  # noqa: E402
from fslib.reference import reference_pages  # noqa: E402

# A package of furo's has every program log at INFO: the fits of the gallery would bury a warning.
for name in ("fslib", "matplotlib"):
    logging.getLogger(name).setLevel(logging.WARNING)

project = "fslib"
author = copyright = "the fslib developers"
version = release = fslib.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.katex",
]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
numpydoc_show_class_members = False
autosummary_generate = True
autodoc_typehints = "none"
exclude_patterns = [
    "_build",
    "examples/README.rst",
    "reference/*_api.md",
    "reference/ratios.md",
    "**sg_execution_times.rst",  # the gallery's page of times loads scripts from the network
]
suppress_warnings = ["config.cache"]
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "download_all_examples": False,
    "min_reported_time": 1,
}
# KaTeX's own style sheet and fonts would come from the network; MathML needs neither.
katex_options = '{output: "mathml"}'
katex_css_path = "math.css"
html_theme = "furo"
html_title = f"fslib {release}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]


def write_reference(app):
    for name, text in reference_pages().items():
        path = DOCS / "reference" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def link_within(app, docname, source):
    """Pages are read in the repository too, where `benchmarks/results/` lies beside `docs/`."""
    text = source[0].replace("](../benchmarks/results/", "](results/generated/")
    text = text.replace("](../../benchmarks/results/", "](../results/generated/")
    source[0] = text.replace("](../../docs/", "](../../")


def setup(app):
    app.connect("builder-inited", write_reference, priority=100)
    app.connect("source-read", link_within)
