#!/usr/bin/env python3
"""Measures how long each module of the command takes to compile, alone and as shipped.

  scripts/bench/build-times.py            writes docs/build-times.txt; scripts/checks/modules.py reads the longest chain
                                          from this file
  scripts/bench/build-times.py --slow     prints the expressions with a type check of more than 200 ms

Builds the command first, and needs an idle machine. The next `make build` compiles the measured modules again. A
module's time is processor time, which varies less than the time on the clock; each compiler run has one thread.
"""
import json
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = """# Seconds of processor time that the compiler takes for each module of the command, optimised as it ships. Made by scripts/bench/build-times.py;
# the numbers of one run on one machine, whose ratios count. scripts/checks/modules.py finds the longest chain of modules in them.
"""


def commands() -> dict:
    """The compiler's command line for each module of the command."""
    subprocess.run([ROOT / "scripts/build.sh"], check=True, stdout=subprocess.DEVNULL)
    linked = (ROOT / ".build/release/woodshed.product/Objects.LinkFileList").read_text(encoding="utf-8")
    text = (ROOT / ".build/release.yaml").read_text(encoding="utf-8")
    found = {}
    for name, body in re.findall(r'"C\.(\w+)-[\w-]*-release\.module":\n(.*?)\n\n', text, re.DOTALL):
        command = json.loads(re.search(r"args: (.*)", body)[1])
        if (ROOT / "Sources" / name).is_dir() and f"/{name}.build/" in linked:
            found[name] = command
    return found


def run(command: list) -> tuple:
    """The processor time of a compiler run in seconds, and the output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        reasons = sorted(set(re.findall(r"error: [^\n\"]*", done.stdout + done.stderr)))
        sys.exit("build-times: a module does not compile:\n" + "\n".join(reasons[:5]))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout + done.stderr


def main():
    if sys.argv[1:] not in ([], ["--slow"]):
        sys.exit(__doc__)
    try:
        modules = commands()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"build-times: {error}")
    if sys.argv[1:]:
        slow = set()
        for name, command in modules.items():
            _, output = run(command + ["-Xfrontend", "-warn-long-expression-type-checking=200"])
            slow |= {(int(ms), name, place) for place, ms in
                     re.findall(r"(\w+\.swift:\d+):\d+: warning: [^\n]*took (\d+)ms", output.replace("\\/", "/"))}
        for ms, name, place in sorted(slow, reverse=True):
            print(f"{ms:6} ms  {name}  {place}")
        print(f"expressions of more than 200 ms: {len(slow)}")
        return
    lines = [f"{name:15} {run(command)[0]:6.1f}" for name, command in modules.items()]
    (ROOT / "docs/build-times.txt").write_text(HEADER + "\n".join(sorted(lines)) + "\n", encoding="utf-8")


main()
