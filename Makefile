# Measuring Language Models. `make` alone lists what can be made.
# The first target that needs it creates .venv and installs; a changed requirements file installs again.

# -I: whatever PYTHONPATH names has no say in which Python is taken, nor in what the environment runs.
PYTHON ?= $(firstword $(foreach p,python3 python3.13 python3.12 python3.11 python,$(if $(shell $(p) -I -c 'import sys; print(int(sys.version_info >= (3, 11)))' 2>/dev/null | grep 1),$(p))))
# Nor is each process to compile the sources again.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE
PY     := .venv/bin/python
BOOK   := .venv/book.stamp
TEST   := .venv/test.stamp
# Through the interpreter: the script lint-imports names the folder that it was installed in.
LINT   := $(PY) -c 'from importlinter.cli import lint_imports_command as main; main()'
# Types and rules, side by side: each keeps a core busy for a minute. Fails if either fails.
BOTH   := $(PY) -m lmcourse.checks & $(PY) -m mypy --no-error-summary; types=$$?; wait $$! && exit $$types
NBVAL  := --nbval --nbval-current-env --nbval-cell-timeout 300 --nbval-sanitize-with tests/nbval.cfg
# How many processes run the tests side by side.
WORKERS := -n auto --maxprocesses 4
# One thread per library: two collapse when the machine is shared. A fixed hash seed: same order everywhere.
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PYTHONHASHSEED  := 0
export TORCH_INDEX

# A checkout that was moved or copied brings an environment that points to the old place: install again.
ifneq ($(wildcard .venv/place.txt),)
ifneq ($(shell cat .venv/place.txt),$(CURDIR))
$(shell rm -f .venv/*.stamp)
endif
endif

.DEFAULT_GOAL := help
.PHONY: help book test check exercises solutions slides lab grade bench reproduce pdf handouts wheels clean python

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

book: $(BOOK)  ## build the whole book, slides included: _build/html/index.html
	@$(PY) -m lmcourse.book

ifdef CHAPTER
STEM   := $(notdir $(firstword $(wildcard solutions/$(CHAPTER)_*)))
$(if $(STEM),,$(error there is no chapter $(CHAPTER): write CHAPTER=04 for solutions/04_...))
test: $(TEST)
	@$(PY) -m lmcourse.release --check $(STEM)
	@$(PY) -m pytest -q $(NBVAL) solutions/$(STEM)
	@$(PY) -m pytest -q $(WORKERS) tests -k "$(STEM) or test_ch$(CHAPTER)"
else
test: $(TEST)  ## run every test; CHAPTER=04 runs those of one chapter
	@$(PY) -m lmcourse.release --check
	@$(PY) -m ruff check --quiet .
	@$(LINT) --no-logo >/dev/null || $(LINT) --no-logo
	@$(BOTH)
	@$(PY) -m lmcourse.book
	@$(PY) -m pytest -q $(NBVAL) $(WORKERS) --dist loadfile solutions
	@$(PY) -m pytest -q $(WORKERS) --dist worksteal
endif

check: $(TEST)  ## a minute or two: lint, imports, types, rules, and the tests that touch what has changed
	@$(PY) -m ruff check --quiet .
	@$(LINT) --no-logo >/dev/null || $(LINT) --no-logo
	@$(BOTH)
	@tests=$$($(PY) -m lmcourse.affected) && { test -z "$$tests" || $(PY) -m pytest -q $(WORKERS) -m "not slow" $$tests; }

exercises: $(BOOK)  ## make the student sets in exercises/ from solutions/
	@$(PY) -m lmcourse.release

solutions: $(BOOK)  ## run the solved sets from top to bottom and store them
	@$(PY) -m lmcourse.execute

slides: $(BOOK)  ## make the decks alone: _build/html/slides/
	@$(PY) -m lmcourse.slides

# The hints link to the built book, which the server shows below /static.
lab: $(BOOK)  ## open JupyterLab on the exercises; ARGS="--no-browser" gives it options
	@LMCOURSE_BOOK=/static $(PY) -m jupyterlab exercises --ServerApp.extra_static_paths='["_build/html"]' $(ARGS)

grade: $(BOOK)  ## grade a notebook: make grade NB=exercises/STEM/STEM.ipynb
	@$(PY) -m lmcourse.grade "$(NB)"

reproduce: $(BOOK)  ## recompute what takes too long for a build: some hours; PTB=folder adds the Penn Treebank
	@$(PY) -m lmcourse.reproduce $(if $(PTB),--ptb "$(PTB)")

bench: $(TEST)  ## measure the counted models, beside KenLM where it is there; writes lmcourse/benchmarks/SPEED.md
	@$(PY) -m lmcourse.bench

pdf: $(BOOK)  ## the book as a PDF: _build/pdf/ (needs TeX; says what to install); EDITION=lecturer adds plans and solutions
	@$(PY) -m lmcourse.pdf $(EDITION)

handouts: $(BOOK)  ## the decks on paper, for students and for the lecturer: _build/pdf/handouts/ (after make book)
	@$(PY) -m lmcourse.handouts

wheels: python  ## download every package into wheels/, for a machine without a network
	@$(PYTHON) -I lmcourse/install.py wheels

clean:  ## delete what was built; .venv stays (rm -r .venv for that)
	@rm -rf _build .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache results
	@find . -path ./.venv -prune -o -name __pycache__ -type d -print | xargs rm -rf

python:
	@$(or $(PYTHON),false) -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  found=$$($(or $(PYTHON),python3) --version 2>/dev/null || echo "missing"); \
	  echo "This book needs Python 3.11 or newer; $(or $(PYTHON),python3) is $$found. Install one, or name it: make PYTHON=python3.12 book" >&2; exit 1; }

$(BOOK): requirements.txt pyproject.toml lmcourse/pyproject.toml | python
	@$(PYTHON) -I lmcourse/install.py book && touch $@

$(TEST): requirements.txt requirements-dev.txt pyproject.toml lmcourse/pyproject.toml | python
	@$(PYTHON) -I lmcourse/install.py test && touch $(BOOK) $@
