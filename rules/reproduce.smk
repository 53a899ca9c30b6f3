# results of all parts of a paper's study -> the paper's cells and claims beside ours.


rule reproduce:
    input:
        unpack(lambda w: plan.reproduced_from(w.group)),
    output:
        cells=at.outcome("{group}", "cells.parquet"),
        claims=at.outcome("{group}", "claims.parquet"),
        findings=at.outcome("{group}", "findings.json"),
        about=at.outcome("{group}", "paper.json"),
        exhibits=directory(at.outcome("{group}", "exhibits")),
        folder=report(
            directory(at.outcome("{group}", "figures")),
            patterns=["{figure}.svg"],
            category="{group}",
        ),
        listing=at.outcome("{group}", "figures.json"),
    log:
        at.log("{group}/reproduce"),
    benchmark:
        at.times("{group}/reproduce")
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        code=lambda w: plan.paper_code(w.group),
    script:
        "../scripts/reproduce.py"
