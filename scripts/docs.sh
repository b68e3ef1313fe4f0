#!/usr/bin/env bash
# Writes the reference of every public symbol of every library module to docs/reference, with the articles of
# Sources/Woodshed/Woodshed.docc. A warning is an error, and so is a public symbol without a comment.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=(Realtime DSP Drawing AudioFiles Clips Takes Waveforms AudioDevices Recording Engine Woodshed)
# Modules that are a program's own; nobody imports them.
programs=(WoodshedCLI WoodshedCommand)
# Modules of which nothing is public.
internals=(Files Libraries UserState)
for folder in Sources/*/; do
    case " ${modules[*]} ${programs[*]} ${internals[*]} " in
    *" $(basename "$folder") "*) ;;
    *) echo "docs: $folder is not in 'modules', 'programs' or 'internals' of $0" >&2 && exit 1 ;;
    esac
done

swift build --target Woodshed
swift build --target Drawing
built=$(swift build --show-bin-path)

# Where the compiler finds the C modules that ours import.
flags=(-I "$built/Modules")
for folder in CSources/*/; do
    name=$(basename "$folder")
    [ -d "$folder/include" ] && flags+=(-Xcc -I -Xcc "$folder/include")
    for map in "$folder/module.modulemap" "$folder/include/module.modulemap" "$built/$name.build/module.modulemap"; do
        [ -f "$map" ] && flags+=(-Xcc "-fmodule-map-file=$map") && break
    done
done
mapfile -t libraries < <(grep -oP 'pkgConfig: "\K[^"]+' Package.swift)
for flag in $(pkg-config --cflags "${libraries[@]}"); do flags+=(-Xcc "$flag"); done
target=$(swift -print-target-info | jq -r .target.triple)

graphs=$built/symbol-graphs
rm -rf "$graphs" && mkdir -p "$graphs"
bare=0
for module in "${modules[@]}"; do
    swift symbolgraph-extract -module-name "$module" -target "$target" "${flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
    # A symbol without a place in the source was written by the compiler.
    while IFS= read -r symbol; do
        echo "docs: $module.$symbol has no comment" >&2
        bare=$((bare + 1))
    done < <(jq -r '.symbols[] | select(.location and (.docComment | not)) | .pathComponents | join(".")' \
        "$graphs/$module.symbols.json")
done
[ $bare -eq 0 ]
# The extraction also writes one graph per foreign module that ours extend; those pages are not ours to write.
find "$graphs" -name '*@*' -delete

rm -rf docs/reference
scripts/docc.sh convert Sources/Woodshed/Woodshed.docc --additional-symbol-graph-dir "$graphs" --warnings-as-errors \
    --transform-for-static-hosting --output-dir docs/reference
pages=$(find docs/reference/data -name '*.json' | wc -l)
[ "$pages" -gt "${#modules[@]}" ] || { echo "docs: no pages were written" >&2 && exit 1; }
echo "docs: $pages pages in docs/reference; to read them: python3 -m http.server -d docs/reference"
