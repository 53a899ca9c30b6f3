# table -> splits: training and test rows, seeded by names; and what each preparation learned per
# split, or the prepared table where the study prepares before splitting. Both take less than the
# start of a process, so they share one.
localrules:
    prepare,
    afford,


rule prepare:
    input:
        at.table("{dataset}"),
    output:
        splits=at.splits("{study}", "{dataset}"),
        prepared=directory(at.prepared("{study}", "{dataset}")),
        listed=at.preparations("{study}", "{dataset}"),
    log:
        at.log("{study}/{dataset}/prepare"),
    benchmark:
        at.times("{study}/{dataset}/prepare")
    priority: OPENS_THE_WAY
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=plan.code("prepare.py"),
        scheme=lambda w: plan.scheme(w.study, w.dataset),
        final=lambda w: plan.study(w.study).final,
        seed=CONFIG["seed"],
        preparations=lambda w: plan.study(w.study).preparations,
        within_split=lambda w: plan.study(w.study).within_split,
    script:
        "../scripts/prepare.py"


# table + splits -> what the study will take, and which methods search less, or are skipped, for the
# table's size; where the study's limits bound the minutes of all fits.
rule afford:
    input:
        table=at.table("{dataset}"),
        splits=at.splits("{study}", "{dataset}"),
    output:
        at.afforded("{study}", "{dataset}"),
    log:
        at.log("{study}/{dataset}/afford"),
    benchmark:
        at.times("{study}/{dataset}/afford")
    priority: OPENS_THE_WAY
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=plan.afford_code(),
        fits=lambda w: plan.fits(*w),
        evaluate=lambda w: plan.study(w.study).evaluate,
        minutes=lambda w: plan.minutes(w.study),
    script:
        "../scripts/afford.py"
