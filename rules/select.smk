# splits + preparations -> one parquet per batch of splits: what each variant of a method entry
# ranked, or why it did not. Batches have a fixed size, so results never depend on cores.


rule select:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
        prepared=lambda w: plan.prepared_for(w.study, w.dataset, w.entry),
    output:
        update(at.batch("{study}", "{dataset}", "{entry}", "{batch}")),
    log:
        at.log("{study}/{dataset}/{entry}/batch-{batch}"),
    benchmark:
        at.times("{study}/{dataset}/{entry}/batch-{batch}")
    conda:
        ENVIRONMENT
    threads: lambda w: plan.study(w.study).threads
    resources:
        mem_mb=lambda w, threads, attempt: attempt * plan.memory(w.study, threads),
        runtime=lambda w, threads, attempt: attempt
        * plan.select_minutes(w.study, w.entry, threads),
    params:
        code=plan.code("select.py"),
        variants=lambda w: plan.variants(w.study, w.entry),
        splits=lambda w: plan.batches(w.study, w.dataset)[int(w.batch)],
        scheme=lambda w: plan.study(w.study).splits["scheme"],
        seed=CONFIG["seed"],
        # The name alone: raising a budget must not re-run what is done.
        limits=lambda w: plan.study(w.study).limits,
    script:
        "../scripts/select.py"
