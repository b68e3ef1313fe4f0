"""The picture of the modules and of their longest chain in docs/architecture.md, made from the imports of their
sources.

The check fails too if Package.swift declares a dependency that no source imports, if tests without threads (oneThread
in Package.swift) come to have threads, if modules with little coverage by the thread sanitizer (commandOnly and
compilerChecked there) share memory unchecked by the compiler, and if the longest chain of modules, the least time of a
build with any number of cores, exceeds the length in docs/architecture.md by more than a tenth. The times come from
docs/build-times.txt.
The picture leaves out a dependency that follows from other dependencies, and has only the necessary arrows.
"""
import json
import re
import subprocess

from project import Fault

PAGE, PACKAGE, TIMES = "docs/architecture.md", "Package.swift", "docs/build-times.txt"
BEGIN, END = "<!-- modules: made by scripts/checks/check.py --write modules -->", "<!-- end of modules -->"
IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|func|protocol|var|let|typealias)\s+)?(\w+)",
                    re.MULTILINE)


def described(project) -> list:
    done = subprocess.run(["swift", "package", "--package-path", project.root, "describe", "--type", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Fault(f"{PACKAGE}: the package cannot be described:\n{done.stderr}")
    return json.loads(done.stdout)["targets"]


def imports(project, targets: list) -> dict:
    """The names imported by each module of Sources/."""
    return {target["name"]: {name for path in project.matching(rf"^{re.escape(target['path'])}/(?!.*\.docc).*\.swift$")
                             for name in IMPORT.findall(project.text(path))}
            for target in targets if target["path"].startswith("Sources/") and target["type"] != "test"}


def needs(imported: dict) -> dict:
    """The imports of each module of Sources/ from the other modules."""
    return {name: sorted(used & imported.keys() - {name}) for name, used in imported.items()}


def idle(imported: dict, targets: list):
    """The dependencies that no source imports."""
    names = {target["name"] for target in targets}
    for target in targets:
        unused = set(target.get("target_dependencies", [])) & names - imported.get(target["name"], names)
        if unused:
            yield f"{PACKAGE}: {target['name']} imports nothing of {', '.join(sorted(unused))}; take them out"


THREADS = re.compile(r"\b(?:import (?:Realtime|Synchronization|Dispatch)\b|(?:Thread|Task)(?:\.\w+)? *[({]|withTaskGroup|concurrentPerform)")

# Calls that start threads: an engine, its device, the reading of a file's pages, and the analysis of a recording.
STARTED = re.compile(r"\b(?:Engine\(|Clip\((?:path|decoder)|listens: true|eventually\(|PlainThread|IdleRecorder|PracticeSession\()")


def names_in(project, name: str, pattern: str) -> list:
    """The names in a list of Package.swift; none without such a list."""
    package = project.text(PACKAGE)
    listed = re.search("^" + pattern, package, re.MULTILINE | re.DOTALL)
    if f"let {name}" in package and not listed:
        raise Fault(f"{PACKAGE}: scripts/checks/modules.py cannot read the list {name}; bring the script up to date")
    return re.findall(r'"(\w+)"', listed[1]) if listed else []


def sources(project, folder: str) -> list:
    return project.matching(rf"^{folder}/.*\.swift$")


def check_one_thread(project):
    """The tests left out under the thread sanitizer by Package.swift, and the tested modules, must start no threads."""
    for tests in names_in(project, "oneThread", r"let oneThread: Set = \[(.*?)\]$"):
        for path in sources(project, "Sources/" + tests.removesuffix("Tests")) + sources(project, "Tests/" + tests):
            if found := THREADS.search(project.text(path)):
                yield f"{project.place(path, found.start())}: has to do with threads; take {tests} out of oneThread in {PACKAGE}"
    for path in sources(project, "Tests/[^/]*/OneThread"):
        if found := THREADS.search(project.text(path)) or STARTED.search(project.text(path)):
            yield f"{project.place(path, found.start())}: has to do with threads; move the file out of the folder OneThread"


# Declarations that the compiler leaves to the programmer.
UNCHECKED = re.compile(
    r"@unchecked Sendable|nonisolated\(unsafe\)|@preconcurrency|Pointer(?:<[^>]*>)?\(bitPattern:|Unmanaged\W|pthread_create")

# The number of such declarations in each file of the command and of the library of recordings, each with a proof.
PROVED = {
    # The program writes the terminal's settings before the flag that lets a handler of signals read the settings.
    "Sources/Terminal/Screen/RawMode.swift": 1,
    # A handler's texts never change, and stay in memory.
    "Sources/Terminal/Streams/PartialFiles.swift": 1,
    # The thread or handler that takes the first address out owns all pieces of the text; one thread adds pieces.
    "Sources/Terminal/Signals/PreparedText.swift": 5,
    # The paths are stored before the handlers are installed, never change, and stay in memory.
    "Sources/Terminal/Signals/ProcessorWait.swift": 1,
    # A thread gets its work as it begins.
    "Sources/Terminal/Signals/BlockingThread.swift": 4,
    # A drawing library calls back on the thread that called it.
    "Sources/Drawing/Canvas/Canvas.swift": 3,
    # The library for XML calls back in the same way.
    "Sources/TextFormats/XML/XMLReader.swift": 2,
    # Two functions touch the number of jobs, inside a lock with a condition to wait for.
    "Sources/Library/Fetching/FetchThreads.swift": 1,
}


def check_command(project):
    """The modules left out (commandOnly) or not optimised (compilerChecked) under the thread sanitizer by Package.swift
    must share only memory checked by the compiler."""
    for listed, pattern in (("commandOnly", r".*?: \[(.*?)\]$"), ("compilerChecked", r" \[(.*?)\]$")):
        for module in names_in(project, listed, f"let {listed}: Set =" + pattern):
            for path in sources(project, "Sources/" + module):
                if len(UNCHECKED.findall(project.text(path))) > PROVED.get(path, 0):
                    yield f"{path}: shares memory that the compiler does not check; take {module} out of {listed} in {PACKAGE}"


def picture(needed: dict) -> str:
    def reached(name: str) -> set:
        return set(needed[name]).union(*(reached(other) for other in needed[name]))

    lines = ["```mermaid", "graph TD"]
    for name in sorted(needed):
        direct = [d for d in needed[name] if not any(d in reached(other) for other in needed[name])]
        lines += [f"    {name} --> {d}" for d in direct] or [f"    {name}"]
    return "\n".join(lines + ["```"])


def chain(project, needed: dict) -> tuple:
    """The command's longest chain of modules, and the seconds."""
    times = {}
    for line in project.text(TIMES).splitlines():
        if line and not line.startswith("#"):
            name, seconds = line.split()
            times[name] = float(seconds)
    longest = {}

    def end_at(name: str) -> tuple:
        if name not in longest:
            if name not in times:
                raise Fault(f"{TIMES}: no time of {name}; measure it: scripts/bench/build-times.py")
            before = max((end_at(other) for other in needed[name]), default=(0, []))
            longest[name] = (before[0] + times[name], before[1] + [name])
        return longest[name]

    seconds, modules = end_at("WoodshedCommand")
    return modules, seconds, sum(times[name] for name in longest)


def section(project) -> tuple:
    """The indices of the picture's section in the page."""
    text = project.text(PAGE)
    start, end = text.find(BEGIN), text.find(END)
    if start < 0 or end < start:
        raise Fault(f"{PAGE}: no place for the picture: {BEGIN} and {END}")
    return start, end + len(END)


def made(needed: dict, modules: list, seconds: float, total: float) -> str:
    told = (f"The longest chain for the command: {' → '.join(modules)}. Its modules take {seconds:.0f} s one after the other, all modules {total:.0f} s\n"
            "([the times of each](build-times.txt)).")
    return f"{BEGIN}\n{picture(needed)}\n\n{told}\n{END}"


def write(project) -> None:
    """Writes the picture between its two markers."""
    needed = needs(imports(project, described(project)))
    start, end = section(project)
    text = project.text(PAGE)
    (project.root / PAGE).write_text(text[:start] + made(needed, *chain(project, needed)) + text[end:], encoding="utf-8")


def faults(project):
    yield from check_one_thread(project)
    yield from check_command(project)
    targets = described(project)
    imported = imports(project, targets)
    yield from idle(imported, targets)
    needed = needs(imported)
    modules, seconds, total = chain(project, needed)
    start, end = section(project)
    shown = project.text(PAGE)[start:end]
    before = re.search(r"Its modules take (\d+) s one after the other", shown)
    if before and seconds > 1.1 * float(before[1]):
        yield (f"{project.place(PAGE, start)}: the longest chain has grown from {before[1]} to {seconds:.0f} s: {' → '.join(modules)}; cut it, or "
               "give the reason in docs/decisions/building.md and run scripts/checks/check.py --write modules")
    elif shown != made(needed, modules, seconds, total):
        yield f"{project.place(PAGE, start)}: the picture is out of date; make it anew: scripts/checks/check.py --write modules"
