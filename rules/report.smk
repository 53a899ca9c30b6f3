# tables -> figures -> one self-contained page; and the last word of a strict run.
localrules:
    report,
    strict,


rule figures:
    input:
        unpack(measured),
        tables=table_files("{study}"),
    output:
        folder=report(
            directory(f"{OUT}/{{study}}/figures"),
            patterns=["{figure}.svg"],
            category="{study}",
        ),
        # Folders have times but no checksum: what follows looks at this list of hashes instead.
        hashes=f"{OUT}/{{study}}/figures.json",
    log:
        f"{LOGS}/{{study}}/figures.log",
    benchmark:
        f"{TIMES}/{{study}}/figures.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        code=code("figures.py"),
        study=lambda w: study_facts(w.study),
    script:
        "../scripts/figures.py"


rule report:
    input:
        tables=lambda w: [
            table for name in studies_of_page(w) for table in table_files(name)
        ],
        figures=lambda w: [f"{OUT}/{name}/figures.json" for name in studies_of_page(w)],
        reproductions=reproductions_of_page,
        data=lambda w: [
            f"{OUT}/data/{dataset}/table.parquet"
            for name in studies_of_page(w)
            for dataset in study(name).datasets
        ],
    output:
        f"{OUT}/report/{{page}}.html",
    log:
        f"{LOGS}/report/{{page}}.log",
    benchmark:
        f"{TIMES}/report/{{page}}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        code=lambda w: code("report.py", *TEMPLATES),
        studies=lambda w: [study_facts(name) for name in studies_of_page(w)],
        seed=CONFIG["seed"],
    script:
        "../scripts/report.py"


rule strict:
    input:
        ledger=f"{OUT}/{{study}}/ledger.parquet",
    output:
        f"{OUT}/{{study}}/strict.txt",
    log:
        f"{LOGS}/{{study}}/strict.log",
    benchmark:
        f"{TIMES}/{{study}}/strict.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("strict.py"),
    script:
        "../scripts/strict.py"
