# Two commands: make demo, make test. Both do their own set-up.
PYTHON ?= python3
PORT ?= 8000
BLOCKS ?= 1
ENGINE ?= llamacpp
ONCE ?=
export PORT BLOCKS ENGINE ONCE

RUN := .venv/bin/python
SETUP := $(PYTHON) -I dashboard/setup.py
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types bench lock offline-bundle

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## install everything that the demo needs, start nothing
	@$(SETUP)
	@$(RUN) -m workers provision

demo: ## start everything and measure on this machine (PORT=8000 BLOCKS=1 ENGINE=llamacpp|vllm ONCE=1)
	@$(SETUP)
	@$(RUN) manage.py demo

test: ## lint, types and all tests
	@$(SETUP) --dev
	@$(MAKE) lint types
	$(RUN) -m pytest --durations=20

lint: ## style and imports
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: ## mypy, strict
	$(RUN) -m mypy

bench: ## cost of execution by a worker; needs an idle running demo
	@$(RUN) -m benchmarks.worker_overhead --url http://127.0.0.1:$(PORT) \
	  --token "$$($(RUN) manage.py token create --name bench --scope submit --expires-days 1)"

# PYTHON is the target's version here, so this host's is python3.
offline-bundle: ## parts for a host without a network (ENGINE=vllm CUDA=13.0 PYTHON=3.12 HAVE=packages.txt PART_MIB=57)
	@python3 -I dashboard/setup.py --dev
	@$(RUN) -m workers.offline --engine $(ENGINE) --python $(PYTHON) --part-mib $(or $(PART_MIB),57) \
	  $(if $(CUDA),--cuda $(CUDA)) $(if $(HAVE),--have $(HAVE)) \
	  --documents $(or $(DOCUMENTS),documents) --out $(or $(OUT),offline-bundle)

lock: ## resolve requirements/*.in anew
	@for name in runtime dev torch; do \
	  $(RUN) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --custom-compile-command "make lock" requirements/$$name.in -o requirements/$$name.txt \
	  || exit 1; done
