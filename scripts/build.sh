#!/usr/bin/env bash
# Builds the command as it ships: .build/release/woodshed. SWIFT names the compiler driver.
set -euo pipefail
cd "$(dirname "$0")/.."

# With the standard library linked in, the command starts faster and runs where no Swift is installed. So is the C++ library
# that Swift's runtime needs, where the archive is: of what the dynamic linker looks up by name at a start, most is in there.
# The linker takes the archive because this folder holds no shared library beside it.
linked_in=$PWD/.build/linked-in
archive=$(clang -print-file-name=libstdc++.a 2>/dev/null || true)
mkdir -p "$linked_in"
if [ -f "$archive" ]; then ln -sf "$archive" "$linked_in/"; fi

# The toolchain's own linker, as others print a warning about a part of the standard library which is never called.
exec "${SWIFT:-swift}" build -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker "-L$linked_in" --product woodshed
