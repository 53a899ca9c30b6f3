# measures of all entries and data sets -> the tables of a study.


rule compare:
    input:
        unpack(measured),
        splits=splits_of_study,
    output:
        **dict(zip(TABLES, table_files("{study}"))),
        csv=f"{OUT}/{{study}}/tables/selected_features.csv",
    log:
        f"{LOGS}/{{study}}/compare.log",
    benchmark:
        f"{TIMES}/{{study}}/compare.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        code=code("compare.py"),
        datasets=lambda w: list(study(w.study).datasets),
        controls=lambda w: sorted(study(w.study).controls),
    script:
        "../scripts/compare.py"
