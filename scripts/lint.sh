#!/usr/bin/env bash
# scripts/lint.sh                  all of it
# scripts/lint.sh --shell FILE...  what is wrong with shell scripts
#
# Format, house rules and shell scripts; changes nothing. `make format` mends what the formatter can mend.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

lint_shell() {
    command -v shellcheck >/dev/null || { echo "lint: shellcheck is missing; scripts/setup.sh lint installs it" >&2 && return 1; }
    shellcheck --severity=warning "$@"
}
if [ "${1:-}" = --shell ]; then
    shift
    lint_shell "$@"
    exit
fi

status=0
folders=()
for folder in Package.swift Sources Tests Benchmarks Examples; do
    [ -e "$folder" ] && folders+=("$folder")
done
# The build folders of the packages in Benchmarks/ and Examples/ hold other people's sources: git knows which are ours.
mapfile -t swift_files < <(git ls-files --cached --others --exclude-standard -- "${folders[@]}" | grep '\.swift$')
existing=()
for file in "${swift_files[@]}"; do [ -f "$file" ] && existing+=("$file"); done
swift format lint --strict --parallel "${existing[@]}" || status=1
scripts/house-rules.sh || status=1
scripts/modules.py --check || status=1
scripts/folders.py || status=1
lint_shell scripts/*.sh Tests/Real/*.sh .ci/run || status=1
[ $status -eq 0 ] && echo "lint: ${#existing[@]} Swift files and the house rules: nothing found"
exit $status
