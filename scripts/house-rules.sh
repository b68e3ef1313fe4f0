#!/usr/bin/env bash
# Rules of the house that the formatter does not know: scripts/house-rules.sh [FOLDER]
#
#  - no file of code past 400 lines, unless scripts/long-files.txt names it with a reason
#  - no open end without an issue's number, as in "TO-DO(#12)" (written without the hyphen)
#  - no `try!`, `as!` or `fatalError` in Sources/: bad input gets a typed error
#  - every public error says cause and remedy (ExplainedError), and the command knows with which exit status it ends by it
#  - no call of the system outside Files and Explanations for what these have: listing a folder, resolving a name, starting a
#    program, words for an error number
#  - no path of somebody's own machine
#  - no signal to a process by its number: -1 is every process, and what has been waited for gives its number to another one.
#    Swift and C send it to a descriptor (pidfd), Python to its own Popen or a descriptor, the shell to a job of its own (%1)
#  - the first line of a module's folder of Sources/ belongs to a comment that states the purpose (in one of its files)
set -uo pipefail
cd "${1:-$(dirname "$0")/..}" || exit 1

faults=0
fault() {
    echo "house rules: $1" >&2
    faults=$((faults + 1))
}

list_files() {
    if [ -e .git ]; then git ls-files --cached --others --exclude-standard; else find . -type f | sed 's|^\./||'; fi
}
mapfile -t all < <(list_files | grep -Ev '^(LICENSE|scripts/house-rules\.sh)$' | sort)
mapfile -t code < <(printf '%s\n' "${all[@]}" | grep -E '\.(swift|c|h|cpp|hpp|sh|py)$')
mapfile -t compiled < <(printf '%s\n' "${all[@]}" | grep -E '\.(swift|c|h|cpp|hpp)$')
mapfile -t python < <(printf '%s\n' "${all[@]}" | grep -E '\.py$')
mapfile -t shell < <(printf '%s\n' "${all[@]}" | grep -E '\.sh$|^(Makefile|\.ci/run)$')
mapfile -t sources < <(printf '%s\n' "${all[@]}" | grep -E '^Sources/.*\.swift$')

for file in "${code[@]}"; do
    [ -f "$file" ] || continue
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 400 ] && ! grep -qsE "^$file  +[^ ]" scripts/long-files.txt; then
        fault "$file has $lines lines; split it, or give the reason in scripts/long-files.txt"
    fi
done

# report PATTERN MESSAGE FILE...: a fault for every line that matches.
report() {
    local pattern=$1 message=$2
    shift 2
    [ $# -gt 0 ] || return 0
    while IFS= read -r line; do
        fault "$message: $line"
    done < <(grep -nHPIs -- "$pattern" "$@")
}
report '\b(TODO|FIXME|HACK)\b(?!\(#\d+\))' 'open end without the number of an issue' "${code[@]}"
report '^(?!\s*//).*(\btry!|\bas!|\bfatalError\b)' 'stops the program' "${sources[@]}"
report '^\s*public (struct|enum|final class) \w+:(?!.*\bExplainedError\b).*(?<!\w)Error\b' \
    'a public error without words: make it an ExplainedError' "${sources[@]}"
statuses=Sources/WoodshedCLI/Messages/ErrorTable.swift
while IFS= read -r name; do
    grep -qsE "^extension $name: CommandError\b" $statuses || fault "$name has no exit status in $statuses"
done < <(grep -hPso '^\s*public (struct|enum|final class) \K\w+(?=:.*\bExplainedError\b)' "${sources[@]}")
mapfile -t above_files < <(printf '%s\n' "${sources[@]}" | grep -Ev '^Sources/(Files|Explanations)/')
report '^(?!\s*//).*(?<!\w)(opendir|readdir|scandir|realpath|strerror(_r)?|posix_spawnp?|linkat)\s*\(' \
    'a second version of what Files or Explanations has' "${above_files[@]}"
report '(?<![\w.])/(home|Users|root|work|opt/swift)/' "path of somebody's own machine" "${all[@]}"
by_number='a signal to a process by its number, which may be another one'
report '^(?!\s*//).*(\b(kill|killpg|sigqueue|tgkill)\s*\(|\bSYS_(kill|tkill|tgkill|rt_sigqueueinfo)\b)' "$by_number" "${compiled[@]}"
report '^(?!\s*#).*\bos\.(kill|killpg)\b' "$by_number" "${python[@]}"
# Bash looks whether the job still runs, and whether it is one of its own.
report '^(?!\s*#).*(?<![\w.$/-])((pkill|killall5?|skill)\b|kill\s++(?!("?-\S+ )?"?(%|\$\$)))' "$by_number" "${shell[@]}"

for folder in Sources/*/; do
    [ -d "$folder" ] || continue
    first_lines=$(find "$folder" -name '*.swift' -exec head -qn 1 {} +)
    if ! grep -q '^// ' <<<"$first_lines"; then
        fault "$folder has no file that begins with the purpose of the module"
    fi
done

[ $faults -eq 0 ] || exit 1
