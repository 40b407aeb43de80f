# Two commands matter: `make demo` and `make test`. Each sets itself up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCK := requirements/lock.txt

.PHONY: demo test lint format bench clean help

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.demo ## Run the probe on the embedded model and write a report (QUICK=1: about a minute)
	$(BIN)/evenhand models fetch smollm2-135m
	$(BIN)/evenhand demo $(if $(QUICK),--quick)

test: $(VENV)/.dev ## Run the tests
	$(BIN)/evenhand models fetch smollm2-135m
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

lint: $(VENV)/.dev ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev ## Rewrite the sources in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev ## Print the figures of every benchmark
	@for file in benchmarks/[a-z]*.py; do name=$$(basename $$file .py); \
		echo "== $$name"; $(BIN)/python -m benchmarks.$$name || exit 1; done

clean: ## Remove the environment and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "evenhand needs Python 3.11 or newer: call make PYTHON=python3.12, say" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python pyproject.toml $(LOCK)
	$(PIP) install -q -c $(LOCK) -e '.[local]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml $(LOCK)
	$(PIP) install -q -c $(LOCK) -e '.[dev,inspect,ray]'
	@touch $@ $(VENV)/.demo
