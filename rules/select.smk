# splits + preparations -> one parquet per batch: what each variant of a method entry ranked, or why
# it did not. Batches are cut by the study and by expected cost, never by cores; long ones go first.
# Entries that are cheap on a data set are one, called `shared`. Files are updated: rows whose
# fingerprints did not change are kept.


rule select:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
        prepared=at.preparations("{study}", "{dataset}"),
    output:
        update(at.batch("{study}", "{dataset}", "{entry}", "{batch}")),
    log:
        at.log("{study}/{dataset}/{entry}/batch-{batch}"),
    benchmark:
        at.times("{study}/{dataset}/{entry}/batch-{batch}")
    priority: lambda w: plan.select_priority(*w)
    conda:
        ENVIRONMENT
    threads: lambda w: plan.threads(w.study, plan.selection(*w), CORES)
    resources:
        mem_mb=lambda w, threads, attempt: attempt * plan.memory(w.study, threads),
        runtime=lambda w, threads, attempt: plan.select_minutes(*w, threads, attempt),
    params:
        code=plan.code("select.py"),
        variants=lambda w: plan.variants(*w),
        preparations=lambda w: plan.entries(w.study, w.dataset)[w.entry].preparations,
        splits=lambda w: plan.batch(*w).splits,
        scheme=lambda w: plan.scheme(w.study, w.dataset)["scheme"],
        seed=CONFIG["seed"],
        # The name alone: raising a budget must not re-run what is done.
        limits=lambda w: plan.study(w.study).limits,
    script:
        "../scripts/select.py"
