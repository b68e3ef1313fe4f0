#!/usr/bin/env bash
# Builds the command as it ships: .build/release/woodshed. SWIFT names the compiler driver.
#
#   scripts/build.sh [PRODUCT]     another product of the package, in the same way: the parts that both have are built once
#   scripts/build.sh --linked-in   only prints the folder with the archives that are linked in
set -euo pipefail
cd "$(dirname "$0")/.."

# Linking the standard library statically makes the command start faster, and run without a Swift installation. The C++ library,
# which Swift's runtime needs, is linked statically too if its archive is installed: most of the symbols that the dynamic linker
# would look up by name at a start are in there. The linker takes the archive because this folder contains no shared library of
# that name.
linked_in=$PWD/.build/linked-in
if [ "${1:-}" = --linked-in ]; then
    echo "$linked_in"
    exit
fi
archive=$(clang -print-file-name=libstdc++.a 2>/dev/null || true)
mkdir -p "$linked_in"
if [ -f "$archive" ]; then ln -sf "$archive" "$linked_in/"; fi

# The toolchain's own linker, because others warn about a part of the standard library that is never called.
exec "${SWIFT:-swift}" build -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker "-L$linked_in" --product "${1:-woodshed}"
