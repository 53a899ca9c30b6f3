# batches -> selections, runs and every measure of one method entry on one data set. Files are
# updated: what they hold of methods that did not change is kept.


rule evaluate:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
        prepared=at.preparations("{study}", "{dataset}"),
        batches=lambda w: plan.batch_files(w.study, w.dataset, w.entry),
    output:
        **{
            k: update(f)
            for k, f in at.measured("{study}", "{dataset}", "{entry}").items()
        },
    log:
        at.log("{study}/{dataset}/{entry}/evaluate"),
    benchmark:
        at.times("{study}/{dataset}/{entry}/evaluate")
    priority: lambda w: plan.evaluate_priority(*w)
    conda:
        ENVIRONMENT
    threads: lambda w: plan.threads(w.study, plan.evaluation(*w), CORES)
    resources:
        mem_mb=lambda w, threads, attempt: attempt * plan.memory(w.study, threads),
        runtime=lambda w, attempt: plan.evaluate_minutes(*w, attempt),
    params:
        code=lambda w: plan.evaluation_code(w.study),
        preparation=lambda w: plan.study(w.study).evaluation_preparation,
        evaluate=lambda w: plan.study(w.study).evaluate,
        selects_before_split=lambda w: plan.study(w.study).selects_before_split,
        seed=CONFIG["seed"],
        # The name alone, as for the fits.
        limits=lambda w: plan.study(w.study).limits,
    script:
        "../scripts/evaluate.py"
