# measures of all entries and data sets -> the tables of a study -> its figures; and the last word
# of a strict run.
localrules:
    strict,


rule compare:
    input:
        unpack(lambda w: plan.measured(w.study)),
        splits=lambda w: plan.splits_of([w.study]),
        data=lambda w: plan.tables_of([w.study]),
        afforded=lambda w: plan.all_afforded(w.study),
    output:
        **at.tables("{study}"),
        csv=at.selected_features("{study}"),
    log:
        at.log("{study}/compare"),
    benchmark:
        at.times("{study}/compare")
    priority: lambda w: plan.urgency(w.study)
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        code=plan.code("compare.py"),
        datasets=lambda w: list(plan.study(w.study).datasets),
        judge_by=lambda w: plan.study(w.study).judge_by,
    script:
        "../scripts/compare.py"


rule figures:
    input:
        **at.tables("{study}"),
    output:
        folder=report(
            directory(at.figure_folder("{study}")),
            patterns=["{figure}.svg"],
            category="{study}",
        ),
        listing=at.figures("{study}"),
    log:
        at.log("{study}/figures"),
    benchmark:
        at.times("{study}/figures")
    priority: lambda w: plan.urgency(w.study)
    conda:
        ENVIRONMENT
    threads: lambda w: plan.drawing_threads(w.study, CORES)
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        code=plan.code("figures.py"),
        datasets=lambda w: list(plan.study(w.study).datasets),
    script:
        "../scripts/figures.py"


rule strict:
    input:
        ledger=at.ledger("{study}"),
    output:
        at.strict("{study}"),
    log:
        at.log("{study}/strict"),
    benchmark:
        at.times("{study}/strict")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=plan.code("strict.py"),
    script:
        "../scripts/strict.py"
