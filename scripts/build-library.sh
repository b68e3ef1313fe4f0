#!/usr/bin/env bash
# Builds the shared library for C, with Swift's runtime and FFTW inside: .build/release/libwoodshed.so.1. SWIFT names
# the compiler driver; arguments that begin with a dash go to `swift build`.
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}

# FFTW's planner and its wisdom are one state of the process, without a lock. So the library has a separate copy, hidden
# from the host; the host may use the system's FFTW. The linker takes the archive because this folder contains no shared
# library of the name.
private=$PWD/.build/private
archive=$(pkg-config --variable=libdir fftw3f)/libfftw3f.a
tools=$(dirname "$(readlink -f "$(command -v "$swift")")")
objects=()
mkdir -p "$private"
rm -f "$private"/*
if [ -f "$archive" ]; then
    ln -s "$archive" "$private/"
    # Tells the code about the separate copy; see CSources/CFFTW/shim.h.
    echo '__attribute__((visibility("hidden"))) const char private_fftw_is_linked = 1;' |
        "$tools/clang" -x c -fPIC -c -o "$private/own.o" -
    objects=("$private/own.o")
else
    echo "build: $archive is missing, so the library shares FFTW with its host, which must not plan with FFTW in another thread." \
        "Install FFTW's static library (Fedora: fftw-static)" >&2
fi

scripts/build.sh WoodshedC "$@"
linked_in=$(scripts/build.sh --linked-in)
built=$(readlink -f .build/release)

# The package manager links shared libraries with Swift's runtime as shared libraries. So this script links the objects:
# into one object first, because the driver hides the contents of archives.
"$tools/ld.lld" -r --whole-archive "$built/libWoodshedC.a" -o "$built/libwoodshed.o"
# Calls inside the library go to the library's own functions, whatever the host defines (-Bsymbolic). Threads may still
# run at dlclose(), so the library stays loaded (-z nodelete).
"${swift}c" -emit-library -static-stdlib -use-ld=lld -o "$built/libwoodshed.so.1" "$built/libwoodshed.o" "${objects[@]}" \
    -L "$private" -L "$linked_in" -Xlinker -soname=libwoodshed.so.1 -Xlinker --version-script=CSources/CWoodshed/libwoodshed.map \
    -Xlinker -Bsymbolic -Xlinker -z -Xlinker nodelete -Xlinker -z -Xlinker now -Xlinker --no-undefined -Xlinker --as-needed
ln -sf libwoodshed.so.1 "$built/libwoodshed.so"
