# batches -> selections, runs and every measure of one method entry on one data set.


rule evaluate:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
        evaluation=lambda w: plan.evaluation_view(w.study, w.dataset),
        batches=lambda w: plan.batch_files(w.study, w.dataset, w.entry),
    output:
        **at.measured("{study}", "{dataset}", "{entry}"),
    log:
        at.log("{study}/{dataset}/{entry}/evaluate"),
    benchmark:
        at.times("{study}/{dataset}/{entry}/evaluate")
    priority: lambda w: plan.evaluate_priority(*w)
    conda:
        ENVIRONMENT
    threads: lambda w: plan.evaluation(*w).threads
    resources:
        mem_mb=lambda w, threads, attempt: attempt * plan.memory(w.study, threads),
        runtime=lambda w, attempt: plan.evaluate_minutes(*w, attempt),
    params:
        code=lambda w: plan.evaluation_code(w.study),
        evaluate=lambda w: plan.study(w.study).evaluate,
        selects_before_split=lambda w: plan.study(w.study).selects_before_split,
        seed=CONFIG["seed"],
        # The name alone, as for the fits.
        limits=lambda w: plan.study(w.study).limits,
    script:
        "../scripts/evaluate.py"
