# A fresh machine has Python 3.11, make and git; everything else is set up here, once.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
UV_VERSION := 0.13.9
INSTALL_SELF := $(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
export UV_NO_PROGRESS := 1
# Where it is set, every start of every process compiles some thousand modules anew: half of what `make test` costs.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev up demo dev test test-served test-slow record bench labs check format requirements docs clean

help: ## what there is to do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

setup: $(VENV)/.ready .env ## make .venv with what the service needs
setup-dev: $(VENV)/.ready-dev ## the same, with what the checks need

$(UV):
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is not on the PATH; install Python 3.11, or name it: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# `langgraph up` hands this file to compose, which wants it to exist; everything in the example is commented out.
.env:
	@install -m 600 .env.example .env

$(VENV)/.ready: $(UV) requirements.txt pyproject.toml
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt
	$(INSTALL_SELF)
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements-dev.txt
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements-dev.txt
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true  # once, instead of in each worker
	@touch $@

up: setup ## run the service: embedded Postgres, Agent Server, inbox; Ctrl-C stops it
	@exec $(BIN)/stationmaster up $(ARGS)

demo: setup ## six tickets through the support agent; ARGS=--wait leaves the one that waits to you
	@exec $(BIN)/stationmaster demo $(ARGS)

dev: setup ## plain `langgraph dev` on a seeded shop, for Studio and the inner loop
	@$(BIN)/stationmaster shop seed
	@STATIONMASTER_STUDIO=$${STATIONMASTER_STUDIO:-true} exec $(BIN)/langgraph dev --no-browser $(ARGS)

# Most tests wait for processes, not for the processor: more workers than cores. A file stays with one worker, and
# with it the servers that its tests share.
WORKERS ?= 4
SHARED_OUT = -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test: setup-dev ## the tests of every room, and the support agent's whole job; within minutes
	$(BIN)/pytest $(SHARED_OUT) -m "not slow and not served" $(ARGS)

test-served: setup-dev ## what needs servers, replicas and browsers
	$(BIN)/pytest $(SHARED_OUT) -m "served and not slow" $(ARGS)

record: setup-dev ## record the conversations of tests/recordings again; with OPENAI_API_KEY a provider's
	$(BIN)/python -m tests.recordings.record $(ARGS)

bench: setup-dev ## what our nodes and the served graph cost, beside empty graphs
	@$(BIN)/python -m bench $(ARGS)

test-slow: setup-dev ## the long proofs: processes killed in every place, claims at their full size
	$(BIN)/pytest $(SHARED_OUT) -m slow $(ARGS)

labs: setup-dev ## labs and incidents at full size; writes their figures into docs/labs.md
	WRITE_FIGURES=1 $(BIN)/pytest -m "slow or not slow" tests/labs tests/incidents $(ARGS)

check: setup-dev ## lint, format, types, import contracts, and what goes wrong with graphs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/stationmaster check

format: setup-dev ## rewrite the code to the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

requirements: $(UV) ## compile the pinned requirements again from pyproject.toml
	$(UV) pip compile --quiet pyproject.toml --extra build --generate-hashes --no-header --python-version 3.11 -o requirements.txt
	$(UV) pip compile --quiet pyproject.toml --extra build --extra dev --generate-hashes --no-header --python-version 3.11 -c requirements.txt -o requirements-dev.txt

docs: setup ## draw the pages of the graphs again
	@$(BIN)/python -m stationmaster.docs

clean: ## remove .venv (the data in .stationmaster stays)
	rm -rf $(VENV)
