#!/usr/bin/env bash
# Tests the interface for C: the header alone in C and C++, the library's exports, every function with right and with
# hostile arguments, and the programs of Examples/Clients beside `woodshed render`.
#
# .build/release/libwoodshed.so.1 and .build/release/woodshed must exist. CInterfaceTests runs the same test of all
# functions under the other sanitizers.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
built=$root/.build/release
include=$root/CSources/CWoodshed/include

failures=0
fail() {
    failures=$((failures + 1))
    echo "c: $1" >&2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
# Finds the built files, and uses no file of the user.
export XDG_STATE_HOME=$folder XDG_DATA_HOME=$folder XDG_CACHE_HOME=$folder XDG_CONFIG_HOME=$folder
sox -n -r 44100 -c 2 -b 16 song.wav synth 4 pluck A3 pluck E4 || exit 1
echo 'no sound' >words.txt
warnings=(-pedantic -Wall -Wextra -Werror)
conformance=("$root"/Tests/CConformance/*.c)

# The header alone, and twice.
printf '#include <woodshed.h>\n#include <woodshed.h>\n' | tee alone.c >alone.cpp
for compiler in gcc clang; do
    for standard in c99 c11 c17; do
        "$compiler" -std=$standard "${warnings[@]}" -fsyntax-only "-I$include" alone.c || fail "the header in $standard, by $compiler"
    done
    for standard in c++11 c++17 c++20; do
        "$compiler" -std=$standard "${warnings[@]}" -fsyntax-only "-I$include" alone.cpp || fail "the header in $standard, by $compiler"
    done
done
"$root/scripts/checks/c-layout.py" || fail "the layout has changed"
"$root/scripts/checks/python-tables.py" --check || fail "the module for Python differs from the header"
"$root/scripts/checks/c-comments.py" || fail "a comment of the header lacks something"

# The library exports the declared functions and nothing else, and the conformance test calls all functions.
PYTHONPATH=$root/scripts/checks python3 -B -c 'import pathlib, sys
from c_header import read
print(*read(pathlib.Path(sys.argv[1])).functions, sep="\n")' "$include/woodshed.h" | sort -u >declared
nm -D --defined-only --without-symbol-versions "$built/libwoodshed.so.1" | awk '$2 != "A" { print $3 }' | sort -u >exported
diff declared exported >difference || fail "declared (<) and exported (>): $(cat difference)"
"$root/scripts/checks/c-comments.py" --since | cut -d ' ' -f 1 | sort -u | diff declared - >difference || fail "declared (<) and read for comments (>): $(cat difference)"
while read -r name; do
    grep -q "\b$name(" "${conformance[@]}" || fail "the conformance test does not call $name"
done <declared
readelf -d "$built/libwoodshed.so.1" | grep 'SONAME.*\[libwoodshed.so.1\]' >/dev/null || fail "the library has another name"
! ldd "$built/libwoodshed.so.1" | grep -E 'libswift|libstdc' >/dev/null || fail "the library needs a Swift installation"
! { readelf -d "$built/libwoodshed.so.1"; nm -D "$built/libwoodshed.so.1"; } | grep -i fftw || fail "the library shares FFTW with its host"
nm "$built/libwoodshed.so.1" | grep ' [rd] private_fftw_is_linked$' >/dev/null || fail "the library takes its own FFTW for the host's"

export LD_LIBRARY_PATH=$built
link=("-I$include" "-L$built" -lwoodshed -lm)
gcc -std=c11 -D_DEFAULT_SOURCE -DCONFORMANCE_PROGRAM "${warnings[@]}" "${conformance[@]}" "${link[@]}" -o conformance &&
    ./conformance song.wav words.txt "$folder" || fail "conformance"
clang -fuse-ld=lld -fsanitize=address,undefined -fno-sanitize-recover=all -std=c11 -D_DEFAULT_SOURCE -DCONFORMANCE_PROGRAM -g "${conformance[@]}" "${link[@]}" -o conformance-asan &&
    ./conformance-asan song.wav words.txt "$folder" || fail "conformance under the address sanitizer"

# A host that ignores its children, in another language, that loads the library twice, and stays unchanged.
gcc -std=c11 -D_DEFAULT_SOURCE "${warnings[@]}" "$root/Tests/CHost/host.c" "-I$include" -lm -o host &&
    ./host "$built/libwoodshed.so.1" song.wav "$folder" || fail "a host that loads the library"

# A host that plans with the system's FFTW in a thread. With one planner for both, every second run ended by a signal or
# hung.
gcc -std=c11 -D_DEFAULT_SOURCE "${warnings[@]}" "$root/Tests/CHost/planner.c" -lfftw3f "${link[@]}" -o planner &&
    ldd planner | grep libfftw3f >/dev/null && ./planner song.wav 25 || fail "a host that plans with FFTW"

# A host that has reserved much memory. The library once locked all of this memory for ever.
gcc -std=c11 -D_DEFAULT_SOURCE "${warnings[@]}" "$root/Tests/CHost/locked.c" "${link[@]}" -o locked &&
    ./locked song.wav || fail "a host whose memory is its own"

# The module for Python.
"$root/scripts/tests/test-python.py" song.wav "$folder" || fail "the module for Python"

# The module installed by pip: without a network, and with the version of the sources.
if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip install --quiet --no-index --disable-pip-version-check --root-user-action=ignore --target pip "$root/Bindings/Python" ||
        fail "pip does not install the module for Python"
    (cd pip && python3 -c 'import importlib.metadata, woodshed; print(woodshed.version(), importlib.metadata.version("woodshed"))') >versions
    [ "$(cat versions)" = "$("$root/scripts/version.sh") $("$root/scripts/version.sh")" ] || fail "pip installs another version: $(cat versions)"
    for file in woodshed.py _woodshed_tables.py; do
        cmp "pip/$file" "$root/Bindings/Python/$file" || fail "pip installs another $file"
    done
else
    echo "c: no pip, so the installation of the module for Python is not tried"
fi

# Every client makes the same file as the command.
"$built/woodshed" render song.wav --section 1-2 -n 3 --speed 70% -q -o expected.wav || fail "render"
gcc -std=c11 "${warnings[@]}" "$root/Examples/Clients/looper.c" "${link[@]}" -o looper-c
g++ -std=c++17 "${warnings[@]}" "$root/Examples/Clients/looper.cpp" "${link[@]}" -o looper-cpp
ln -s "$root/Examples/Clients/looper.py" looper-py.py
printf '#!/bin/sh\nPYTHONPATH=%s/Bindings/Python exec python3 looper-py.py "$@"\n' "$root" >looper-py
printf '#!/bin/sh\nPATH=%s:$PATH exec bash %s "$@"\n' "$built" "$root/Examples/Clients/looper.sh" >looper-sh
chmod +x looper-py looper-sh
clients=(c cpp py sh)
if command -v rustc >/dev/null; then
    rustc -O -D warnings -L "$built" -o looper-rs "$root/Examples/Clients/looper.rs" && clients+=(rs) || fail "looper.rs does not compile"
else
    echo "c: no Rust compiler, looper.rs is not run"
fi
for client in "${clients[@]}"; do
    "./looper-$client" song.wav "file:$client.wav" >"$client.out" || fail "looper.$client ended with $?"
    cmp expected.wav "$client.wav" || fail "looper.$client plays other samples than woodshed render"
    ! "./looper-$client" words.txt "file:none.wav" >/dev/null 2>"$client.err" || fail "looper.$client plays what is not audio"
    grep -qi 'audio' "$client.err" || fail "looper.$client does not say what is wrong: $(cat "$client.err")"
done

# The structs of looper.rs are those of the header, also where no Rust compiler checks their sizes.
python3 - "$root/docs/c-layout.txt" "$root/Examples/Clients/looper.rs" <<'END' || fail "looper.rs declares other structs than woodshed.h"
import re, sys
layout, program = (open(path).read() for path in sys.argv[1:])
structs = re.findall(r"^/// (woodshed_\w+)[^\n]*\n(?:#[^\n]*\n)+(struct|union) (\w+) \{(.*?)^\}", program, re.M | re.S)
assert len(structs) >= 6
for name, kind, own, body in structs:
    fields, known = re.findall(r"^    (\w+):", body, re.M), re.findall(rf"^{name}\.(\w+) at", layout, re.M)
    assert fields == known or kind == "union" and set(fields) <= {*known, "reserved"}, f"{own} has {fields}, {name} has {known}"
    size = re.search(rf"size_of::<{own}>\(\) == (\d+)", program)
    assert size and f"\n{name}: {size[1]} bytes\n" in layout, f"{own} has another size"
END

# The program of docs/embedding.md on sessions: two presses mark a loop, a third press leaves the loop.
gcc -std=c11 "${warnings[@]}" "$root/Examples/Clients/trainer.c" "${link[@]}" -o trainer &&
    (for _ in 1 2 3; do sleep 0.3 && echo; done) | ./trainer song.wav null >/dev/null || fail "trainer.c ended with $?"

# The document shows the unchanged programs.
for client in c py; do
    python3 - "$root/docs/embedding.md" "$root/Examples/Clients/looper.$client" <<'END' || fail "docs/embedding.md shows another looper.$client"
import sys
document, program = (open(path).read() for path in sys.argv[1:])
sys.exit(program not in document)
END
done

# The test compiles the document's shorter pieces of C, and runs the measuring piece, with the document's file names.
cp song.wav song.mp3
python3 - "$root/docs/embedding.md" >pieces.c <<'END' || fail "docs/embedding.md has no pieces of C"
import re, sys
pieces = [piece for piece in re.findall(r"```c\n(.*?)```", open(sys.argv[1]).read(), re.S) if "int main(" not in piece]
assert len(pieces) >= 3
print("""#include <stdio.h>
#include <stdlib.h>
#include <woodshed.h>
static void check(woodshed_status status) { if (status != WOODSHED_OK) exit((int)status); }""")
for number, piece in enumerate(pieces):
    # Earlier declarations of the document, unless the piece has its own.
    known = {"engine": "woodshed_engine *engine = NULL", "clip": "woodshed_clip *clip = NULL", "plan": "woodshed_plan plan = WOODSHED_PLAN_INIT",
             "session": "woodshed_session *session = NULL", "store": "woodshed_store *store = NULL", "event": "const woodshed_event *event = NULL",
             "options": "woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT", "file": 'const char *file = "song.mp3"',
             "channels": "float **channels = NULL", "delay_in_frames": "int64_t delay_in_frames = 0"}
    names = [name for name in known if re.search(rf"\b{name}\b", piece) and not re.search(rf"\*{name};", piece)]
    print(f"static void piece_{number}(void) {{")
    for name in names:
        print(f"    {known[name]};")
    print(piece + "}")
last = next(number for number, piece in enumerate(pieces) if "_request(" in piece)
others = " ".join(f"if (count > {number + 1}) piece_{number}();" for number in range(len(pieces)) if number != last)
print(f"int main(int count, char **arguments) {{ (void)arguments; {others} piece_{last}(); }}")
END
gcc -std=c11 "${warnings[@]}" -Wno-unused-but-set-variable pieces.c "${link[@]}" -o pieces && ./pieces | grep 'LUFS' >/dev/null || fail "the pieces of docs/embedding.md"

echo "c: $failures failures"
[ $failures -eq 0 ]
