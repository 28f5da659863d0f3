# Everything a person does in a checkout.  Each target sets itself up first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
JOBS ?= 2

# Tests start thousands of programs: none compiles anew what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-appliance system-test lint format bench torture mutation install uninstall wheels clean

help:
	@echo 'make demo    rounds of Pontoon on simulated hardware; ARGS="--rounds 3 --fast --seed 1"'
	@echo 'make test    lint, types, import layers and all tests; ARGS="-k shoe" for some of them'
	@echo 'make test-appliance   the service under a real systemd in a container; needs root'
	@echo 'make system-test   a whole table PC in QEMU: boots, cables, hardships, power cuts; needs root'
	@echo 'make lint    lint, types and import layers only'
	@echo 'make format  put the code into the one format'
	@echo 'make bench   how long things take on this machine'
	@echo 'make torture the log and the round under torture, for hours; again after a break: it goes on'
	@echo 'make mutation    every clause broken, and whether a test that names it fails; ARGS="18.9.5" for some'
	@echo 'make install     the service on this table PC, or its next version; uninstall takes it off'
	@echo 'make wheels      all that install needs without a network: WHEELS=FOLDER for both'
	@echo 'make clean   remove what the above made'

demo: $(VENV)/run
	@$(BIN)/tablekeeper demo $(ARGS)

test: lint
	$(BIN)/pytest -n $(JOBS) --dist loadgroup $(ARGS)

test-appliance: $(VENV)/develop
	$(BIN)/pytest -m appliance -p no:randomly tests/appliance $(ARGS)

# The first run makes a Debian with its kernel and installs the program on it; both are kept.
# ARGS="--states 20" looks at fewer power cuts of each kind of work, ARGS="-k cut_" at them alone.
system-test: $(VENV)/develop
	$(BIN)/pytest -m pc -p no:randomly tests/pc $(ARGS)

lint: $(VENV)/develop
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/develop
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/develop
	$(BIN)/python tests/bench/play_direct.py
	$(BIN)/python tests/bench/log_figures.py $(ARGS)

# Parts that came out right are kept, so that a run that was broken off goes on; TORTURE_SEED=2
# tortures otherwise.
torture: $(VENV)/develop
	TORTURE=full TORTURE_KEEP=.torture $(BIN)/pytest -n $(JOBS) --dist worksteal -p no:randomly tests/torture $(ARGS)

# Each mutant meets the tests that name its clause; ARGS="18.9.5 13.3", ARGS="--share 20 --seed 7".
mutation: $(VENV)/develop
	$(BIN)/python -m tests.mutation --jobs $(JOBS) $(ARGS)

# --- a table PC ----------------------------------------------------------------------------------

install:
	@DESTDIR='$(DESTDIR)' WHEELS='$(WHEELS)' PYTHON='$(PYTHON)' systemd/install.sh

uninstall:
	@DESTDIR='$(DESTDIR)' systemd/uninstall.sh

wheels:
	@systemd/wheels.sh '$(or $(WHEELS),dist/wheels)' '$(PYTHON)'

clean:
	rm -rf $(VENV) build dist .torture .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# --- the environment: one folder, exact versions -------------------------------------------------

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or later is needed; $(PYTHON) is older: make PYTHON=python3.11 ...'; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'python3-venv is missing: sudo apt-get install python3-venv'; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/develop: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/run
