# Each target sets up what it needs in a local virtual environment, once for each pyproject.toml.
#
#   make test PYTHON=/path/to/python3      use this interpreter (any from 3.10 on)
#   make test PYTEST="-k pendulum -x"      hand these options to pytest

VENV   ?= .venv
PYTHON ?=
PYTEST ?= -n auto

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help play test check bench docs clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' Makefile

play: $(VENV)/.play  ## simulate a mechanism and draw what it does
	@$(VENV)/bin/touchweight play

test: $(VENV)/.test  ## run the tests
	@cat $(VENV)/.test
	$(VENV)/bin/pytest $(PYTEST)

check: $(VENV)/.check  ## check style, types and documentation
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(MKDOCS) build --strict --quiet

bench: $(VENV)/.bench  ## time dynamics and loops beside other codes, then run the slow tests
	$(VENV)/bin/touchweight bench dynamics
	$(VENV)/bin/touchweight bench loops
	$(VENV)/bin/pytest -m slow || [ $$? -eq 5 ]  # 5: there is no slow test

docs: $(VENV)/.check  ## build the documentation into site/
	$(MKDOCS) build --strict --quiet
	@echo "open site/index.html"

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist site out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- the environment ----

# the extra that brings a C compiler, when no compiler answers to its name
COMPILER = $(shell for c in "$(CC)" cc gcc clang; do $$c --version >/dev/null 2>&1 && exit; done; echo compiler)

MKDOCS = NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs
PIP_INSTALL = $(VENV)/bin/python -m pip install --quiet --prefer-binary --disable-pip-version-check

$(VENV)/.play:  EXTRAS = [$(COMPILER)]
$(VENV)/.check: EXTRAS = [lint,docs]
$(VENV)/.bench: EXTRAS = [dev]

$(VENV)/.play $(VENV)/.check $(VENV)/.bench: pyproject.toml | $(VENV)/.made
	@echo "installing touchweight$(EXTRAS:[]=) into $(VENV)"
	@$(PIP_INSTALL) --editable '.$(EXTRAS:[]=)'
	@touch $@

# the other codes the tests compare with have no wheel on some platforms; building them takes hours, so do without
NO_ORACLES = these tests run without the independent codes they compare with: not all of them install here

$(VENV)/.test: WITH = $(if $(COMPILER),$(COMPILER)$(comma))test
$(VENV)/.test: pyproject.toml | $(VENV)/.made
	@echo "installing touchweight[$(WITH),oracles] into $(VENV); the first time this takes minutes"
	@$(PIP_INSTALL) --only-binary :all: --editable '.[$(WITH),oracles]' && : > $@ || \
	  { $(PIP_INSTALL) --editable '.[$(WITH)]' && echo "$(NO_ORACLES)" > $@; }

comma := ,
PYTHONS = $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python3.10 python)

# with a current pip: the one that comes with Python 3.10 loses itself among the versions of the oracles
$(VENV)/.made:
	@for python in $(PYTHONS); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || continue; \
	  found=$$python; \
	  "$$python" -c 'import ensurepip, venv' 2>/dev/null || continue; \
	  "$$python" -m venv --clear --upgrade-deps $(VENV) && touch $@; exit; \
	done; \
	if [ -n "$$found" ]; then \
	  echo "$$found cannot create virtual environments: install its venv module (on Debian and Ubuntu the" \
	       "package python3-venv), or name another interpreter with make PYTHON=/path/to/python3."; \
	else \
	  echo "touchweight needs Python 3.10 or newer, and none was found among: $(PYTHONS)." \
	       "Install one, or name it with make PYTHON=/path/to/python3."; \
	fi >&2; exit 1
