# table -> splits: training and test rows, seeded by names.
localrules:
    split,


rule split:
    input:
        at.table("{dataset}"),
    output:
        at.splits("{study}", "{dataset}"),
    log:
        at.log("{study}/{dataset}/split"),
    benchmark:
        at.times("{study}/{dataset}/split")
    priority: OPENS_THE_WAY
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=plan.code("split.py"),
        scheme=lambda w: plan.scheme(w.study, w.dataset),
        final=lambda w: plan.study(w.study).final,
        seed=CONFIG["seed"],
    script:
        "../scripts/split.py"
