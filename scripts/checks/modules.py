#!/usr/bin/env python3
"""The picture of the modules and of their longest chain in docs/architecture.md, made from the imports of their sources.

  scripts/checks/modules.py [FOLDER]          writes the picture between its two markers
  scripts/checks/modules.py --check [FOLDER]  fails if the page shows another picture; changes nothing

Fails too if Package.swift declares a dependency that no source imports, if tests without threads (oneThread in Package.swift) come to
have threads, if modules with little coverage by the thread sanitizer (commandOnly and compilerChecked there) share memory unchecked by the
compiler, and if the longest chain of modules, the least time of a build with any number of cores, exceeds the length in
docs/architecture.md by more than a tenth. The times come from docs/build-times.txt.
The picture leaves out a dependency that follows from other dependencies, and has only the necessary arrows.
"""
import json
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- modules: made by scripts/checks/modules.py -->", "<!-- end of modules -->"
IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|func|protocol|var|let|typealias)\s+)?(\w+)",
                    re.MULTILINE)


def fail(text: str):
    sys.exit(f"modules: {text}")


def described(root: pathlib.Path) -> list:
    done = subprocess.run(["swift", "package", "--package-path", root, "describe", "--type", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"the package cannot be described:\n{done.stderr}")
    return json.loads(done.stdout)["targets"]


def imports(folder: pathlib.Path) -> set:
    return {name for file in folder.rglob("*.swift") if ".docc" not in str(file)
            for name in IMPORT.findall(file.read_text(encoding="utf-8"))}


def needs(root: pathlib.Path, targets: list) -> dict:
    """The imports of each module of Sources/ from the other modules."""
    ours = {t["name"]: t for t in targets if t["path"].startswith("Sources/") and t["type"] != "test"}
    names = {t["name"] for t in targets}
    found = {}
    for name, target in ours.items():
        used = imports(root / target["path"])
        idle = set(target.get("target_dependencies", [])) & names - used
        if idle:
            fail(f"{name} imports nothing of {', '.join(sorted(idle))}; take them out of Package.swift")
        found[name] = sorted(used & ours.keys() - {name})
    return found


THREADS = re.compile(r"\b(?:import (?:Realtime|Synchronization|Dispatch)\b|(?:Thread|Task)(?:\.\w+)? *[({]|withTaskGroup|concurrentPerform)")

# Calls that start threads: an engine, its device, the reading of a file's pages, and the analysis of a recording.
STARTED = re.compile(r"\b(?:Engine\(|Clip\((?:path|decoder)|listens: true|eventually\(|PlainThread|IdleRecorder|PracticeSession\()")


def names_in(root: pathlib.Path, name: str, pattern: str) -> list:
    """The names in a list of Package.swift; none without such a list."""
    package = (root / "Package.swift").read_text(encoding="utf-8")
    listed = re.search("^" + pattern, package, re.MULTILINE | re.DOTALL)
    if f"let {name}" in package and not listed:
        fail(f"scripts/checks/modules.py cannot read the list {name} in Package.swift; bring it up to date")
    return re.findall(r'"(\w+)"', listed[1]) if listed else []


def check_one_thread(root: pathlib.Path) -> None:
    """The tests left out under the thread sanitizer by Package.swift, and the tested modules, must start no threads."""
    for tests in names_in(root, "oneThread", r"let oneThread: Set = \[(.*?)\]$"):
        for folder in (root / "Sources" / tests.removesuffix("Tests"), root / "Tests" / tests):
            for file in folder.rglob("*.swift"):
                if THREADS.search(file.read_text(encoding="utf-8")):
                    fail(f"{file.relative_to(root)} has to do with threads; take {tests} out of oneThread in Package.swift")
    for file in (root / "Tests").glob("*/OneThread/**/*.swift"):
        text = file.read_text(encoding="utf-8")
        if THREADS.search(text) or STARTED.search(text):
            fail(f"{file.relative_to(root)} has to do with threads; move it out of the folder OneThread")


# Declarations that the compiler leaves to the programmer.
UNCHECKED = re.compile(
    r"@unchecked Sendable|nonisolated\(unsafe\)|@preconcurrency|Pointer(?:<[^>]*>)?\(bitPattern:|Unmanaged\W|pthread_create")

# The number of such declarations in each file of the command, each with a proof.
PROVED = {
    # The program writes the terminal's settings before the flag that lets a handler of signals read the settings.
    "Sources/Terminal/Screen/RawMode.swift": 1,
    # A handler's texts never change, and stay in memory.
    "Sources/Terminal/Streams/PartialFiles.swift": 1,
    # A thread gets its work as it begins.
    "Sources/Terminal/Signals/BlockingThread.swift": 4,
    # A drawing library calls back on the thread that called it.
    "Sources/Drawing/Canvas/Canvas.swift": 3,
    # The library for XML calls back in the same way.
    "Sources/TextFormats/XML/XMLReader.swift": 2,
}


def check_command(root: pathlib.Path) -> None:
    """The modules left out (commandOnly) or not optimised (compilerChecked) under the thread sanitizer by Package.swift must share only
    memory checked by the compiler."""
    for listed, pattern in (("commandOnly", r".*?: \[(.*?)\]$"), ("compilerChecked", r" \[(.*?)\]$")):
        for module in names_in(root, listed, f"let {listed}: Set =" + pattern):
            for file in (root / "Sources" / module).rglob("*.swift"):
                place = str(file.relative_to(root))
                if len(UNCHECKED.findall(file.read_text(encoding="utf-8"))) > PROVED.get(place, 0):
                    fail(f"{place} shares memory that the compiler does not check; take {module} out of {listed} in Package.swift")


def picture(needed: dict) -> str:
    def reached(name: str) -> set:
        return set(needed[name]).union(*(reached(other) for other in needed[name]))

    lines = ["```mermaid", "graph TD"]
    for name in sorted(needed):
        direct = [d for d in needed[name] if not any(d in reached(other) for other in needed[name])]
        lines += [f"    {name} --> {d}" for d in direct] or [f"    {name}"]
    return "\n".join(lines + ["```"])


def chain(root: pathlib.Path, needed: dict) -> tuple:
    """The command's longest chain of modules, and the seconds."""
    times = {}
    for line in (root / "docs/build-times.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, seconds = line.split()
            times[name] = float(seconds)
    longest = {}

    def end_at(name: str) -> tuple:
        if name not in longest:
            if name not in times:
                fail(f"docs/build-times.txt has no time of {name}; measure it: scripts/bench/build-times.py")
            before = max((end_at(other) for other in needed[name]), default=(0, []))
            longest[name] = (before[0] + times[name], before[1] + [name])
        return longest[name]

    seconds, modules = end_at("WoodshedCommand")
    return modules, seconds, sum(times[name] for name in longest)


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parents[2]
    page = root / "docs/architecture.md"
    check_one_thread(root)
    check_command(root)
    needed = needs(root, described(root))
    modules, seconds, total = chain(root, needed)
    told = (f"The longest chain for the command: {' → '.join(modules)}. Its modules take {seconds:.0f} s one after the other, all modules {total:.0f} s\n"
            "([the times of each](build-times.txt)).")
    made = f"{BEGIN}\n{picture(needed)}\n\n{told}\n{END}"
    text = page.read_text(encoding="utf-8")
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        fail(f"{page} has no place for the picture: {BEGIN} and {END}")
    before = re.search(r"Its modules take (\d+) s one after the other", text[start:end])
    if "--check" in sys.argv[1:]:
        if before and seconds > 1.1 * float(before[1]):
            fail(f"the longest chain has grown from {before[1]} to {seconds:.0f} s: {' → '.join(modules)}; cut it, or give the reason in "
                 "docs/decisions/building.md and run scripts/checks/modules.py")
        if text[start:end + len(END)] != made:
            fail(f"the picture in {page} is out of date; make it anew: scripts/checks/modules.py")
        return
    page.write_text(text[:start] + made + text[end + len(END):], encoding="utf-8")


main()
