"""
A selector in a scikit-learn pipeline
=====================================

Every method is a scikit-learn transformer, so the number of features is a parameter like any other.
"""

import matplotlib.pyplot as plt
import seaborn as sns
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fslib import MRMR, IRelief
from fslib.data import load

data = load("wine")
pipeline = Pipeline(
    [("scale", StandardScaler()), ("select", IRelief()), ("classify", SVC(kernel="linear"))]
)
sizes = [1, 2, 3, 5, 8, 13]
grid = {
    "select": [IRelief(), MRMR(bins=5)],
    "select__n_features_to_select": sizes,
    "classify__C": [0.1, 1],
}
search = GridSearchCV(pipeline, grid, cv=5).fit(data.X, data.y)
print(search.best_params_)

# %%
# The selector is fitted on the training rows of each fold only: a pipeline cannot leak.
found = search.cv_results_
rows = {
    "method": [type(m).__name__ for m in found["param_select"]],
    "features": list(found["param_select__n_features_to_select"]),
    "accuracy": found["mean_test_score"],
    "C": [str(c) for c in found["param_classify__C"]],
}
sns.lineplot(rows, x="features", y="accuracy", hue="method", style="C", marker="o")
plt.show()
