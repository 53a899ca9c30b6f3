"""Demšar's diagram of mean ranks, drawn by hand as seaborn has none."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from fslib.compare.statistics import groups_within
from fslib.figures.colours import INK, MUTED, WIDTH
from fslib.figures.style import method_mark, short


def critical_difference_diagram(mean_ranks: dict[str, float], cd: float) -> Figure:
    """Mean ranks on a line, best first; a bar joins methods at most ``cd`` apart.

    References
    ----------
    Demšar (2006), JMLR 7:1–30, figure 1.
    """
    means, names = list(mean_ranks.values()), [short(m, 22) for m in mean_ranks]
    n, groups = len(names), groups_within(means, cd)
    left = range(math.ceil(n / 2))
    right = range(n - 1, left[-1], -1)
    # Units of y are lines of text below the axis; the worst method is the first on the right.
    bars = 0.55 * len(groups) + 0.9
    place = {i: bars + y for side in (left, right) for y, i in enumerate(side)}
    depth, above = max(place.values()) + 0.8, 3.8
    figure = Figure(figsize=(WIDTH, 0.18 * (depth + above)))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    # x is in inches; the scale of ranks gets the width that the names on both sides leave.
    axes.set(xlim=(0, WIDTH), ylim=(depth, -above))
    margins = [
        0.2 + 0.075 * max((len(names[i]) for i in side), default=0) for side in (left, right)
    ]
    room = WIDTH - sum(margins)
    unit = min(room / (n - 1), (WIDTH - 0.3) / cd)
    origin = margins[0] + (room - unit * (n - 1)) / 2

    def x(rank):
        return origin + (rank - 1) * unit

    axes.plot([x(1), x(n)], [0, 0], color=INK, linewidth=1)
    for tick in range(1, n + 1, math.ceil(0.22 / unit)):
        axes.plot([x(tick)] * 2, [0, -0.3], color=INK, linewidth=1)
        axes.text(x(tick), -0.4, str(tick), ha="center", va="bottom", size=8.5, color=MUTED)
    # The bar of the critical difference is centred over the scale, so that even a bar wider than
    # the scale stays in the picture.
    middle, half = (x(1) + x(n)) / 2, cd * unit / 2
    ends = [middle - half, middle + half]
    axes.plot(ends, [-2.1, -2.1], color=INK, linewidth=1.4, marker="|", gid="cd")
    axes.text(middle, -2.5, f"critical difference {cd:.2f}", ha="center", va="bottom", size=8.5)
    for level, (first, last) in enumerate(groups):
        ends, y = [x(means[first]) - 0.03, x(means[last]) + 0.03], 0.5 + 0.55 * level
        axes.plot(ends, [y, y], color="#0072b2", linewidth=3, gid=f"group-{level}")
    for i, (method, mean) in enumerate(mean_ranks.items()):
        y, mark = place[i], method_mark(method)
        side, gap, ha = (x(1) - 0.1, -0.04, "right") if i in left else (x(n) + 0.1, 0.04, "left")
        axes.plot([x(mean)] * 2 + [side], [0, y, y], color=MUTED, linewidth=0.8, zorder=1, gid=mark)
        axes.text(side + gap, y, names[i], va="center", ha=ha, size=8.5, gid=mark)
    return figure
