#!/usr/bin/env bash
# Format, house rules and shell scripts; changes nothing. `make format` mends what the formatter can mend.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

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
if command -v shellcheck >/dev/null; then
    shellcheck --severity=warning scripts/*.sh Tests/Real/*.sh .ci/run || status=1
fi
[ $status -eq 0 ] && echo "lint: ${#existing[@]} Swift files and the house rules: nothing found"
exit $status
