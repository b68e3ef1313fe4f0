#!/usr/bin/env bash
# Builds the command as shipped: .build/release/woodshed. SWIFT names the compiler driver; arguments that begin
# with a dash go to `swift build`.
#
#   scripts/build.sh [PRODUCT]     another product of the package, in the same way; common parts are built once
#   scripts/build.sh --package FOLDER ...   another package that uses Woodshed, in the same build folder: common modules
#                                           are built once
#   scripts/build.sh --tests [NAME]   the tests, and the command again, linked for the tests: .build/release/NAME
#   scripts/build.sh --linked-in   only prints the folder with the linked archives
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=scripts/release-options.sh
. scripts/release-options.sh

# Linking the standard library statically makes the command start faster, and run without a Swift installation. The C++
# library of Swift's runtime is linked statically too if its archive is installed: the library has most of the symbols
# that the dynamic linker would look up by name at a start. The linker takes the archive because this folder contains no
# shared library of the name.
linked_in=$PWD/.build/linked-in
swift=${SWIFT:-swift}
build=("$swift" build "${release[@]}")
product=woodshed
case ${1:-} in
--package) exec "${build[@]}" --package-path "$2" --scratch-path .build "${@:3}" ;;
--tests)
    # After a failure half-way there is no command, rather than a command that does not run elsewhere.
    trap 'rm -f .build/release/woodshed' EXIT
    "${build[@]}" --build-tests
    [ -z "${2:-}" ] || mv .build/release/woodshed ".build/release/$2"
    env -u WOODSHED_REALTIME_SANITIZER "SWIFT=$swift" scripts/build.sh
    trap - EXIT
    exit
    ;;
--linked-in)
    echo "$linked_in"
    exit
    ;;
[A-Za-z]*)
    product=$1
    shift
    ;;
esac
archive=$(clang -print-file-name=libstdc++.a 2>/dev/null || true)
mkdir -p "$linked_in"
if [ -f "$archive" ]; then ln -sf "$archive" "$linked_in/"; fi

# Only the link differs from the tests' link (Package.swift reads this variable), so the link compiles nothing.
export WOODSHED_STATIC_STDLIB=1
# Modules compiled for shared libraries do not name the archives of Foundation.
static=$("$swift" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')_static
foundation=("$static"/linux/lib_Foundation*.a)
[ -f "${foundation[0]}" ] || { echo "build: this toolchain has no static Foundation in $static/linux" >&2 && exit 1; }

# A command exports nothing to other programs, but the standard library's flags for static linking export all symbols.
link=(-Xlinker "-L$linked_in" -Xlinker --no-export-dynamic)
for archive in "${foundation[@]}"; do link+=(-Xlinker "$archive"); done
# Packed relocations take a twentieth of the space of plain relocations, 1.4 MB less. The dynamic linker supports the
# format since glibc 2.36; an older linker refuses the command with a message. A build for an older system needs an
# older system anyway.
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || true)
if printf '%s\n' "glibc 2.36" "$libc" | sort -C -V; then link+=(-Xlinker -z -Xlinker pack-relative-relocs); fi

exec "${build[@]}" "${link[@]}" --product "$product" "$@"
