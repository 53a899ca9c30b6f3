"""What a study may ask for, by name; importing this costs nothing."""

CLASSIFIER_NAMES = (
    "knn1",
    "knn3",
    "lssvm",
    "nb",
    "nb_categorical",
    "svm_linear",
    "svm_rbf",
    "svm_rbf_tuned",
)
STABILITY_NAMES = (
    "nogueira",
    "kuncheva",
    "relative_weighted_consistency",
    "average_tanimoto",
    "average_normalised_hamming",
    "su_matching",
)
