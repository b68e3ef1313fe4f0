# Every target that builds or tests installs what it needs: scripts/setup.sh installs missing Debian packages, and
# prints nothing if none is missing.

PREFIX ?= /usr/local
DESTDIR ?=
CONFIGURATION ?= release
SWIFT ?= swift
STEP = scripts/steps/step.sh
# Checks that use one core each run side by side.
BESIDE = scripts/steps/side-by-side.sh
MAKEFLAGS += --no-print-directory
PRODUCT = env SWIFT=$(SWIFT) scripts/build.sh

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo build library test test-begin test-quick test-gates test-release test-examples test-install test-docs test-c test-servers \
	test-benchmarks test-threads soak bench bench-compare lint format docs public-surface reference man completions install \
	uninstall deb test-packages test-kernel dist clean surface-since

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## play three sections of a generated recording, slowed and looped
	@.build/release/woodshed demo $(ARGS)

build: ## build the command, .build/release/woodshed
	@scripts/setup.sh build
	@$(PRODUCT)

library: ## build the shared library for C, .build/release/libwoodshed.so.1
	@scripts/setup.sh build
	@env SWIFT=$(SWIFT) scripts/build-library.sh

# The tests that ran and that were skipped, collected by the steps; at the end, the tests that no step ran are listed.
TESTS = $(CURDIR)/.build-tests/tests
# The events that the commands under test write, for a check with an independent parser.
EVENTS = $(CURDIR)/.build-tests/events
test test-quick: export WOODSHED_JSON_LINES = $(EVENTS)
test test-quick: export WOODSHED_STEP_TESTS = $(TESTS)

# Tests take a few of their cases (Tests/TestSupport/Workload.swift).
test-quick: export WOODSHED_FEW_CASES := 1
# While this step runs, which waits more than it computes, what the next one needs is built.
test: export BESIDE_RELEASE := scripts/steps/beside.sh scripts/tests/test-tsan.sh --build --
test: test-begin ## run all tests, in 25 to 35 minutes on two cores
	@scripts/setup.sh build test lint
	@$(BESIDE) "$(MAKE) test-gates" "$(MAKE) test-release"
	@$(MAKE) test-threads
	@$(MAKE) test-install
	@$(BESIDE) "$(MAKE) test-benchmarks test-examples" "$(MAKE) test-docs test-c test-servers"
	@scripts/steps/skipped.sh $(TESTS)

test-quick: test-begin ## run the tests with few of their cases, after every change
	@$(MAKE) test-release
	@scripts/steps/skipped.sh $(TESTS) | tail -n 1

test-begin:
	@mkdir -p $(dir $(TESTS)) && : >$(TESTS) && rm -f $(EVENTS)

# The quickest comes first: the tests of the other checks.
test-gates: ## test that each check finds the faults it should find
	@scripts/setup.sh build test lint
	@$(STEP) "gates stop planted faults" scripts/tests/test-gates.sh
	@$(STEP) "steps tell failures, skipped tests and standstills" scripts/tests/test-steps.sh
	@$(STEP) "what breaks programs in C is found" scripts/tests/test-c-abi.sh
	@$(STEP) "set-up on pretended machines" scripts/tests/test-setup.sh
	@$(STEP) "functions looked up in libraries are those of their headers" scripts/tests/test-headers.sh
	@$(STEP) "the compiler refuses what the render thread must not do" scripts/tests/test-annotations.sh

test-release: ## run the tests as shipped: optimised, render paths checked by the compiler and by the real-time sanitizer
	@scripts/setup.sh build test
	@$(STEP) "tests, release, under the real-time sanitizer" $(BESIDE_RELEASE) scripts/tests/test-rtsan.sh

test-benchmarks: ## test that the benchmarks compile and link
	@scripts/setup.sh build bench
	@$(STEP) "benchmarks compile" env SWIFT=$(SWIFT) scripts/build.sh --package Benchmarks

test-examples: ## build the programs of Examples/ and of the reference's articles as an embedder would, and run them
	@scripts/setup.sh build test
	@$(STEP) "examples" scripts/tests/test-examples.sh

# By itself, because it looks for what an installation writes into the build folder.
test-install: ## install the command, remove it, and make the source tarball
	@scripts/setup.sh build test
	@$(STEP) "the command as installed" $(PRODUCT)
	@$(STEP) "installation" scripts/tests/test-install.sh
	@$(STEP) "source tarball and SBOM" scripts/tests/test-dist.sh

test-docs: ## run the commands and the program shown in README.md and docs/
	@scripts/setup.sh build test
	@$(STEP) "the command as installed" $(PRODUCT)
	@$(STEP) "documented commands" scripts/tests/test-docs.sh
	@$(STEP) "JSON against its schema" scripts/tests/test-json.py .build/release/woodshed $$(ls $(EVENTS) 2>/dev/null)
	@$(STEP) "the command reference is current" scripts/docs/reference.py --check .build/release/woodshed
	@$(STEP) "allocations" scripts/tests/test-allocations.py .build/release/woodshed

test-c: ## test the interface for C: its header, its library, every function, and clients in five languages
	@scripts/setup.sh build test
	@$(STEP) "the command as installed" $(PRODUCT)
	@$(STEP) "the library for C" env SWIFT=$(SWIFT) scripts/build-library.sh
	@$(STEP) "interface for C" scripts/tests/test-c.sh
	@$(STEP) "interface for C beside that of the last release" scripts/checks/c-abi.py

test-servers: ## test playing through PipeWire and JACK, started for the test
	@scripts/setup.sh build test
	@$(STEP) "the command as installed" $(PRODUCT)
	@$(STEP) "real sound servers" scripts/tests/test-servers.sh

test-threads: ## run the tests under the thread sanitizer
	@scripts/setup.sh build test bench
	@$(STEP) "tests under the thread sanitizer" scripts/tests/test-tsan.sh

soak: ## run the long forms of tests, for hours; SOAK="faults starts" selects some
	@scripts/setup.sh build test soak
	@scripts/soak/soak.sh $(SOAK)

bench: build ## measure speed and memory, compared with similar libraries; BENCH="Ring start" selects parts
	@scripts/setup.sh build bench
	scripts/bench/bench.sh $(BENCH)

bench-compare: ## compare two files that bench has written: OLD=FILE NEW=FILE
	@scripts/bench/bench-compare.py "$(OLD)" "$(NEW)"

lint: ## check format and house rules; changes nothing
	@scripts/setup.sh lint
	@scripts/checks/lint.sh

format: ## correct the format of the sources
	@git ls-files --cached --others --exclude-standard '*.swift' | xargs -r $(SWIFT) format -i --parallel

docs: ## write the reference of all public symbols to docs/reference
	@scripts/setup.sh build docs
	@scripts/docs/docs.sh

public-surface: ## write docs/public-surface, the lists of all public symbols
	@scripts/setup.sh build docs
	@scripts/docs/docs.sh --surface

surface-since: ## show what has changed in the public interface since the last release, or since TAG=v1.2.3
	@scripts/checks/check.py --show surface-since $(TAG)

reference: build ## write docs/commands.md and docs/commands.json, the help texts of the command
	@scripts/docs/reference.py .build/release/woodshed

man: ## write manual pages to .build-man, from docs/commands.json
	@scripts/docs/reference.py --man .build-man

completions: build ## write completions for bash, zsh and fish to .build-completions
	@mkdir -p .build-completions
	@for shell in bash zsh fish; do \
		.build/release/woodshed --generate-completion-script $$shell >.build-completions/woodshed.$$shell || exit 1; \
	done

# Builds nothing, so that `sudo make install` works where only the user has Swift, and leaves no file of root's in the
# build folder.
install: ## install what `make build` has built to PREFIX (default /usr/local), with manual pages, completions and licence
	@scripts/install.sh .build/release/woodshed "$(DESTDIR)$(PREFIX)"

uninstall: ## remove the installed files from PREFIX
	@scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

deb: build ## build Debian packages in .build-deb, and check them with lintian
	@scripts/setup.sh build package
	@scripts/release/package.sh

test-packages: deb ## install the packages on a bare machine, run the command, remove them; needs root or sudo
	@scripts/setup.sh package
	@$(STEP) "packages on a bare machine" scripts/tests/test-packages.sh --built

test-kernel: build ## run the command on the kernel's own sound drivers, in an emulated machine
	@scripts/setup.sh build kernel
	@$(STEP) "the kernel's sound drivers" scripts/tests/test-kernel.sh

dist: build ## write the source tarball, the list of what it is built of (SBOM) and checksums to .build-dist
	@scripts/release/dist.sh

clean: ## remove all build results
	rm -rf .build .build-* docs/reference Examples/.build Benchmarks/.build
