# splits + preparations -> one parquet per batch: what each variant of a method entry ranked, or why
# it did not. Batches are cut by the study and by expected cost, never by cores; long ones go first.
# Entries that are cheap on a data set are one, called `shared`. Files are updated: rows whose
# fingerprints did not change are kept.


rule select:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
        prepared=at.preparations("{study}", "{dataset}"),
        probes=lambda w: plan.probe_files(*w),
        afforded=lambda w: plan.afforded(w.study, w.dataset),
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
        code=plan.selection_code(),
        variants=lambda w: plan.variants(*w),
        preparations=lambda w: plan.entries(w.study, w.dataset)[w.entry].preparations,
        splits=lambda w: plan.batch(*w).splits,
        scheme=lambda w: plan.scheme(w.study, w.dataset)["scheme"],
        seed=CONFIG["seed"],
        # The name alone: raising a budget must not re-run what is done.
        limits=lambda w: plan.study(w.study).limits,
    script:
        "../scripts/select.py"


# A search that is too long for one job, in stretches of its probes, at once or in any order: splits +
# preparations -> one parquet per stretch. The select job above goes on from their values.


rule probe:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
        prepared=at.preparations("{study}", "{dataset}"),
    output:
        update(at.probes("{study}", "{dataset}", "{entry}", "{batch}-{first}-{end}")),
    log:
        at.log("{study}/{dataset}/{entry}/probes-{batch}-{first}-{end}"),
    benchmark:
        at.times("{study}/{dataset}/{entry}/probes-{batch}-{first}-{end}")
    priority: lambda w: plan.probe_priority(*w[:4])
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * plan.memory(w.study, 1),
        runtime=lambda w, attempt: plan.select_minutes(*w[:4], 1, attempt),
    params:
        code=plan.selection_code(),
        variants=lambda w: plan.variants(*w[:4]),
        preparations=lambda w: plan.entries(w.study, w.dataset)[w.entry].preparations,
        split=lambda w: plan.batch(*w[:4]).splits[0],
        scheme=lambda w: plan.scheme(w.study, w.dataset)["scheme"],
        seed=CONFIG["seed"],
        limits=lambda w: plan.study(w.study).limits,
    script:
        "../scripts/probe.py"
