# table + splits -> what a preparation learned per split, or the prepared table where the study
# prepares before splitting.
localrules:
    prepare,


rule prepare:
    input:
        table=f"{OUT}/data/{{dataset}}/table.parquet",
        splits=splits_if_within,
    output:
        f"{OUT}/{{study}}/{{dataset}}/prepared/{{preparation}}.parquet",
    log:
        f"{LOGS}/{{study}}/{{dataset}}/prepare-{{preparation}}.log",
    benchmark:
        f"{TIMES}/{{study}}/{{dataset}}/prepare-{{preparation}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=code("prepare.py"),
    script:
        "../scripts/prepare.py"
