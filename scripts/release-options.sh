#!/usr/bin/env bash
# shellcheck disable=SC2034 # the sourcing script's variable
#
# The options of every optimised build, so that the command, the libraries, the tests, the benchmarks and the examples
# share one compilation. To be sourced, not run.
#
# -enable-testing lets tests see internal symbols. The options leave out the extra compiler run for a module's
# interface: no build gains by the run, which expands each #expect once more. The linker is the toolchain's own, because
# other linkers warn about an unused part of the standard library.
release=(-c release -Xswiftc -enable-testing -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld)
