# A name -> raw files (downloaded, by hash) -> one checked table.
localrules:
    fetch,
    table,


rule fetch:
    output:
        at.fetched("{dataset}"),
    log:
        at.log("data/{dataset}/fetch"),
    benchmark:
        at.times("data/{dataset}/fetch")
    priority: OPENS_THE_WAY
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        files=lambda w: plan.raw_hashes(w.dataset),
    script:
        "../scripts/fetch.py"


rule table:
    input:
        lambda w: plan.raw_files(w.dataset),
    output:
        at.table("{dataset}"),
    log:
        at.log("data/{dataset}/table"),
    benchmark:
        at.times("data/{dataset}/table")
    priority: OPENS_THE_WAY
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=lambda w: plan.table_code(w.dataset),
        facts=lambda w: plan.table_facts(w.dataset),
    script:
        "../scripts/table.py"
