#!/usr/bin/env bash
# House rules that the formatter does not check: scripts/checks/house-rules.sh [FOLDER]
#
#  - no source file longer than 400 lines, unless scripts/checks/long-files.txt lists it with a reason
#  - no open task without an issue's number, as in "TO-DO(#12)" (written without the hyphen)
#  - no `try!`, `as!` or `fatalError` in Sources/: bad input gets a typed error
#  - every public error has a cause and a remedy (ExplainedError), and every error in Sources/ an exit status (CategorisedError)
#  - no system call outside Files and Explanations for the tasks of both: listing a folder, resolving a name, starting a
#    program, text for an error number
#  - no path of a particular machine
#  - no test with its own time limit: a limit also counts the time for which other tests hold the threads, and fails on a busy
#    machine. scripts/steps/step.sh ends tests without progress
#  - no signal to a process by its number: -1 is every process, and the system reuses the number of a process that has ended.
#    Swift and C use a descriptor (pidfd), Python its own Popen or a descriptor, the shell a job (%1)
#  - no pipe to `grep -q`, which ends at the first match: with pipefail, the signal that ends the writer then makes the pipe fail, now
#    and then. The shell reads to the end with `grep ... >/dev/null`
#  - each module that imports JSON has a link to Sources/JSON/TextNumbers.swift, with which the compiler reports numbers read from a text
#    without limits; the command, whose numbers are the user's, has no link
#  - each thread's name has a row in docs/architecture.md
#  - the first line in one file of each module's folder in Sources/ is a comment with the module's purpose
#  - no file's comment between two of its imports, where the formatter moves the comment with a new import
set -uo pipefail
cd "${1:-$(dirname "$0")/../..}" || exit 1

faults=0
fault() {
    echo "house rules: $1" >&2
    faults=$((faults + 1))
}

list_files() {
    if [ -e .git ]; then git ls-files --cached --others --exclude-standard; else find . -type f | sed 's|^\./||'; fi
}
mapfile -t all < <(list_files | grep -Ev '^(LICENSE|scripts/checks/house-rules\.sh)$' | sort)
mapfile -t code < <(printf '%s\n' "${all[@]}" | grep -E '\.(swift|c|h|cpp|hpp|sh|py)$')
mapfile -t compiled < <(printf '%s\n' "${all[@]}" | grep -E '\.(swift|c|h|cpp|hpp)$')
mapfile -t python < <(printf '%s\n' "${all[@]}" | grep -E '\.py$')
mapfile -t shell < <(printf '%s\n' "${all[@]}" | grep -E '\.sh$|^(Makefile|\.ci/run)$')
mapfile -t sources < <(printf '%s\n' "${all[@]}" | grep -E '^Sources/.*\.swift$')

for file in "${code[@]}"; do
    [ -f "$file" ] || continue
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 400 ] && ! grep -qsE "^$file  +[^ ]" scripts/checks/long-files.txt; then
        fault "$file has $lines lines; split it, or give the reason in scripts/checks/long-files.txt"
    fi
done

# report PATTERN MESSAGE FILE...: reports a fault for every matching line.
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
# conforming PROTOCOL: prints the types in Sources/ that name the protocol in a declaration or an extension.
conforming() {
    printf '%s\n' "${sources[@]}" |
        xargs -r grep -hoP -- "^(?!\s*//).*\b(struct|enum|class|actor|extension) (\w+\.)*\K\w+(?=(<[^>]*>)?:.*\b$1\b)" | sort -u
}
# The compiler makes Failure require kinds with a status, so the types of kinds need no check here.
while IFS= read -r type; do
    fault "$type has no exit status, so a command that ends with it would report a bug; make it a CategorisedError"
done < <(comm -23 <(conforming ExplainedError) <(conforming CategorisedError))
mapfile -t above_files < <(printf '%s\n' "${sources[@]}" | grep -Ev '^Sources/(Files|Explanations)/')
report '^(?!\s*//).*(?<!\w)(opendir|readdir|scandir|realpath|strerror(_r)?|posix_spawnp?|linkat|localtime(_r)?)\s*\(' \
    'a second version of what Files or Explanations has' "${above_files[@]}"
report '(?<![\w.])/(home|Users|root|work|opt/swift)/' "path of somebody's own machine" "${all[@]}"
mapfile -t tests < <(printf '%s\n' "${all[@]}" | grep -E '^Tests/.*\.swift$')
report '^(?!\s*//).*\.timeLimit\(' 'a limit for the time of a test, which ends on a busy machine' "${tests[@]}"
by_number='a signal to a process by its number, which may be another one'
report '^(?!\s*//).*(\b(kill|killpg|sigqueue|tgkill)\s*\(|\bSYS_(kill|tkill|tgkill|rt_sigqueueinfo)\b)' "$by_number" "${compiled[@]}"
report '^(?!\s*#).*\bos\.(kill|killpg)\b' "$by_number" "${python[@]}"
# Bash checks whether the job still runs, and belongs to this shell.
report '^(?!\s*#).*(?<![\w.$/-])((pkill|killall5?|skill)\b|kill\s++(?!("?-\S+ )?"?(%|\$\$)))' "$by_number" "${shell[@]}"
report '^(?!\s*#).*(?<!\|)\|\s*grep -\w*q' 'a pipe to grep -q' "${shell[@]}"

while IFS= read -r file; do
    fault "the comment of $file stands between its imports; move it to the first line"
done < <(printf '%s\0' "${all[@]}" | grep -z '\.swift$' | xargs -0 awk '
    function is_import() { return /^(@[^ ]+ )*((public|package|internal|private|fileprivate) )?import / }
    FNR == 1 { stage = is_import() ? 1 : 0; next }
    stage == 1 { stage = is_import() ? 1 : /^\/\/[^\/]/ ? 2 : 0; next }
    stage == 2 { if (is_import()) print FILENAME; if (!/^\/\/[^\/]/) stage = 0 }')

for folder in Sources/*/; do
    [ -d "$folder" ] || continue
    first_lines=$(find "$folder" -name '*.swift' -exec head -qn 1 {} +)
    if ! grep -q '^// ' <<<"$first_lines"; then
        fault "$folder has no file that begins with the purpose of the module"
    fi
done

threads='\b(Plain|Realtime|Repeating|Event|Job)Thread(<\w+>)?\(\s*name: "\K[^"]+|\brunAside\(name: "\K[^"]+'
while IFS= read -r name; do
    grep -qsF "(\`$name\`)" docs/architecture.md || fault "the thread $name has no row in docs/architecture.md"
done < <(printf '%s\n' "${sources[@]}" | xargs -r grep -hoP -- "$threads" | sort -u)

while IFS= read -r folder; do
    cmp -s "$folder/TextNumbers.swift" Sources/JSON/TextNumbers.swift ||
        fault "$folder can read numbers without limits; run: ln -s ../JSON/TextNumbers.swift $folder"
done < <(printf '%s\n' "${sources[@]}" | grep -Ev '^Sources/(JSON|WoodshedCLI)/' |
    xargs -r grep -lE '^((public|package|internal) )?import JSON$' | cut -d/ -f1-2 | sort -u)

[ $faults -eq 0 ] || exit 1
