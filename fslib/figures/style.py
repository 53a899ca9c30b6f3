"""One look for all figures: colours per method, sizes that suit a phone, equal bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

import matplotlib
import polars as pl
import seaborn as sns
from matplotlib.figure import Figure

from fslib.figures.colours import CROWD, INK, LINE, MUTED, PAPER, WIDTH
from fslib.figures.files import Picture
from fslib.run.roles import ALL_FEATURES, COMPETITOR, ORACLE, RANDOM

# The colour-blind can tell these colours apart; each has a contrast of at least 3:1 to the white
# and to the dark page.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#c2649a", "#a87b00", "#8a63d2")
_MARKERS = ("o", "s", "^", "D", "v", "P")
MOST_LABELLED = len(_COLOURS)

_RC = {
    **sns.axes_style("whitegrid"),
    **sns.plotting_context("paper", font_scale=0.97),
    "svg.fonttype": "none",
    "path.simplify": False,
    "font.sans-serif": ["DejaVu Sans"],
    "figure.titlesize": 11,
    "figure.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 3,
    "legend.frameon": False,
    "legend.labelspacing": 0.35,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.2,
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), PAPER),
    **dict.fromkeys(("text.color", "axes.labelcolor"), INK),
    **dict.fromkeys(("axes.titlecolor", "xtick.color", "ytick.color"), MUTED),
    **dict.fromkeys(("axes.edgecolor", "grid.color"), LINE),
    "grid.linewidth": 0.5,
    "grid.alpha": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's defaults and our settings, whatever the user has configured."""
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, "backend": "agg", **_RC}):
        yield


def svg_text(figure: Figure, name: str) -> str:
    """The figure as SVG: the same bytes for the same figure, ids that depend on ``name``.

    What a page needs to read values back stands in ids: ``axes:`` and the limits of both axes,
    ``method:`` and the name of a method (`method_mark`).
    """
    buffer = io.StringIO()
    metadata = {"Date": None, "Creator": "fslib", "Title": name}
    with matplotlib.rc_context({**_RC, "svg.hashsalt": name}):
        for axes in figure.axes:
            # Of panels one below the other the last has the label of the x axis; a panel whose y
            # axis has no label is titled by what it shows.
            labels = (
                axes.get_xlabel() or figure.axes[-1].get_xlabel(),
                axes.get_ylabel() or axes.get_title(loc="left"),
            )
            limits = [
                [axis.get_scale(), *axis.get_view_interval().tolist(), label]
                for axis, label in zip((axes.xaxis, axes.yaxis), labels, strict=True)
            ]
            axes.set_gid(f"axes:{quote(json.dumps(limits))}")
        figure.savefig(buffer, format="svg", metadata=metadata)
    return buffer.getvalue()


@dataclass(frozen=True)
class Drawn:
    """A figure with what a reader is told about it."""

    figure: Figure
    caption: str
    section: str = ""
    dataset: str = ""

    def picture(self, name: str) -> Picture:
        svg = svg_text(self.figure, name)
        return Picture(name, svg, self.caption, self.section, self.dataset)


def method_mark(name: str, kind: str = "method") -> str:
    """The id of whatever stands for a method in a figure; a ``band`` has no values to read."""
    return f"{kind}:{quote(name)}"


@dataclass(frozen=True)
class Look:
    """How a method is drawn in every figure of a study."""

    label: str
    colour: str
    role: str = COMPETITOR
    marker: str = "."
    front: bool = True
    """False for yardsticks and for methods beyond those that can be told apart."""

    @property
    def line(self) -> tuple | str:
        """The line as matplotlib takes it."""
        return (0, YARDSTICKS[self.role]) if self.role in YARDSTICKS else "-"


#: Dashes of the yardsticks, by role.
YARDSTICKS = {ALL_FEATURES: (1, 1.6), RANDOM: (3.7, 1.6), ORACLE: (6.4, 1.6, 1, 1.6)}


def looks(ranks: pl.DataFrame) -> dict[str, Look]:
    """A look per method, by rank; only the first ``MOST_LABELLED`` competitors get a colour."""
    ranks = ranks.unique("method", keep="first", maintain_order=True)
    competitors = ranks.filter(pl.col("role") == COMPETITOR)["method"].to_list()
    found = {name: Look(short(name), CROWD, front=False) for name in competitors}
    for name, colour, marker in zip(competitors, _COLOURS, _MARKERS, strict=False):
        found[name] = Look(short(name), colour, marker=marker)
    for name, role in ranks.filter(pl.col("role") != COMPETITOR).select("method", "role").rows():
        found[name] = Look(short(name), MUTED, role, front=False)
    return found


def short(name: str, most: int = 26) -> str:
    """A name that fits a legend and that matplotlib takes literally."""
    name = name if len(name) <= most else name[: most - 1] + "…"
    # A leading underscore would hide the name from legends; dollar signs would start a formula.
    return ("\u200b" if name.startswith("_") else "") + name.replace("$", r"\$")


def message(text: str) -> Figure:
    """A figure that says why there is nothing to draw."""
    figure = Figure(figsize=(WIDTH, 1.2))
    figure.text(0.5, 0.5, short(text, 200), ha="center", va="center", color=MUTED, wrap=True)
    return figure
