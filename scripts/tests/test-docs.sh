#!/usr/bin/env bash
# Runs the commands in the documents. Every line that begins with "$ woodshed" in a ```console block of README.md and
# docs/ must exit with 0, in a folder with a song.wav of 30 seconds. The program in README.md must be the example
# Looper, and the dependency that docs/embedding.md shows must work.
#
# Commands that would use a sound card use `null` instead: add_device below. A measurement cannot use `null`: the
# measurement gets a missing device, and must report the device.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
documents=(README.md docs/*.md)

failures=0
commands=0
fail() {
    failures=$((failures + 1))
    echo "docs: $1" >&2
}

# The first ```swift block of README.md.
program=$(awk '/^```swift$/ { inside = 1; next } /^```$/ && inside { exit } inside' README.md)
if [ "$program" != "$(cat Examples/Sources/Looper/main.swift)" ]; then
    fail "the program in README.md differs from Examples/Sources/Looper/main.swift:"
    diff <(echo "$program") Examples/Sources/Looper/main.swift >&2
fi

# Links between the documents.
for document in *.md docs/*.md docs/decisions/*.md; do
    while IFS= read -r link; do
        [ -e "$(dirname "$document")/$link" ] || fail "$document links to $link, which does not exist"
    done < <(grep -oP '\]\(\K(?!https?:|#)[^)#]+' "$document")
done

[ -x .build/release/woodshed ] || { echo "docs: no .build/release/woodshed; run: make build" >&2 && exit 1; }
export PATH=$root/.build/release:$PATH

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state XDG_CACHE_HOME=$folder/cache XDG_RUNTIME_DIR=$folder
# A generated melody with a beat.
sox -n -r 44100 -c 2 song.wav synth 30 pluck C4 tremolo 2 60 gain -6 || exit 1
sox song.wav song.flac && cp song.wav "my song.wav"

# The dependency in docs/embedding.md, its first ```swift block: a package that contains it is valid, whatever the
# folder's name.
mkdir -p looper/Sources/Looper && ln -s "$root" elsewhere && echo "$program" >looper/Sources/Looper/main.swift
manifest=$(awk '/^```swift$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$root/docs/embedding.md")
[[ $manifest == "dependencies: "*"targets: "* ]] || fail "docs/embedding.md shows no dependency in its first block of Swift"
printf '// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(\n    name: "looper",\n%s\n)\n' \
    "${manifest//..\/woodshed/..\/elsewhere}" >looper/Package.swift
if ! said=$(cd looper && swift package show-dependencies 2>&1); then
    fail "docs/embedding.md: the dependency is refused in a folder of another name: $said"
fi

# Commands for the default device get a device of every machine.
add_device() {
    case $1 in
    "woodshed calibrate "*--list*) echo "$1" ;;
    "woodshed calibrate"*) echo "$1 --output no-such-device" ;;
    "woodshed record"*--recover* | "woodshed record"*--input*) echo "$1" ;;
    "woodshed record"*) echo "$1 --input null --duration 0.2" ;;
    *--output* | *--help* | *--version*) echo "$1" ;;
    "woodshed play "* | "woodshed practice "* | "woodshed demo"*) echo "$1 --output null --clock virtual" ;;
    *) echo "$1" ;;
    esac
}

# Runs the commands in a document.
try_commands() { # DOCUMENT FILE
    # Each document begins with unpractised recordings, and without a configuration.
    export XDG_DATA_HOME=$folder/data-${1//\//-} XDG_CONFIG_HOME=$folder/config-${1//\//-}
    while IFS= read -r command; do
        commands=$((commands + 1))
        said=$(bash -c "set -o pipefail; $(add_device "$command")" 2>&1 </dev/null)
        status=$?
        # The doctor's 69 means that this machine has no sound card, which is not an error in the document. The same
        # holds for a measurement.
        if [ $status -ne 0 ] && ! { [ $status -eq 69 ] && [[ $command =~ ^"woodshed "(doctor|calibrate) ]]; }; then
            fail "$1: '$command' ended with $status: $said"
        fi
    done < <(awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2" |
        sed -n 's/^\$ \(woodshed\b.*\)/\1/p' | sed 's/  *#.*//')
}

# Planted faults come first; the script must find each.
before=$failures
planted=('woodshed play song.wav --sped 80%' 'woodshed info missing.wav' 'woodshed info song.wav --json | grep nonsense'
    'woodshed doctor --xyzzy')
{
    echo '```console'
    printf '$ %s\n' "${planted[@]}" 'woodshed info song.wav   # is right'
    echo '```'
} >planted.md
try_commands planted.md planted.md 2>/dev/null
if [ $((failures - before)) -ne ${#planted[@]} ] || [ $commands -ne $((${#planted[@]} + 1)) ]; then
    echo "docs: of ${#planted[@]} planted faults, $((failures - before)) were found in $commands commands" >&2
    exit 1
fi
failures=$before
commands=0

for document in "${documents[@]}"; do try_commands "$document" "$root/$document"; done

[ $commands -gt 0 ] || fail "no document shows a command"
echo "docs: $commands commands shown, $failures failures"
[ $failures -eq 0 ]
