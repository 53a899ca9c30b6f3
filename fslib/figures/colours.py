"""The colours, and the width in inches, that figures and the page that shows them agree on.

Apart from the style of figures, so that a page is laid out without importing seaborn.
"""

# The page swaps these five for its own colours, so that figures follow light and dark.
PAPER, INK, MUTED, LINE, CROWD = "#ffffff", "#1d2430", "#5b6573", "#c9d0d9", "#98a1ad"
WIDTH = 4.1
