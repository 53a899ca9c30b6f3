# table + splits -> what a preparation learned per split, or the prepared table where the study
# prepares before splitting.
localrules:
    prepare,


rule prepare:
    input:
        table=at.table("{dataset}"),
        splits=lambda w: plan.splits_if_within(w.study, w.dataset),
    output:
        at.prepared("{study}", "{dataset}", "{preparation}"),
    log:
        at.log("{study}/{dataset}/prepare-{preparation}"),
    benchmark:
        at.times("{study}/{dataset}/prepare-{preparation}")
    priority: OPENS_THE_WAY
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=plan.code("prepare.py"),
    script:
        "../scripts/prepare.py"
