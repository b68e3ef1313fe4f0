#!/usr/bin/env bash
# Writes the reference of every public symbol of every library module to docs/reference, with the articles of
# Sources/Woodshed/Woodshed.docc. A warning is an error, and so is a public symbol without a comment.
#
#   scripts/docs/docs.sh --comments GRAPH...    only looks for symbols without a comment, in the compiler's graphs
#   scripts/docs/docs.sh --surface              only rewrites docs/public-surface, the lists of public symbols of each
#                                               product
#
# The script writes the reference only if the lists match the sources.
set -euo pipefail

# Lists the public symbols without a comment in these graphs, and fails after a find. The compiler
# generated the symbols without a location in the source.
tell_bare() {
    local graph symbols bare=0
    for graph in "$@"; do
        symbols=$(jq -r '(.module.name // error("no graph of symbols")) as $name | [.symbols[]
            | select(.location and (.docComment | not)) | "docs: \($name).\(.pathComponents | join(".")) has no comment\n"]
            | join("")' "$graph") || return 1
        [ -z "$symbols" ] || { bare=1 && echo "$symbols" >&2; }
    done
    [ $bare -eq 0 ]
}
if [ "${1:-}" = --comments ]; then
    shift
    tell_bare "$@"
    exit
fi
[ $# -eq 0 ] || [ "$*" = --surface ] || { echo "docs: there is no option $*" >&2 && exit 64; }

cd "$(dirname "$0")/../.."

modules=(Explanations Realtime DSP Stretching Drawing AudioFiles Clips Takes Waveforms AudioDevices Recording Engine Queue Sections Store Practice Transfers Catalogue Library Woodshed WoodshedPractice WoodshedLibrary)
# The modules that programs import. Each has a list of the symbols that its import brings, and that no list before has.
products=(Woodshed WoodshedPractice WoodshedLibrary Drawing Stretching)
# Modules of programs, which other packages do not import.
programs=(CInterface WoodshedCLI WoodshedCommand)
# Modules without public symbols.
internals=(Anki Database DesktopBus Files JSON Libraries RemoteControl RunLog Samples Settings Terminal TextFormats Transforms UserState)
for folder in Sources/*/; do
    case " ${modules[*]} ${programs[*]} ${internals[*]} " in
    *" $(basename "$folder") "*) ;;
    *) echo "docs: $folder is not in 'modules', 'programs' or 'internals' of $0" >&2 && exit 1 ;;
    esac
done

for product in "${products[@]}"; do scripts/build.sh --package . --target "$product"; done
built=$(readlink -f .build/release)

# The folders of the imported C modules.
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
written=()
for module in "${modules[@]}"; do
    swift symbolgraph-extract -module-name "$module" -target "$target" "${flags[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$graphs"
    written+=("$graphs/$module.symbols.json")
done
# Writes or checks the list of each product. The graphs include the extensions of another module's types, which are
# separate graphs.
surfaces() { # [--check]
    local product module listed=" " own
    for product in "${products[@]}"; do
        own=()
        for module in "$product" $(sed -n 's/^@_exported public import //p' "Sources/$product"/*.swift); do
            case "$listed" in *" $module "*) continue ;; esac
            listed+="$module "
            own+=("$graphs/$module".symbols.json)
            for graph in "$graphs/$module"@*.symbols.json; do [ ! -f "$graph" ] || own+=("$graph"); done
        done
        scripts/docs/public-surface.py "$@" "docs/public-surface/$product.txt" "${own[@]}" || return 1
    done
    for module in "${modules[@]}"; do
        case "$listed" in *" $module "*) ;; *) echo "docs: no product brings $module" >&2 && return 1 ;; esac
    done
    for list in docs/public-surface/*; do
        case " ${products[*]} " in
        *" $(basename "$list" .txt) "*) ;;
        *) echo "docs: $list is of no product" >&2 && return 1 ;;
        esac
    done
}
if [ "${1:-}" = --surface ]; then
    surfaces
    scripts/docs/public-surface.py --count "$graphs"/*.symbols.json
    exit
fi
surfaces --check
scripts/docs/public-surface.py --complete Sources "$(IFS=, && echo "${products[*]},DSP,Realtime")" "$graphs"/*.symbols.json
tell_bare "${written[@]}"
# The extraction also writes one graph per extended foreign module; the reference does not include these graphs.
find "$graphs" -name '*@*' -delete

rm -rf docs/reference
scripts/docs/docc.sh convert Sources/Woodshed/Woodshed.docc --additional-symbol-graph-dir "$graphs" --warnings-as-errors \
    --transform-for-static-hosting --output-dir docs/reference
pages=$(find docs/reference/data -name '*.json' | wc -l)
[ "$pages" -gt "${#modules[@]}" ] || { echo "docs: no pages were written" >&2 && exit 1; }
echo "docs: $pages pages in docs/reference; to read them: python3 -m http.server -d docs/reference"
