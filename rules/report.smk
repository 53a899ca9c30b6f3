# tables, figures, outcomes of papers -> one self-contained page.
localrules:
    report,


rule report:
    input:
        lambda w: plan.page_inputs(w.page),
    output:
        at.page("{page}"),
    log:
        at.log("report/{page}"),
    benchmark:
        at.times("report/{page}")
    priority: lambda w: plan.urgency(w.page)
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=plan.page_code(),
        studies=lambda w: [s.facts for s in plan.studies(plan.on_page(w.page))],
        papers=lambda w: plan.papers_on_page(w.page),
        seed=CONFIG["seed"],
    script:
        "../scripts/report.py"
