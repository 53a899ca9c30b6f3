"""LUCAS: the lung-cancer toy network of the causality workbench."""

from __future__ import annotations

import numpy as np

from fslib.data.generate.streams import shuffled, stream
from fslib.data.raw import Raw

TARGET = "Lung_Cancer"
FEATURES = (
    "Smoking", "Yellow_Fingers", "Anxiety", "Peer_Pressure", "Genetics", "Attention_Disorder",
    "Born_an_Even_Day", "Car_Accident", "Fatigue", "Allergy", "Coughing",
)  # fmt: skip

#: The target's parents, children and the children's other parents: given these, no other
#: variable says anything more about the target. That set is called essential here.
MARKOV_BLANKET = ("Smoking", "Genetics", "Coughing", "Fatigue", "Allergy")

#: Parents of each variable and P(variable = 1 | parents), parents' values as the key's
#: digits, in causal order. http://www.causality.inf.ethz.ch/data/LUCAS.html
NETWORK: dict[str, tuple[tuple[str, ...], dict[str, float]]] = {
    "Anxiety": ((), {"": 0.64277}),
    "Peer_Pressure": ((), {"": 0.32997}),
    "Genetics": ((), {"": 0.15953}),
    "Allergy": ((), {"": 0.32841}),
    "Born_an_Even_Day": ((), {"": 0.5}),
    "Smoking": (
        ("Peer_Pressure", "Anxiety"),
        {"00": 0.43118, "10": 0.74591, "01": 0.8686, "11": 0.91576},
    ),
    "Yellow_Fingers": (("Smoking",), {"0": 0.23119, "1": 0.95372}),
    "Lung_Cancer": (
        ("Genetics", "Smoking"),
        {"00": 0.23146, "10": 0.86996, "01": 0.83934, "11": 0.99351},
    ),
    "Attention_Disorder": (("Genetics",), {"0": 0.28956, "1": 0.68706}),
    "Coughing": (
        ("Allergy", "Lung_Cancer"),
        {"00": 0.1347, "10": 0.64592, "01": 0.7664, "11": 0.99947},
    ),
    "Fatigue": (
        ("Lung_Cancer", "Coughing"),
        {"00": 0.35212, "10": 0.56514, "01": 0.80016, "11": 0.89589},
    ),
    "Car_Accident": (
        ("Attention_Disorder", "Fatigue"),
        {"00": 0.2274, "10": 0.779, "01": 0.78861, "11": 0.97169},
    ),
}


def lucas(files, *, n_rows: int) -> Raw:
    """Rows drawn from the published conditional probabilities."""
    rng = stream("lucas")
    values: dict[str, np.ndarray] = {}
    for variable, (parents, probability) in NETWORK.items():
        p = np.zeros(n_rows)
        for key, chance in probability.items():
            rows = np.ones(n_rows, dtype=bool)
            for parent, digit in zip(parents, key, strict=True):
                rows &= values[parent] == int(digit)
            p[rows] = chance
        values[variable] = (rng.uniform(size=n_rows) < p).astype(int)
    return shuffled(
        np.column_stack([values[f] for f in FEATURES]).astype(float),
        values[TARGET],
        [FEATURES.index(f) for f in MARKOV_BLANKET],
        stream("lucas", "columns"),
        names=FEATURES,
    )
