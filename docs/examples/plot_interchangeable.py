"""
Interchangeable features
========================

Unstable selections need not be bad ones: where two features say the same, either will do. Groups of
features with a high correlation show which.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from fslib import SVMRFE
from fslib.data import load
from fslib.prepare import minmax

data = load("wdbc")
X = minmax(data.X)
rng = np.random.default_rng(0)
chosen = np.zeros(X.shape[1])
for _ in range(20):
    rows = rng.choice(len(X), len(X))
    chosen[SVMRFE(n_features_to_select=2).fit(X[rows], data.y[rows]).order_[:2]] += 1 / 20

# %%
# Two features are chosen in each of twenty bootstrap samples. How alike are those that ever were?
often = np.argsort(-chosen, kind="stable")[: np.count_nonzero(chosen)]
names = [f"{data.feature_names[f]} ({chosen[f]:.0%})" for f in often]
alike = np.abs(np.corrcoef(X[:, often], rowvar=False))

# %%
# Features that share a dark square are interchangeable. Of the concave points' mean and worst value
# the samples choose now one, now the other; nearly no other choice varies.
ax = sns.heatmap(alike, xticklabels=False, yticklabels=names, vmin=0.7, vmax=1, cmap="crest")
ax.set(title="|correlation| of the features that were chosen")
plt.tight_layout()
plt.show()
