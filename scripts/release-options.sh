#!/usr/bin/env bash
# shellcheck disable=SC2034 # the sourcing script's variable
#
# The options of every optimised build, so that the command, the libraries, the tests, the benchmarks and the examples share one compilation.
# To be sourced, not run.
#
# -enable-testing lets tests see what is internal. The extra compiler run that only writes a module's interface is left out: nothing gains by it,
# and it expands each #expect once more. The linker is the toolchain's own, because others warn about a part of the standard library that is
# never called.
release=(-c release -Xswiftc -enable-testing -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld)
