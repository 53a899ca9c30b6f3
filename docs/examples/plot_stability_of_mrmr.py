"""
Stability of mRMR against α
===========================

mRMR adds the feature that maximises :math:`α I(f; y) - (1 - α) \\overline{I(f; s)}` over the
features :math:`s` chosen before. A small α weighs redundancy, a large one relevance. How much do
the chosen sets change when the rows do?
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from fslib import MRMR
from fslib.data import load
from fslib.evaluate.stability import nogueira
from fslib.prepare import equal_width

data = load("wdbc")
codes = equal_width(data.X, 10)
rng = np.random.default_rng(0)
samples = [rng.choice(len(codes), len(codes)) for _ in range(20)]

# %%
# Twenty bootstrap samples, five values of α, the ten best features each.
alphas = [0, 0.25, 0.5, 0.75, 1]
rows = {"α": [], "stability": [], "features": []}
for alpha in alphas:
    ranker = MRMR(scheme="alpha", alpha=alpha, n_features_to_select=10)
    orders = [ranker.fit(codes[rows_], data.y[rows_]).order_ for rows_ in samples]
    for k in (2, 5, 10):
        value, low, high = nogueira([order[:k] for order in orders], codes.shape[1])
        rows["α"].append(alpha)
        rows["features"].append(str(k))
        rows["stability"].append(value)

# %%
# With pure relevance (α = 1) the sets are the most stable: redundancy is a difference of nearly
# equal numbers, which a few rows can turn.
ax = sns.lineplot(rows, x="α", y="stability", hue="features", marker="o")
ax.set(title="Nogueira's stability of mRMR on wdbc", xticks=alphas)
plt.show()
