# The commands of the project; each may be repeated at no cost. The work is in tools/ and the presets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
export YES CUDA ATTEND_LIBTORCH ATTEND_PIP_INDEX DATA JOBS
CTEST = ctest --output-on-failure -j $(JOBS)

.PHONY: help setup build demo gallery test test-asan test-dev lint docs format fuzz bench install clean

help: ## this list
	@echo "attend: learn attention, train translators, look at what they attend to"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | \
	  awk -F '\t' '{printf "  make %-9s %s\n", $$1, $$2}'

setup: ## install what the program needs to be built (asks first; YES=1 does not)
	@tools/setup.sh build

build: setup ## the program alone: build/release/attend
	@tools/build.sh release attend_program

demo: ## set-up, build, a model in about a minute, translations and a heat map (DATA=your pairs)
	@tools/demo.sh

test: ## set-up, then all tests: sanitizers on what needs no LibTorch, then everything
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory -k -j 1 test-asan test-dev

test-asan:
	@tools/build.sh asan
	$(CTEST) --preset asan

test-dev:
	@tools/build.sh dev
	$(CTEST) --preset dev

lint: ## the format, clang-tidy on what needs no LibTorch, the headers' pages, the rules of the tree
	@tools/setup.sh build test lint
	@tools/lint.sh

docs: ## the pages of the library's headers, build/docs/html (Doxygen)
	@tools/setup.sh lint
	@tools/docs.sh

format: ## put all sources in the project's format
	@tools/format.sh

fuzz: ## every reader under the fuzzer, FUZZ_SECONDS=10 each
	@tools/setup.sh build lint
	@tools/fuzz.sh $(FUZZ_SECONDS)

bench: ## all speed, timed beside the peers, and the plots (25 minutes; QUICK=1: a few)
	@tools/bench.sh $(if $(QUICK),--quick)

gallery: build ## every lesson as a page, into docs/gallery (DATA=your pairs)
	@build/release/attend learn all --out docs/gallery --models build/gallery-models \
	  $(if $(DATA),--data "$(DATA)")

install: build ## the library and the program, into PREFIX=/usr/local
	@tools/build.sh release
	cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

clean: ## remove build/ and demo/ (what set-up downloaded stays in .deps/)
	rm -rf build demo
