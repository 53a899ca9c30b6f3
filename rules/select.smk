# splits + preparations -> one parquet per batch of splits: what each variant of a method entry
# ranked, or why it did not. Batches have a fixed size, so results never depend on cores.
from dataclasses import asdict


def prepared(study_name, dataset, preparations):
    folder = f"{OUT}/{study_name}/{dataset}/prepared"
    return [f"{folder}/{preparation}.parquet" for preparation in preparations]


def split_numbers(study_name, dataset):
    """Numbers of all splits, the refit last; None where only the data can tell."""
    s = study(study_name)
    n_splits = s.n_splits
    if n_splits is None:
        if dataset in CONFIG["datasets"]:
            return None
        n_splits = data_entry(dataset).n_rows
    return [*range(n_splits), *([-1] if s.final else [])]


def batch_splits(wildcards):
    numbers = split_numbers(wildcards.study, wildcards.dataset)
    size = study(wildcards.study).batch
    start = int(wildcards.batch) * size
    return None if numbers is None else numbers[start : start + size]


def batches(wildcards):
    """All batch files of one (study, data set, entry)."""
    numbers = split_numbers(wildcards.study, wildcards.dataset)
    size = study(wildcards.study).batch
    count = 1 if numbers is None else -(-len(numbers) // size)
    folder = f"{OUT}/{wildcards.study}/{wildcards.dataset}/{wildcards.entry}"
    return [f"{folder}/batch-{b}.parquet" for b in range(count)]


def select_minutes(wildcards, threads):
    """An upper bound by the study's limits, so that our limit strikes before the cluster's."""
    s = study(wildcards.study)
    fits = s.batch * len(s.entries[wildcards.entry].variants)
    return 5 + -(-int(fits * s.budget["seconds"]) // (60 * threads))


def select_memory(wildcards, threads):
    return 1000 + int(threads * study(wildcards.study).budget["memory_mb"])


rule select:
    input:
        table=f"{OUT}/data/{{dataset}}/table.parquet",
        splits=f"{OUT}/{{study}}/{{dataset}}/splits.parquet",
        prepared=lambda w: prepared(
            w.study, w.dataset, study(w.study).entries[w.entry].preparations
        ),
    output:
        update(f"{OUT}/{{study}}/{{dataset}}/{{entry}}/batch-{{batch}}.parquet"),
    log:
        f"{LOGS}/{{study}}/{{dataset}}/{{entry}}/batch-{{batch}}.log",
    benchmark:
        f"{TIMES}/{{study}}/{{dataset}}/{{entry}}/batch-{{batch}}.tsv"
    conda:
        ENVIRONMENT
    threads: lambda w: study(w.study).threads
    resources:
        mem_mb=select_memory,
        runtime=select_minutes,
    params:
        code=code("select.py"),
        variants=lambda w: [asdict(v) for v in study(w.study).entries[w.entry].variants],
        splits=batch_splits,
        scheme=lambda w: study(w.study).splits["scheme"],
        seed=CONFIG["seed"],
        within_split=lambda w: study(w.study).within_split,
        # The name alone: raising a budget must not re-run what is done.
        limits=lambda w: study(w.study).limits,
    script:
        "../scripts/select.py"
