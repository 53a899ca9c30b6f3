"""
AMFES against SVM-RFE where the truth is known
==============================================

The AMFES paper generates tables in which a few features are essential. How many of them are among
the first features of each ranking?
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from fslib import AMFES, SVMRFE, Correlation
from fslib.data import load
from fslib.prepare import minmax

data = load("amfes_quick")
X = minmax(data.X)
essential = set(data.essential)
methods = {
    "AMFES": AMFES(n_subsets=25, random_state=0),
    "SVM-RFE": SVMRFE(),
    "correlation": Correlation(),
}

# %%
# Five random halves of the rows; the share of the essential features among the best k.
rng = np.random.default_rng(0)
rows = {"method": [], "k": [], "found": []}
for _ in range(5):
    half = rng.permutation(len(X))[: len(X) // 2]
    for name, method in methods.items():
        order = method.fit(X[half], data.y[half]).order_
        for k in range(1, 31):
            rows["method"].append(name)
            rows["k"].append(k)
            rows["found"].append(len(essential & set(order[:k])) / len(essential))

# %%
# The band is the spread over the five halves.
ax = sns.lineplot(rows, x="k", y="found", hue="method", errorbar="sd")
ax.axvline(len(essential), color="0.7", zorder=0)
ax.set(xlabel="features looked at", ylabel="share of the essential features found")
plt.show()
