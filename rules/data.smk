# fetch -> table: raw files by name and hash, then one checked parquet table per data set.


localrules:
    fetch,
    table,


rule fetch:
    output:
        f"{OUT}/data/{{dataset}}/fetched.json",
    log:
        f"{LOGS}/data/{{dataset}}/fetch.log",
    benchmark:
        f"{TIMES}/data/{{dataset}}/fetch.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        files=lambda w: [(f.name, f.sha256) for f in data_card(w.dataset).files],
    script:
        "../scripts/fetch.py"


rule table:
    input:
        raw_files,
    output:
        f"{OUT}/data/{{dataset}}/table.parquet",
    log:
        f"{LOGS}/data/{{dataset}}/table.log",
    benchmark:
        f"{TIMES}/data/{{dataset}}/table.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=reader_code,
        facts=lambda w: own_or_entry(w.dataset),
    script:
        "../scripts/table.py"
