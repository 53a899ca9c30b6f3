"""
Selection bias: select before or within the split
=================================================

On pure noise no classifier is better than chance. If features are selected with the help of the
test rows, it seems to be.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from fslib import Correlation

rows = {"selected": [], "accuracy": []}
for seed in range(20):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 2000)), np.repeat([0, 1], 30)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    select = Correlation(n_features_to_select=10)
    wrong = cross_val_score(GaussianNB(), select.fit_transform(X, y), y, cv=folds).mean()
    right = cross_val_score(make_pipeline(select, GaussianNB()), X, y, cv=folds).mean()
    rows["selected"] += ["before the split", "within the split"]
    rows["accuracy"] += [wrong, right]

# %%
# Twenty tables of noise. The workflow always selects within the split, unless a study says
# ``selection: before_split`` to repeat what a paper did.
ax = sns.stripplot(rows, x="accuracy", y="selected", hue="selected", legend=False)
ax.axvline(0.5, color="0.6", ls=":")
ax.set(ylabel="", title="Accuracy on noise")
plt.tight_layout()
plt.show()
