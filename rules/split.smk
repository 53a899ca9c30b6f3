# table -> splits: training and test rows, seeded by names.
localrules:
    split,


rule split:
    input:
        f"{OUT}/data/{{dataset}}/table.parquet",
    output:
        f"{OUT}/{{study}}/{{dataset}}/splits.parquet",
    log:
        f"{LOGS}/{{study}}/{{dataset}}/split.log",
    benchmark:
        f"{TIMES}/{{study}}/{{dataset}}/split.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("split.py"),
        scheme=lambda w: study(w.study).splits,
        final=lambda w: study(w.study).final,
        seed=CONFIG["seed"],
    script:
        "../scripts/split.py"
