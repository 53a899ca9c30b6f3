# The commands of the README, from nothing but Python >= 3.11:
#   make benchmark   run the default study to a finished report
#   make check       format, lint, layers and the fast tests, in under two minutes
#   make test        the same and all other tests: what CI runs
#   make docs        the manual, with the gallery's pictures: docs/_build/index.html
PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
# Python compiles what a run imports once and keeps it; all that is installed would take twenty seconds.
# Where the environment forbids Python to keep it, as in many containers, every job would compile
# everything again, for three seconds: there it is done at once.
COMPILE := $(if $(PYTHONDONTWRITEBYTECODE),--compile,--no-compile)

.PHONY: benchmark check test style docs format lock clean

benchmark: .venv/ready
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --cores $(CORES)

check: style
	PATH="$(CURDIR)/$(BIN):$$PATH" pytest -n 2 --dist loadfile -m "not slow"

test: style
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --lint
	PATH="$(CURDIR)/$(BIN):$$PATH" pytest -n 3 --dist loadfile --no-loadscope-reorder

# What is known without running anything: format, lint, and that imports go in one direction.
style: .venv/ready-for-tests
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/lint-imports --no-cache --no-logo

# Warnings are errors. The test of the manual builds it without running the gallery.
docs: .venv/ready-for-tests
	PATH="$(CURDIR)/$(BIN):$$PATH" MPLBACKEND=agg sphinx-build -W --keep-going -q docs docs/_build

format: .venv/ready-for-tests
	$(BIN)/ruff check --fix . && $(BIN)/ruff format . && $(BIN)/snakefmt Snakefile rules

.venv/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fslib needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet $(COMPILE) --requirement requirements.txt
	$(BIN)/pip install --quiet --no-deps --editable .
	$(if $(PYTHONDONTWRITEBYTECODE),$(BIN)/python -m compileall -q fslib)
	touch $@

.venv/ready-for-tests: .venv/ready requirements-test.txt
	$(BIN)/pip install --quiet --requirement requirements-test.txt
	touch $@

# New pins: resolve pyproject.toml in a fresh environment and write down what came.
lock:
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install --quiet .
	{ echo "# Every package of a run, pinned; made by \`make lock\` from pyproject.toml."; \
	  .venv-lock/bin/pip freeze --exclude fslib; } > requirements.txt
	.venv-lock/bin/pip install --quiet ".[test,docs]"
	{ echo "# What the tests need besides; made by \`make lock\`."; echo "-r requirements.txt"; \
	  .venv-lock/bin/pip freeze --exclude fslib | grep -vxFf requirements.txt; } > requirements-test.txt
	rm -rf .venv-lock build

clean:
	rm -rf .venv .venv-lock .snakemake results data build docs/_build docs/gallery
