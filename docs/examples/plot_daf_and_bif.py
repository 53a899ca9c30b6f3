"""
DAF finds what BIF cannot
=========================

A feature that is useless alone can be decisive together with another: the exclusive or. BIF, which
judges features one by one, cannot see it; DAF judges a feature by random subsets with and without
it.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from fslib import BIF, DAF

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (300, 12))
y = (X[:, 3] * X[:, 7] > 0).astype(int)

# %%
# BIF's value of a feature is the accuracy of 3-NN on it alone; DAF1's is the mean accuracy of the
# subsets that hold it, less that of the subsets that do not.
bif = BIF(criterion="knn3").fit(X, y)
daf = DAF(variant=1, criterion="knn3", n_probes=2000, max_subset_size=6, random_state=0).fit(X, y)
print("BIF:", bif.order_[:2], "DAF:", daf.order_[:2])

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
truth = ["both together" if f in (3, 7) else "noise" for f in range(12)]
for ax, name, fitted in zip(axes, ("BIF", "DAF"), (bif, daf), strict=True):
    sns.barplot(x=np.arange(12), y=fitted.scores_, hue=truth, ax=ax, legend=name == "DAF")
    ax.set(title=name, xlabel="feature", ylabel="score")
    ax.set_ylim(min(fitted.scores_) - 0.1 * np.ptp(fitted.scores_))
plt.show()
