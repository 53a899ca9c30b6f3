# batches -> selections, runs and every measure of one method entry on one data set.


rule evaluate:
    input:
        table=f"{OUT}/data/{{dataset}}/table.parquet",
        splits=f"{OUT}/{{study}}/{{dataset}}/splits.parquet",
        evaluation=lambda w: prepared(
            w.study, w.dataset, [study(w.study).evaluation_preparation]
        ),
        batches=batches,
    output:
        **{
            name: f"{OUT}/{{study}}/{{dataset}}/{{entry}}/{name}.parquet"
            for name in FILES
        },
    log:
        f"{LOGS}/{{study}}/{{dataset}}/{{entry}}/evaluate.log",
    benchmark:
        f"{TIMES}/{{study}}/{{dataset}}/{{entry}}/evaluate.tsv"
    conda:
        ENVIRONMENT
    threads: lambda w: study(w.study).threads
    resources:
        mem_mb=growing(4000),
        runtime=growing(240),
    params:
        code=code("evaluate.py"),
        evaluate=lambda w: study(w.study).evaluate,
        within_split=lambda w: study(w.study).within_split,
        selects_before_split=lambda w: study(w.study).selects_before_split,
        unordered=lambda w: [
            v.name for v in study(w.study).entries[w.entry].variants if not v.ordered
        ],
    script:
        "../scripts/evaluate.py"
