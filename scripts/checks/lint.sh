#!/usr/bin/env bash
# scripts/checks/lint.sh                    checks everything
# scripts/checks/lint.sh --shell [FILE]...  checks only these shell scripts, or all of them
#
# Checks the format, the house rules (check.py) and the shell scripts; changes nothing. `make format` corrects the
# format.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# Prints the files that git lists, without those that are gone: files [PATH]...
files() {
    local file
    git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done
}
# Checks the given shell scripts. Without arguments, checks all: files that end in .sh, or whose first line names a
# shell.
lint_shell() {
    command -v shellcheck >/dev/null || { echo "lint: shellcheck is missing; scripts/setup.sh lint installs it" >&2 && return 1; }
    local scripts=("$@")
    [ $# -gt 0 ] || mapfile -t scripts < <(files | tr '\n' '\0' |
        xargs -0 -r awk 'FNR == 1 { if (/^#!.*[ \/](ba|da|k)?sh( |$)/ || FILENAME ~ /\.sh$/) print FILENAME; nextfile }')
    [ ${#scripts[@]} -gt 0 ] || { echo "lint: git lists no shell script; make lint needs a clone" >&2 && return 1; }
    shellcheck --severity=warning "${scripts[@]}"
}
if [ "${1:-}" = --shell ]; then
    shift
    lint_shell "$@"
    exit
fi
[ $# -eq 0 ] || { echo "lint: there is no option $*" >&2 && exit 64; }

status=0
folders=()
for folder in Package.swift Sources Tests Benchmarks Examples; do
    [ -e "$folder" ] && folders+=("$folder")
done
# The build folders of the packages in Benchmarks/ and Examples/ contain sources of dependencies; git lists only ours.
mapfile -t swift_files < <(files "${folders[@]}" | grep '\.swift$')
# Without files, the formatter would read the standard input.
[ ${#swift_files[@]} -gt 0 ] || { echo "lint: git lists no Swift file; make lint needs a clone" >&2 && exit 1; }
swift format lint --strict --parallel "${swift_files[@]}" || status=1
scripts/checks/check.py || status=1
lint_shell || status=1
[ $status -eq 0 ] && echo "lint: ${#swift_files[@]} Swift files and the house rules: nothing found"
exit $status
