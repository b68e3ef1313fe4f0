#!/usr/bin/env bash
# Tests the checks themselves, because a check that finds nothing is worse than none. Plants each fault for lint and the
# documentation build in a separate folder, and requires the report of the fault; a folder without faults must pass.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
scripts=$PWD/scripts
format=$PWD/.swift-format
# The settings of .ci/run would change the results of the planted faults.
unset WOODSHED_WARNINGS_AS_ERRORS WOODSHED_SKIPS_FAIL WOODSHED_STEP_SUMMARY WOODSHED_STEP_TESTS WOODSHED_STEP_SECONDS

# shellcheck source=scripts/tests/planted-faults.sh
. scripts/tests/planted-faults.sh

check() { "$scripts/checks/check.py" --in "$folder" "$@"; }
house_rules() { check house-rules; }
shell_lint() { "$scripts/checks/lint.sh" --shell "$folder"/scripts/*.sh; }
# With the package's settings for its modules.
lay_package() {
    {
        printf '// swift-tools-version: 6.2\nimport PackageDescription\n'
        awk '/^let (warningsAreErrors|sanitizesThreads)/ { print } /^let settings/ { inside = 1 } inside { print } inside && /: \[\]\)$/ { exit }' \
            "$scripts/../Package.swift"
        printf 'let package = Package(name: "sample", targets: [.target(name: "Sample", swiftSettings: settings)])\n'
    } >"$folder/Package.swift"
}
build() { swift build --package-path "$folder" 2>&1; }
build_as_ci() { WOODSHED_WARNINGS_AS_ERRORS=1 build; }
# The public symbols of the module, extracted as for the reference.
graph_symbols() {
    mkdir -p "$folder/graphs"
    swiftc -emit-module -module-name Sample -emit-module-path "$folder/graphs/Sample.swiftmodule" -package-name sample \
        -I "$folder/graphs" -emit-symbol-graph -emit-symbol-graph-dir "$folder/graphs" "$folder"/Sources/Sample/*.swift
}
commented() { graph_symbols && "$scripts/docs/docs.sh" --comments "$folder/graphs/Sample.symbols.json"; }
# Makes Sample depend on another module, Level.
with_another_module() {
    mkdir -p "$folder/graphs" "$folder/Sources/Level"
    printf '// Levels.\n\n/// A level.\npublic struct Level {}\n' >"$folder/Sources/Level/Level.swift"
    swiftc -emit-module -module-name Level -emit-module-path "$folder/graphs/Level.swiftmodule" "$folder/Sources/Level/Level.swift"
}
complete() { graph_symbols && "$scripts/docs/public-surface.py" --complete "$folder/Sources" Sample "$folder/graphs/Sample.symbols.json"; }
# shellcheck disable=SC2120
surface() { graph_symbols && "$scripts/docs/public-surface.py" "$@" "$folder/list" "$folder/graphs/Sample.symbols.json"; }
format_lint() { swift format lint --strict --configuration "$format" -r "$folder/Sources"; }
reference() { "$scripts/docs/docc.sh" convert "$folder/Sample.docc" --warnings-as-errors --output-dir "$folder/out"; }

lay_module && expect nothing "a clean module keeps the house rules" house_rules
expect nothing "a clean module passes the formatter" format_lint

echo "gitdir: gone" >"$folder/.git" && expect found "a folder whose files git cannot list" house_rules
told_no_files() { cp "$scripts/checks/lint.sh" "$folder/scripts/checks" && ! "$folder/scripts/checks/lint.sh" </dev/null >"$folder/told" 2>&1 && grep '^lint: git lists no Swift file' "$folder/told"; }
expect nothing "lint where git cannot list the files" told_no_files
rm "$folder/.git"
plant() { printf '%s\n' "$1" >>"$folder/Sources/Sample/Sample.swift"; }

plant 'let lost = PlainThread(name: "woodshed-lost") {}' && expect found "a thread without a row in the architecture" house_rules
imports() { lay_module && printf '%s\n' "$@" >"$folder/Sources/Sample/Other.swift"; }
imports 'import Files' '// Reads frames.' 'import Realtime' && expect found "a file's comment between its imports" house_rules
imports '// Reads frames.' 'import Files' 'import Realtime' '' '// Counts.' && expect nothing "a file's comment above its imports" house_rules
typecheck() { swiftc -typecheck -warnings-as-errors -package-name sample "$folder"/Sources/Sample/*.swift; }
with_json() { mkdir -p "$folder/Sources/JSON" && cp "$scripts/../Sources/JSON/TextNumbers.swift" "$folder/Sources/JSON"; }
with_text_numbers() { lay_module && with_json && cp "$folder/Sources/JSON/TextNumbers.swift" "$folder/Sources/Sample"; }
imports 'internal import JSON' && with_json && expect found "a module that can read numbers without limits" house_rules
with_text_numbers && plant 'internal import JSON' && expect nothing "a module with a link to the checks of numbers" house_rules
for line in 'let count = Int64("1")' 'let count = UInt8("1f", radix: 16)' 'let share = Double("1".dropFirst())'; do
    with_text_numbers && plant "$line" && expect found "a number of a text without limits: $line" typecheck
done
for line in 'if case .integer(let count)? = value["frames"] { use(count) }' 'guard case let .number(share) = value else { return }'; do
    lay_module && plant "$line" && expect found "a number of JSON without limits: $line" house_rules
done
for line in 'let size = bytes.reduce(0) { $0 << 8 | Int($1) }' 'let word = UInt32(littleEndian: read(bytes))' \
    'let word = unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)' 'size |= UInt64(byte) << UInt64(8 * index)'; do
    lay_module && plant "$line" && expect found "an integer put together from bytes: $line" house_rules
done
mv "$folder/Sources/Sample" "$folder/Sources/Database" && expect nothing "an integer of a page of SQLite" house_rules
lay_module && plant 'let size = Int(bytes: head[6..<10], bits: 7, in: 0...1 << 28) ?? counters.load(ordering: .relaxed)'
expect nothing "an integer of bytes with limits" house_rules
with_byte_order() { lay_module && cp "$scripts/../Sources/AudioFiles/Bytes/ByteOrder.swift" "$folder/Sources/Sample"; }
with_byte_order && plant 'let size: Int64 = ([] as [UInt8]).little(at: 0)' && expect found "an integer of 64 bits without limits" typecheck
with_byte_order && plant 'let size: UInt32 = ([] as [UInt8]).little(at: 0)' && plant 'let count = ([] as [UInt8]).big(at: 0, in: 0...Int64.max)'
expect nothing "an integer of 32 bits, and an integer of 64 bits with limits" typecheck
with_text_numbers && plant 'let count = Int(2.5) + Int(UInt8(3))' && expect nothing "numbers of numbers" typecheck
lay_module && mkdir "$folder/Tests" && yes '// long' | head -n 401 | tee -a "$folder/Sources/Sample/Sample.swift" >"$folder/Tests/Long.swift"
expect found "a file past 400 lines" house_rules
echo 'Tests/Long.swift  a table that has no second idea' >"$folder/scripts/checks/long-files.txt"
expect nothing "a long file with its reason, and a long file of a type" house_rules

# OUTCOME:FILE:TEXT, in which LONG are words of more than 120 columns.
lay_long() { lay_module && printf '%b\n' "${1#*:*:}" | sed "s/LONG/$(printf 'word %.0s' {1..30})/" >"$folder/$(cut -d: -f2 <<<"$1")"; }
for line in found:{Long.swift:{'// LONG','let count = 1  // LONG'},'long.h:/*\n * LONG\n */',long.py:{'"""Counts.\n\nLONG"""','count = 1  # LONG'},'long.sh:true # LONG'} \
    nothing:{"long.c:// $(printf 'é %.0s' {1..58})é","long.rs:/// - $(printf 'word%.0s' {1..40})",'long.py:text = """# LONG\n# LONG"""',"long.sh:true '# LONG'",'Makefile:help: ## LONG','Long.swift:let text = "// LONG"'}; do
    lay_long "$line" && expect "${line%%:*}" "comments past 120 columns: $line" house_rules
done
lay_module && plant '// TO''DO: finish this' && expect found "an open end without an issue" house_rules
lay_module && plant '// TO''DO(#12): finish this' && expect nothing "an open end with its issue" house_rules
lay_module && plant 'let count = try! read()' && expect found "try! in Sources" house_rules
lay_module && plant 'let text = value as! String' && expect found "as! in Sources" house_rules
lay_module && plant 'func stop() { fatalError("stop") }' && expect found "fatalError in Sources" house_rules
lay_module && plant '// Neither try! nor as! nor fatalError.' && plant 'let text = value as? String'
expect nothing "a word about what stops a program" house_rules
lay_module && plant 'public struct SampleError: Error, Sendable {}' && expect found "a public error without words" house_rules
lay_module && plant 'public struct SampleError: ExplainedError, Equatable {}' && expect found "an error without an exit status" house_rules
plant 'extension SampleError: CategorisedError {}' && expect nothing "a public error with words and an exit status" house_rules
lay_module && plant 'let folder = unsafe opendir(path)' && expect found "a second listing of folders" house_rules
lay_module && plant 'let words = unsafe strerror(errno)' && mv "$folder/Sources/Sample" "$folder/Sources/Explanations"
expect nothing "the one place with the words of the system" house_rules
lay_module && plant 'let path = "/ho''me/somebody/song.wav"' && expect found "a path of somebody's own machine" house_rules
lay_module && mkdir "$folder/Tests" && echo '@Test("ends", .timeLimit(.minutes(5)))' >"$folder/Tests/EndTests.swift"
expect found "a limit for the time of a test" house_rules
lay_module && mkdir "$folder/Tests" && printf '%s\n' 'start()' 'for await _ in events {}' >"$folder/Tests/WaitTests.swift"
expect found "a wait for events without an end of its own" house_rules
printf '%s\n' 'try await withPatience {' '    for await _ in events {}' '}' >"$folder/Tests/WaitTests.swift"
expect nothing "a wait for events with an end" house_rules
lay_module && mkdir "$folder/Tests" && echo 'await #expect(processExitsWith: .failure) {}' >"$folder/Tests/EndTests.swift"
expect found "an expected failure that a hanging process also has" house_rules
lay_module && plant 'let sent = Glibc.kill(process, SIGTERM)' && expect found "a signal by a process's number, in Swift" house_rules
lay_module && plant '/// How to end it: "ki''ll 4711". It cannot ki''ll (by itself).' && plant 'let advice = "or: ki''ll \(process)"'
expect nothing "a word about signals" house_rules
lay_module && mkdir "$folder/Tests" && echo 'void end(pid_t process) { killpg(process, SIGKILL); }' >"$folder/Tests/end.c"
expect found "a signal by a process's number, in C" house_rules
lay_module && echo 'os.kill(process, signal.SIGKILL)' >"$folder/scripts/end.py" && expect found "a signal by a process's number, in Python" house_rules
lay_module && plant '// See scripts/sound.sh.' && expect found "the name of a script that does not exist" house_rules
touch "$folder/scripts/sound.sh" && expect nothing "the name of a script" house_rules
lay_module && echo 'ldd program | gr''ep -qF libc' >"$folder/scripts/links.sh" && expect found "a pipe to grep -q" house_rules
# shellcheck disable=SC2016 # not to be expanded
for line in 'sleep 60 & ki''ll $!' 'trap "ki''ll -KILL ${servers[*]}" EXIT' 'pki''ll woodshed' 'sleep 60 && ki''ll -- -1'; do
    lay_module && echo "$line" >"$folder/scripts/end.sh"
    expect found "a signal by a process's number, in the shell: $line" house_rules
done
# shellcheck disable=SC2016 # not to be expanded
lay_module && printf '%s\n' 'kill -TERM "%$job"' 'kill %1' 'kill -INT $$' 'timeout --kill-after=5 120 true' >"$folder/scripts/end.sh"
expect nothing "signals to jobs of a shell's own and to itself" house_rules
lay_module && sed -i 1,2d "$folder/Sources/Sample/Sample.swift" && sed -i '1i import Glibc' "$folder/Sources/Sample/Sample.swift"
expect found "a module that does not state its purpose" house_rules

lay_module && plant 'public func undocumented() {}' && expect found "a public symbol without documentation" format_lint
lay_module && plant 'let  spaced = 1' && expect found "bad format" format_lint

lay_module && expect nothing "a public symbol with a comment" commented
plant 'public struct Sample { public var bare = 1 }' && expect found "a public symbol without a comment" commented

lay_module && expect found "no list of public symbols" surface --check
plant 'package let isForThePackage = true' && plant '@_spi(Other) public let isForOne = true' && plant 'let isOurs = true'
expect nothing "a list of public symbols is written" surface
expect nothing "a list of public symbols that is true" surface --check
expect nothing "the list has what is public" grep -q '^Sample  frameCount: let frameCount: Int$' "$folder/list"
expect found "the list has what is for the package, for one module or for the module itself" grep -qE 'isFor|isOurs' "$folder/list"
plant 'public let another = 1' && expect found "a public symbol that is not in the list" surface --check
lay_module && graph_symbols && surface && sed -i 's/^public let/let/' "$folder/Sources/Sample/Sample.swift"
expect found "a listed symbol that is public no more" surface --check
sed -i 's/^let frameCount = 1/public let frameCount = 1.0/' "$folder/Sources/Sample/Sample.swift"
expect found "a listed symbol that is declared otherwise" surface --check
lay_module && with_another_module && sed -i '2i @_exported public import Level' "$folder/Sources/Sample/Sample.swift"
plant 'public func level() -> Level? { nil }' && expect nothing "a type of a module that comes along" complete
sed -i 's/^@_exported //' "$folder/Sources/Sample/Sample.swift"
expect found "a type of a module that does not come along" complete

lay_module && echo 'echo "$1"' >"$folder/scripts/sound.sh"
sed -i '1i #!/usr/bin/env bash' "$folder/scripts/sound.sh"
expect nothing "a shell script without a fault" shell_lint
# shellcheck disable=SC2016 # not to be expanded
echo 'cd $folder' >>"$folder/scripts/sound.sh" && expect found "a shell script with a fault" shell_lint
PATH=/nonexistent expect found "no shellcheck" "$BASH" "$scripts/checks/lint.sh" --shell "$folder/scripts/sound.sh"
all_shell_lint() { cp "$scripts/checks/lint.sh" "$folder/scripts/checks" && "$folder/scripts/checks/lint.sh" --shell; }
lay_module && expect found "shell scripts where git cannot list the files" all_shell_lint
plain_git init -q && expect nothing "all shell scripts without a fault" all_shell_lint
printf '#!/bin/busybox sh\ncd "$1"\n' >"$folder/scripts/first" && expect found "a fault in a shell script that only the first line shows" all_shell_lint
rm "$folder/scripts/first"
printf '# shellcheck shell=sh\ncd "$1"\n' >"$folder/scripts/library.sh" && expect found "a fault in a shell script that only the ending shows" all_shell_lint
rm -rf "$folder/.git"

lay_module && lay_package && expect nothing "a module without a warning" build_as_ci
plant 'func unused() { let count = 1 }' && expect nothing "a warning where nobody asked for errors" build
expect found "a warning" build_as_ci
lay_module && lay_package
plant 'func read(_ place: UnsafePointer<Int>) -> Int { place.pointee }' && expect found "unsafe code that is not marked" build_as_ci

lay_module && mkdir "$folder/Sample.docc"
printf '# Sample\n\nA page.\n' >"$folder/Sample.docc/Sample.md"
expect nothing "a clean documentation catalogue" reference
printf '# Sample\n\nA page that links to <doc:Nowhere>.\n' >"$folder/Sample.docc/Sample.md"
expect found "a broken link in the documentation" reference

# The programs of articles and tutorials, as a package.
lay_articles() {
    lay_module
    mkdir -p "$folder/Sources/Woodshed/Woodshed.docc/Resources"
    printf '%s\n' '# First' '```swift' '// swift-tools-version: 6.2' 'let package = Package(targets: [' '    .executableTarget(name: "First")' '])' \
        '```' '```swift' 'let count = 1' '```' 'Then:' '```swift' 'print(count)' '```' >"$folder/Sources/Woodshed/Woodshed.docc/First.md"
    echo 'print(2)' >"$folder/Sources/Woodshed/Woodshed.docc/Resources/step-1.swift"
    echo '@Code(name: "main.swift", file: step-1.swift)' >"$folder/Sources/Woodshed/Woodshed.docc/Steps.tutorial"
}
articles() { "$scripts/docs/articles.py" "$folder/made" "$folder"; }
made() { articles && cat "$folder/made/Sources/$1/main.swift" | tr '\n' ';' | grep -xF "$2"; }
lay_articles && expect nothing "the blocks of an article are one program" made ArticleFirst 'let count = 1;;print(count);'
expect nothing "a step of a tutorial is a program" made Step1 'print(2);'
expect nothing "the package has a target for each program" grep 'executableTarget(name: "Step1")' "$folder/made/Package.swift"
lay_articles && rm "$folder/Sources/Woodshed/Woodshed.docc/Steps.tutorial" && expect found "a step that no tutorial shows" articles
lay_articles && sed -i '/^\/\/ swift-tools-version/d' "$folder/Sources/Woodshed/Woodshed.docc/First.md" && expect found "articles that show no manifest" articles

# The picture of the modules and their longest chain must match the package.
lay_module && mkdir -p "$folder/docs" "$folder/Sources/"{Other,WoodshedCommand}
cp "$folder/Sources/Sample/Sample.swift" "$folder/Sources/Other/Other.swift"
printf '%s\n' '// The command.' 'import Sample' >"$folder/Sources/WoodshedCommand/main.swift"
package() {
    printf '%s\n' '// swift-tools-version: 6.2' 'import PackageDescription' \
        "let package = Package(name: \"sample\", targets: [.target(name: \"Other\"), .target(name: \"Sample\"$1)," \
        '.executableTarget(name: "WoodshedCommand", dependencies: ["Sample"])])' >"$folder/Package.swift"
}
compile_times() { printf '%s\n' '# Seconds' "Other $1" 'Sample 10' 'WoodshedCommand 1' >"$folder/docs/build-times.txt"; }
package ''
compile_times 10
printf '%s\n' '<!-- modules: made by scripts/checks/check.py --write modules -->' '<!-- end of modules -->' >"$folder/docs/architecture.md"
shown_modules() { check modules; }
expect found "a page without the picture of its modules" shown_modules
check --write modules
expect nothing "a page with the picture of its modules" shown_modules
package ', dependencies: ["Other"]'
expect found "a dependency that nothing imports" shown_modules
echo 'internal import Other' >>"$folder/Sources/Sample/Sample.swift"
expect found "a dependency that the picture does not show, and a chain that has grown by more than a tenth" shown_modules
grew() { ! shown_modules >"$folder/told" 2>&1 && grep -q 'has grown from 11 to 21 s: Other → Sample → WoodshedCommand' "$folder/told"; }
expect nothing "the chain that has grown, by name" grew
check --write modules
compile_times 11
expect found "a picture with older times" shown_modules
expect nothing "a chain that has grown by less than a tenth" bash -c "! '$scripts/checks/check.py' --in '$folder' modules 2>&1 | grep grown >&2"
sed -i '/^Other/d' "$folder/docs/build-times.txt"
expect found "a module whose time is not known" shown_modules
compile_times 11
check --write modules
echo 'let oneThread: Set = ["OtherTests"]' >>"$folder/Package.swift"
expect nothing "a module without threads that is said to have none" shown_modules
echo 'internal import Synchronization' >>"$folder/Sources/Other/Other.swift"
expect found "a module with threads whose tests the thread sanitizer does not see" shown_modules
sed -i '/Synchronization/d' "$folder/Sources/Other/Other.swift"
printf '%s\n' 'let commandOnly: Set =' '    1 > 2 ? ["Sample"]' '    : ["Other"]' >>"$folder/Package.swift"
expect nothing "a module of the command that shares only what the compiler checks" shown_modules
echo 'final class Sharing: @unchecked Sendable {}' >>"$folder/Sources/Other/Other.swift"
expect found "a module of the command that shares memory unchecked, which the thread sanitizer does not see" shown_modules
sed -i 's/^    : \["Other"\]/    : ["Sample"]/' "$folder/Package.swift"
expect nothing "another module that shares memory unchecked" shown_modules
echo 'let compilerChecked: Set = ["Other"]' >>"$folder/Package.swift"
expect found "a module without optimisation under the thread sanitizer that shares memory unchecked" shown_modules
sed -i '/Sharing/d' "$folder/Sources/Other/Other.swift"
sed -i 's/^let commandOnly: Set =/let commandOnly =/' "$folder/Package.swift"
expect found "a list of modules that cannot be read" shown_modules
sed -i 's/^let commandOnly =/let commandOnly: Set =/' "$folder/Package.swift"
mkdir -p "$folder/Tests/SampleTests/OneThread"
echo 'let sound = render()' >"$folder/Tests/SampleTests/OneThread/SoundTests.swift"
expect nothing "a test without threads in the folder of those" shown_modules
echo 'let engine = try Engine(output: .null)' >"$folder/Tests/SampleTests/OneThread/SoundTests.swift"
expect found "a test that starts threads in the folder of those without" shown_modules
rm -r "$folder/Tests/SampleTests"
# The folders of a module must depend on each other in one direction only.
lay_folders() {
    lay_module
    mkdir -p "$folder"/Sources/Sample/{Low,High}
    printf '// Low.\nstruct Low {\n    %s\n}\n' "$1" >"$folder/Sources/Sample/Low/Low.swift"
    printf '// High.\nstruct High {\n    let low: Low\n}\n' >"$folder/Sources/Sample/High/High.swift"
}
lay_folders '// Below High.' && expect nothing "a folder that needs another one" check folders
lay_folders 'var above: [High] = []' && expect found "folders that need each other" check folders
lay_folders 'struct High {}; let own = High()' && expect nothing "a type of the same name within another one" check folders
lay_folders 'let text = "High"' && expect nothing "the name of a type in a text" check folders

# A large part of a noncopyable struct is in a box.
lay_large() { # FIELDS OF THE PART, ITS TYPE IN THE WHOLE
    lay_module
    {
        printf '// Parts.\nstruct Pair { let (first, second): (Int, Float) }\nstruct Part: ~Copyable {\n    var isOpen: Bool { false }\n'
        for number in $(seq "$1"); do printf '    private var part%d = Pair(first: 0, second: 0)\n' "$number"; done
        printf '}\nstruct Whole: ~Copyable {\n    var part: %s\n}\n' "$2"
    } >"$folder/Sources/Sample/Parts.swift"
}
leaf_fields() { check leaf-fields; }
lay_large 35 Part && expect nothing "a noncopyable struct that embeds seventy leaf fields" leaf_fields
lay_large 36 Part && expect found "a noncopyable struct that embeds too many leaf fields" leaf_fields
lay_large 36 'Boxed<Part>' && expect nothing "a large part in a box" leaf_fields

# A type has at most 15 stored properties, with those of structs of its own, and opens none for a second file.
lay_state() { # PROPERTIES OF THE TYPE, OF ITS PART, LINE...: the lines are a second file
    lay_module && {
        printf '// Parts.\nstruct Part {\n%s}\n' "$(printf '    var part%d = 0\n' $(seq "$2"))"
        printf 'final class Whole {\n    static var all = 0\n    var isOpen: Bool { false }\n    private var part: Part {\n        didSet { print(1) }\n    }\n'
        printf '    @Wrapped(("a")) private var whole%d = 0\n' $(seq "$1")
        printf '    var opened = 0\n}\n'
    } >"$folder/Sources/Sample/Parts.swift" && printf '%s\n' "${@:3}" >"$folder/Sources/Sample/Whole+Other.swift"
}
state() { check stored-properties; }
lay_state 8 5 '// Nothing.' && expect nothing "fifteen stored properties" state
lay_state 8 6 '// Nothing.' && expect found "sixteen stored properties, six of them in a struct of the type's own" state
echo 'Sample.Whole  16  a table' >"$folder/scripts/checks/stored-properties.txt" && expect nothing "an exception" state
lay_state 8 6 'struct Other { let part: Part }' && expect nothing "a struct that another type uses, too" state
echo 'Sample.Whole  16' >"$folder/scripts/checks/stored-properties.txt" && expect found "a line that is no longer needed" state
lay_state 1 1 'extension Whole { func open() { opened = 1 } }' && expect found "a variable opened for a second file of its type" state
lay_state 1 1 'extension Whole { func open() { opened = 1 } }' 'let count = Whole().opened' && expect nothing "a variable that others use, too" state

# Comments and pages use few words that make them hard to read.
lay_prose() { # FILE LINE...: 400 plain words, and the lines after them
    local start='// '
    [[ $1 = *.md ]] && start=
    [[ $1 = *.sh || $1 = *.py ]] && start='# '
    lay_module && mkdir -p "$(dirname "$folder/$1")"
    printf "${start}Counts the frames of each channel until the section ends.%.0s\n" {1..40} >"$folder/$1"
    printf '%s\n' "${@:2}" >>"$folder/$1"
}
words() { check words; }
lay_prose Sources/Sample/Loop.swift '// What ends.' && expect nothing "an asking word in 400 words" words
for file in {Sources/Sample/Loop.swift,Tests/SampleTests/Loop.swift,CSources/CSample/loop.h,Examples/Clients/loop.rs,Bindings/Python/loop.py,scripts/loop.sh}; do
    mark='//'; [[ $file = *.sh || $file = *.py ]] && mark='#'
    lay_prose "$file" "$mark What ends, and who ends the loop." && expect found "comments with too many asking words: $file" words
done
lay_prose scripts/loop.py 'def end():' '    """What ends, and who ends the loop."""' && expect found "a docstring with too many asking words" words
lay_prose scripts/loop.py 'text = """' 'what and who' '"""' && expect nothing "asking words in a text of Python" words
lay_prose Sources/Sample/Sample.docc/Loop.md 'What ends, and who ends the loop.' && expect found "an article with too many asking words" words
lay_prose CSources/CSample/loop.h '/** What ends, and' ' *  who ends the loop. */' && expect found "a comment of C with too many asking words" words
lay_prose Sources/Sample/Loop.swift '// It ends with one.'{,,,,}{,,} && expect found "comments with too many pronouns" words
lay_prose Sources/Sample/Loop.swift '// The loop is ended.'{,,,}{,} && expect found "comments with too many passives" words
lay_prose Sources/Sample/Loop.swift 'let text = "what, who and whose"' && expect nothing "asking words in a program" words
lay_prose docs/deep/loop.md 'What ends, and who ends the loop.' && expect found "a page with too many asking words" words
lay_prose docs/deep/loop.md '```' 'what and who' '```' '| what | who |' '[A page](what-who.md), `what` and `who`.'
expect nothing "asking words in the code, tables and targets of a page" words
lay_module && plant '// What ends.' && expect nothing "an asking word in a short module" words
mkdir "$folder/Sources/Level" && echo '// Who ends the loop.' >"$folder/Sources/Level/Level.swift" && expect found "asking words in short modules" words
rm -r "$folder/Sources" && expect found "a folder without comments and pages" words

# Every requirement names a test that exists.
lay_requirements() { # TEST OF ROW D33, SCRIPT OF THE LAST ROW
    lay_module
    mkdir -p "$folder"/{docs,Tests,scripts}
    touch "$folder/scripts/checks/lint.sh"
    printf 'struct SampleTests {\n    @Test("a sample")\n    func sample() {}\n    @Test(\n        "an end")\n    func last() {}\n}\n' \
        >"$folder/Tests/SampleTests.swift"
    {
        for row in B{1..21} D{1..32}; do echo "| $row | this | there | \`SampleTests/sample\` |"; done
        echo "| B22 | this | there | \`SampleTests/sample\`, \`SampleTests/last\` |"
        echo "| D33 | this | there | \`$1\` |"
        for row in A{1..24} C{1..39} E{1..24}; do echo "| $row | this | there | \`SampleTests/sample\` |"; done
        echo "| E25 | this | there | \`${2-scripts/checks/lint.sh}\` |"
    } >"$folder/docs/requirements.md"
}
lay_requirements SampleTests/sample && expect nothing "requirements with their tests" check requirements
lay_requirements SampleTests/other && expect found "a requirement whose test does not exist" check requirements
lay_requirements SampleTests && sed -i 5d "$folder/docs/requirements.md" && expect found "a requirement that is missing" check requirements
lay_requirements SampleTests && sed -i 50d "$folder/docs/requirements.md" && expect found "a requirement of practice that is missing" check requirements
lay_requirements SampleTests && sed -i 90d "$folder/docs/requirements.md" && expect found "a requirement of the library that is missing" check requirements
lay_requirements SampleTests scripts/no.sh && expect found "a requirement whose script does not exist" check requirements

# The newest release and the tag have the version.
lay_version() { # VERSION HEADING...
    lay_module
    mkdir -p "$folder/Sources/Woodshed"
    printf '/// The version.\npublic let woodshedVersion = "%s"\n' "$1" >"$folder/Sources/Woodshed/Version.swift"
    printf '%s\n' '# Changelog' '' "${@:2}" >"$folder/CHANGELOG.md"
}
version() { check version; }
lay_version 0.1.0 '## Unreleased' && expect nothing "a version before the first release" version
lay_version 0.2.0 '## Unreleased' '## 0.2.0 - 2026-12-24' '## 0.1.0 - 2026-06-24' && expect nothing "the version of the newest release" version
lay_version 0.1.0 '## Unreleased' '## 0.2.0 - 2026-12-24' '## 0.1.0 - 2026-06-24' && expect found "the version of an older release" version
lay_version 0.2.0 '## 0.2.0' && expect found "a release without a date" version
lay_version 0.2 '## Unreleased' && expect found "a version of two numbers" version
lay_version 0.2.0 '## Unreleased'
plain_git init -q && plain_git add . && plain_git commit -qm "Release" && plain_git tag v0.2.0 && plain_git tag other
expect nothing "a tag with the version" version
plain_git tag v0.3.0 && expect found "a tag with another version" version
rm -rf "${folder:?}/.git"

# A change of the embedders' interface needs an entry in the changelog. The tag has the lists of the last release.
lay_surface() { # VERSION
    lay_version "$1" '## Unreleased' '' '### Changed for embedders' '' '## 0.2.0 - 2026-12-24'
    mkdir -p "$folder/docs/public-surface"
    printf 'Sample  %s\n' 'Player: struct Player' 'Player.seek(to:): func seek(to frame: Int64)' 'frameCount: let frameCount: Int' >"$folder/docs/public-surface/Sample.txt"
    printf '%s\n' 'woodshed_plan.size at 0, 4 bytes' 'woodshed_plan: 4 bytes' 'WOODSHED_OK = 0' >"$folder/docs/c-layout.txt"
}
lay_release() { lay_surface 0.2.0 && plain_git init -q && plain_git add . && plain_git commit -qm "Release" && plain_git tag v0.2.0; }
since() { check surface-since; }
list_edit() { sed -i "$1" "$folder/docs/public-surface/Sample.txt"; }
named() { sed -i "s/^### Changed for embedders$/&\n\n- $1/" "$folder/CHANGELOG.md"; }
lay_surface 0.2.0 && expect nothing "an interface before the first release" since
lay_release && expect nothing "an interface as it was released" since
list_edit '$a Sample  level: let level: Float' && echo 'woodshed_plan.gap at 4, 8 bytes' >>"$folder/docs/c-layout.txt"
sed -i 's/^woodshed_plan: 4/woodshed_plan: 12/' "$folder/docs/c-layout.txt"
expect nothing "an interface that has grown" since
tells_added() { check --show surface-since | grep '^added  Sample  level$'; }
expect nothing "what was added is told" tells_added
rm -rf "${folder:?}/.git" && lay_release && list_edit '/^Sample  Player/d' && expect found "a removed symbol that the changelog does not name" since
named '`Player` is gone.' && expect nothing "a removed type that the changelog names, with its members" since
lay_surface 0.2.1 && list_edit '/^Sample  Player/d' && named '`Player` is gone.' && expect found "a removed symbol in a release of the third number" since
lay_surface 0.3.0 && list_edit 's/frameCount: Int$/&64/' && expect found "a changed symbol that the changelog does not name" since
named '`frameCount` is wider.' && expect nothing "a changed symbol that the changelog names" since
lay_surface 0.3.0 && list_edit 's/frame: Int64)/&, gently: Bool)/' && named '`Player` has changed.' && expect found "a changed member of a type that the changelog names" since
lay_surface 0.3.0 && sed -i 's/^WOODSHED_OK = 0/WOODSHED_OK = 1/' "$folder/docs/c-layout.txt" && expect found "another value in C that the changelog does not name" since
lay_surface 0.3.0 && sed -i 's/^woodshed_plan: 4/woodshed_plan: 2/' "$folder/docs/c-layout.txt" && expect found "a struct of C that has become smaller" since
lay_surface 0.3.0 && list_edit '/^Sample  Player/d' && sed -i '$a - `Player` is gone.' "$folder/CHANGELOG.md" && expect found "a symbol that only an older release names" since
lay_surface 0.3.0 && list_edit 's/^Sample  Player/Other  Player/' && expect found "a type that moved to a module that does not come along" since
printf '@_exported public import %s\n' Other Sample >"$folder/Sources/Woodshed/Woodshed.swift" && expect nothing "a type that moved to a module that comes along" since
list_edit 's/frame: Int64)/&, gently: Bool)/' && expect found "a member that changed while its type moved" since
rm -rf "${folder:?}/.git"

# Every library is listed, with its licence, and is a dependency of the package.
lay_packaging() {
    lay_module
    mkdir -p "$folder/CSources"
    cp -r "$scripts/../packaging" "$scripts/../Package.swift" "$folder/"
    cp -r "$scripts/../CSources/CSQLite" "$scripts/../CSources/CLibXML" "$folder/CSources/"
}
lay_packaging && expect nothing "libraries that are all listed" check dependencies
lay_packaging && sed -i 's/pkgConfig: "soxr"/pkgConfig: "soxr-lsr"/' "$folder/Package.swift" && expect found "a linked library that is not listed" check dependencies
lay_packaging && sed -i 's/libxml2\.so\.2/libxml2.so.3/' "$folder/CSources/CLibXML/CLibXML.c" && expect found "a loaded library that is not listed" check dependencies
lay_packaging && sed -i '/"name": "swift-argument-parser"/d' "$folder/packaging/dependencies.json" && expect found "a Swift dependency that is not listed" check dependencies
lay_packaging && sed -i '/"name": "FFTW"/s/"license": "[^"]*", //' "$folder/packaging/dependencies.json" && expect found "a library without a licence" check dependencies
lay_packaging && sed -i '/^Recommends/s/, libxml2 .*//' "$folder/packaging/debian/control" && expect found "a loaded library that the package does not recommend" check dependencies
lay_packaging && sed -i '/^  FFTW  /d' "$folder/packaging/debian/copyright" && expect found "a library that the copyright file leaves out" check dependencies

# The figures of two benchmark runs; one run is half as fast.
figures() { # NAME VALUE...
    printf '{"benchmark":"sample","name":"%s","unit":"ms","better":"lower","values":[%s]}\n' "$1" "$2" >>"$folder/rows"
}
changes() {
    "$scripts/bench/bench-file.py" --head sample >"$folder/head" && : >"$folder/rows" && figures render 10,10,11 &&
        "$scripts/bench/bench-file.py" "$folder/head" "$folder/rows" "$folder/old.json" && : >"$folder/rows" && figures render "$1" &&
        "$scripts/bench/bench-file.py" "$folder/head" "$folder/rows" "$folder/new.json" || return 2
    ! "$scripts/bench/bench-compare.py" "$folder/old.json" "$folder/new.json" | tee /dev/stderr | grep 'worse$' >/dev/null
}
lay_module && expect found "a benchmark that is twice as slow" changes 20,20,21
expect nothing "a benchmark that is as fast as before" changes 10,10,11
twice() { : >"$folder/rows" && figures render 1 && figures render 2 && "$scripts/bench/bench-file.py" "$folder/head" "$folder/rows" "$folder/new.json"; }
expect found "two figures of one name" twice
expect found "a file of figures that is not there" "$scripts/bench/bench-compare.py" "$folder/absent.json" "$folder/old.json"

echo "gates: $((checks - failures)) of $checks behave"
[ $failures -eq 0 ]
