"""
How many features: the one-standard-error rule
==============================================

The size with the best cross-validated accuracy is often a lucky one. The rule takes the smallest
size whose mean is within one standard error of the best.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from fslib import SVMRFE
from fslib.data import load

data = load("wdbc")
sizes = np.arange(1, 31, 2)
accuracy = []
for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(data.X, data.y):
    scale = StandardScaler().fit(data.X[train])
    X_train, X_test = scale.transform(data.X[train]), scale.transform(data.X[test])
    order = SVMRFE().fit(X_train, data.y[train]).order_
    model = KNeighborsClassifier(3)
    accuracy.append(
        [
            model.fit(X_train[:, order[:k]], data.y[train]).score(
                X_test[:, order[:k]], data.y[test]
            )
            for k in sizes
        ]
    )

# %%
# Ten folds: the standard error is the deviation over the folds divided by √10.
mean = np.mean(accuracy, axis=0)
error = np.std(accuracy, axis=0, ddof=1) / np.sqrt(len(accuracy))
best = mean.argmax()
chosen = np.flatnonzero(mean >= mean[best] - error[best])[0]
assert chosen < best  # what the picture is to show

# %%
fig, ax = plt.subplots()
ax.errorbar(sizes, mean, error, capsize=2, color="0.5")
ax.axhline(mean[best] - error[best], color="C1", ls=":", label="one standard error below the best")
ax.plot(sizes[best], mean[best], "o", color="C1", label=f"best: {sizes[best]} features")
ax.plot(sizes[chosen], mean[chosen], "s", color="C0", label=f"chosen: {sizes[chosen]} features")
ax.set(xlabel="features", ylabel="accuracy of 3-NN")
ax.legend()
plt.show()
