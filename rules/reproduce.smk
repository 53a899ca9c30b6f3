# results of all parts of a paper's study -> the paper's cells and claims beside ours.


rule reproduce:
    input:
        unpack(measured_in_group),
        data=tables_of_group,
        published=lambda w: published_files(w.group),
    output:
        cells=f"{OUT}/{{group}}/reproduction/cells.parquet",
        claims=f"{OUT}/{{group}}/reproduction/claims.parquet",
        folder=report(
            directory(f"{OUT}/{{group}}/reproduction/figures"),
            patterns=["{figure}.svg"],
            category="{group}",
        ),
        hashes=f"{OUT}/{{group}}/reproduction/figures.json",
    log:
        f"{LOGS}/{{group}}/reproduce.log",
    benchmark:
        f"{TIMES}/{{group}}/reproduce.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        code=lambda w: code("reproduce.py", paper_module(w.group)),
        paper=lambda w: paper_of(w.group),
    script:
        "../scripts/reproduce.py"
