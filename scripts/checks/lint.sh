#!/usr/bin/env bash
# scripts/checks/lint.sh                  checks everything
# scripts/checks/lint.sh --shell FILE...  checks only these shell scripts
#
# Checks the format, the house rules (check.py) and the shell scripts; changes nothing. `make format` corrects the
# format.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

lint_shell() {
    command -v shellcheck >/dev/null || { echo "lint: shellcheck is missing; scripts/setup.sh lint installs it" >&2 && return 1; }
    shellcheck --severity=warning "$@"
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
mapfile -t swift_files < <(git ls-files --cached --others --exclude-standard -- "${folders[@]}" | grep '\.swift$')
existing=()
for file in "${swift_files[@]}"; do [ -f "$file" ] && existing+=("$file"); done
# Without files, the formatter would read the standard input.
[ ${#existing[@]} -gt 0 ] || { echo "lint: git lists no Swift file; make lint needs a clone" >&2 && exit 1; }
swift format lint --strict --parallel "${existing[@]}" || status=1
scripts/checks/check.py || status=1
lint_shell scripts/*.sh scripts/*/*.sh Tests/Real/*.sh .ci/run || status=1
[ $status -eq 0 ] && echo "lint: ${#existing[@]} Swift files and the house rules: nothing found"
exit $status
