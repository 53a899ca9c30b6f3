# splits + preparations -> one parquet per batch of splits: what each variant of a method entry
# ranked, or why it did not. Batches have a fixed size, so results never depend on cores.


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
        variants=lambda w: plain_variants(w.study, w.entry),
        splits=batch_splits,
        scheme=lambda w: study(w.study).splits["scheme"],
        seed=CONFIG["seed"],
        within_split=lambda w: study(w.study).within_split,
        # The name alone: raising a budget must not re-run what is done.
        limits=lambda w: study(w.study).limits,
    script:
        "../scripts/select.py"
