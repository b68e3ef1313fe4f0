# Every target sets up what it needs itself: scripts/setup.sh installs missing Debian packages and is silent otherwise.

PREFIX ?= /usr/local
DESTDIR ?=
CONFIGURATION ?= release
SWIFT ?= swift
STEP = scripts/step.sh
PRODUCT = env SWIFT=$(SWIFT) scripts/build.sh

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo build test test-begin test-quick test-gates test-debug test-release test-examples test-docs test-servers \
	test-benchmarks test-threads soak bench bench-compare lint format docs public-surface reference man completions install \
	uninstall clean

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## hear it: three sections of a made-up recording, slowed and looped
	@.build/release/woodshed demo $(ARGS)

build: ## the command, in .build/release/woodshed
	@scripts/setup.sh build
	@$(PRODUCT)

# Which tests ran and which were skipped, gathered by the steps: what ran in none of them is told at the end.
TESTS = $(CURDIR)/.build-tests/tests
# The events that the commands under test have written, for a parser that is not ours.
EVENTS = $(CURDIR)/.build-tests/events
test test-quick: export WOODSHED_JSON_LINES = $(EVENTS)
test test-quick: export WOODSHED_STEP_TESTS = $(TESTS)

# While the tests of one step run, the next step's are built.
test: BESIDE_DEBUG := scripts/beside.sh scripts/test-rtsan.sh --build --
test: BESIDE_RELEASE := scripts/beside.sh scripts/test-tsan.sh --build --
test: test-begin test-gates test-debug test-release test-benchmarks test-examples test-docs test-servers test-threads ## everything, under 30 minutes on two cores
	@scripts/skipped.sh $(TESTS)

test-quick: test-begin test-gates test-debug ## what to run after every change
	@scripts/skipped.sh $(TESTS) | tail -n 1

test-begin:
	@mkdir -p $(dir $(TESTS)) && : >$(TESTS) && rm -f $(EVENTS)

# What fails quickest comes first: the checks that guard the other checks.
test-gates: ## that each gate stops what it should stop
	@scripts/setup.sh build test lint
	@$(STEP) "gates stop planted faults" scripts/test-gates.sh
	@$(STEP) "set-up on pretended machines" scripts/test-setup.sh
	@$(STEP) "functions looked up in libraries are those of their headers" scripts/test-headers.sh
	@$(STEP) "the compiler refuses what the render thread must not do" scripts/test-annotations.sh

test-debug: ## the tests without optimisation
	@scripts/setup.sh build test
	@$(STEP) "tests, debug" $(BESIDE_DEBUG) $(SWIFT) test

test-release: ## the tests as shipped: optimised, render paths checked by the compiler and by the real-time sanitizer
	@scripts/setup.sh build test
	@$(STEP) "tests, release, under the real-time sanitizer" $(BESIDE_RELEASE) scripts/test-rtsan.sh

# In one build folder with the examples, which need the same modules. Without optimisation, as that is quickest.
test-benchmarks: ## that the benchmarks compile and link
	@scripts/setup.sh build bench
	@$(STEP) "benchmarks compile" $(SWIFT) build --package-path Benchmarks --scratch-path .build-packages

test-examples: ## the programs of Examples/, built as an embedder would and run
	@scripts/setup.sh build test
	@$(STEP) "examples" scripts/test-examples.sh

test-docs: ## the commands and the program shown in README.md and docs/, and the installation
	@scripts/setup.sh build test
	@$(STEP) "the command as installed" $(PRODUCT)
	@$(STEP) "installation" scripts/test-install.sh
	@$(STEP) "documented commands" scripts/test-docs.sh
	@$(STEP) "JSON against its schema" scripts/test-json.py .build/release/woodshed $$(ls $(EVENTS) 2>/dev/null)
	@$(STEP) "the command reference is current" scripts/reference.py --check .build/release/woodshed
	@$(STEP) "allocations" scripts/test-allocations.py .build/release/woodshed

test-servers: ## playing through PipeWire and JACK, started for the test
	@scripts/setup.sh build test
	@$(STEP) "the command as installed" $(PRODUCT)
	@$(STEP) "real sound servers" scripts/test-servers.sh

test-threads: ## the tests under the thread sanitizer
	@scripts/setup.sh build test
	@$(STEP) "tests under the thread sanitizer" scripts/test-tsan.sh

soak: ## the long forms of tests, hours of them; SOAK="faults starts" chooses
	@scripts/setup.sh build test soak
	@scripts/soak.sh $(SOAK)

bench: build ## speed and memory, beside the peers; BENCH="Ring start" chooses parts
	@scripts/setup.sh build bench
	scripts/bench.sh $(BENCH)

bench-compare: ## what changed between two files that bench has written: OLD=FILE NEW=FILE
	@scripts/bench-compare.py "$(OLD)" "$(NEW)"

lint: ## format and house rules; changes nothing
	@scripts/setup.sh lint
	@scripts/lint.sh

format: ## mend the format of what changed
	@git ls-files --cached --others --exclude-standard '*.swift' | xargs -r $(SWIFT) format -i --parallel

docs: ## the reference of every public symbol, in docs/reference
	@scripts/setup.sh build docs
	@scripts/docs.sh

public-surface: ## docs/public-surface.txt, every public symbol, made of the sources
	@scripts/setup.sh build docs
	@scripts/docs.sh --surface

reference: build ## docs/commands.md and docs/commands.json, every help text, made of the command
	@scripts/reference.py .build/release/woodshed

man: ## manual pages of docs/commands.json, in .build-man
	@scripts/reference.py --man .build-man

completions: build ## completions for bash, zsh and fish, in .build-completions
	@mkdir -p .build-completions
	@for shell in bash zsh fish; do \
		.build/release/woodshed --generate-completion-script $$shell >.build-completions/woodshed.$$shell || exit 1; \
	done

install: build ## the command under PREFIX (default /usr/local), with completions and licence
	scripts/install.sh .build/release/woodshed "$(DESTDIR)$(PREFIX)"

uninstall: ## what install put under PREFIX
	scripts/install.sh --remove "$(DESTDIR)$(PREFIX)"

clean: ## remove everything that was built
	rm -rf .build .build-* docs/reference Examples/.build Benchmarks/.build
