# measures of all entries and data sets -> the tables of a study.
from fslib.compare.tables import TABLES


def measured(wildcards):
    """Every file of the evaluate stage of a study, by kind."""
    s = study(wildcards.study)
    return {
        name: [
            f"{OUT}/{s.name}/{dataset}/{entry}/{name}.parquet"
            for dataset in s.datasets
            for entry in s.entries
        ]
        for name in FILES
    }


def splits_of_study(wildcards):
    s = study(wildcards.study)
    return [f"{OUT}/{s.name}/{dataset}/splits.parquet" for dataset in s.datasets]


def table_files(name):
    """All tables of a study; the ledger stands above the others, for `fslib retry`."""
    tables = [f"{OUT}/{name}/tables/{table}.parquet" for table in TABLES[1:]]
    return [f"{OUT}/{name}/ledger.parquet", *tables]


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
        mem_mb=8000,
        runtime=60,
    params:
        code=code("compare.py"),
        datasets=lambda w: list(study(w.study).datasets),
        controls=lambda w: sorted(study(w.study).controls),
    script:
        "../scripts/compare.py"
