# results of all parts of a paper's study -> the paper's cells and claims beside ours.


rule reproduce:
    input:
        unpack(measured_in_group),
        data=tables_of_group,
        paper=lambda w: texts_of_paper(w.group),
    output:
        cells=f"{OUT}/{{group}}/reproduction/cells.parquet",
        claims=f"{OUT}/{{group}}/reproduction/claims.parquet",
        about=f"{OUT}/{{group}}/reproduction/paper.json",
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
        code=lambda w: code("reproduce.py", *paper_code(CONFIG.paper_folder(w.group))),
    script:
        "../scripts/reproduce.py"
