# Everything a person types. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
bin := .venv/bin
python_files := src tests $(wildcard scripts/*.py) $(wildcard benchmarks/*.py) $(wildcard examples/*.py)
workers ?= 2
pytest_flags ?=
# A browser that stalls on busy cores gets one more try; the summary names each such test (R).
again := --reruns 1 --only-rerun 'Timeout [0-9]+ms exceeded' --only-rerun '(Locator|Page) expected' -r fER

.PHONY: help bootstrap run test lint format check conformance bench lock docs clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

bootstrap: ## install what is missing (Debian packages, .venv, node_modules); quick when all is there
	@scripts/bootstrap.sh

run: bootstrap ## a first look: one task with reference, nop and a replayed goose; ARGS="--suite default" takes every task
	@$(bin)/trialbalance run $(or $(ARGS),--suite first-look)

test: bootstrap lint ## lint, then the tests that fit in minutes, among them one pass through every task
	@$(bin)/pytest -n $(workers) --dist worksteal -m "not slow" --durations 10 $(again) $(pytest_flags)

lint: bootstrap ## ruff, mypy --strict, import layers
	@$(bin)/ruff check $(python_files)
	@$(bin)/ruff format --check $(python_files)
	@$(bin)/mypy
	@$(bin)/lint-imports

format: bootstrap ## ruff's formatting and safe fixes
	@$(bin)/ruff check --fix $(python_files)
	@$(bin)/ruff format $(python_files)

check: bootstrap lint ## everything `make test` does and the slow tests, with the coverage of contract, twin and grading
	@$(bin)/pytest -n $(workers) --dist worksteal --durations 25 $(again) $(pytest_flags) \
	  --cov=trialbalance.contract --cov=trialbalance.twin --cov=trialbalance.grading --cov-report=term:skip-covered

conformance: bootstrap ## the official SDKs of four languages and three eras against the twin
	@$(bin)/pytest tests/conformance -m conformance -p no:randomly -v

bench: bootstrap ## measure the twin and the harness; prints a table
	@for f in benchmarks/*.py; do [ -e "$$f" ] || { echo "bench: no benchmark in benchmarks/ yet"; exit 1; }; $(bin)/python "$$f" || exit 1; done

lock: bootstrap ## pin every Python dependency of pyproject.toml with hashes into requirements.lock
	@$(bin)/uv pip compile pyproject.toml --extra dev -o requirements.lock --no-annotate --no-header \
	  --no-emit-index-url --no-emit-find-links --generate-hashes --python $(bin)/python -q
	@scripts/bootstrap.sh

docs: bootstrap ## write the generated pages again (the command line's help)
	@$(bin)/python -m trialbalance.cli.pages docs/cli.md

clean: ## remove caches and jobs; keeps .venv and node_modules
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov jobs .cache
