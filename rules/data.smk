# fetch -> table: raw files by name and hash, then one checked parquet table per data set.
from dataclasses import asdict

from fslib.data import entry as data_entry


localrules:
    fetch,
    table,


def own_or_entry(name):
    own = CONFIG["datasets"].get(name)
    return own or asdict(data_entry(name))


def raw_files(wildcards):
    """What a table is read from: an own file, the list of fetched files, or nothing."""
    own = CONFIG["datasets"].get(wildcards.dataset)
    if own:
        return own["path"]
    if data_entry(wildcards.dataset).kind in ("embedded", "generated"):
        return []
    return f"{OUT}/data/{wildcards.dataset}/fetched.json"


def reader_code(wildcards):
    """Fingerprint of the code that reads or generates this very data set."""
    if wildcards.dataset in CONFIG["datasets"]:
        return code("table.py")
    reader = data_entry(wildcards.dataset).reader.partition(":")[0].replace(".", "/")
    return code("table.py", PROJECT / "fslib" / "data" / f"{reader}.py")


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
        files=lambda w: [(f.name, f.sha256) for f in data_entry(w.dataset).files],
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
