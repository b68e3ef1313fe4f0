#!/usr/bin/env python3
"""Counts the command's heap allocations: for each verb, and for each second of playing and recording.

  scripts/tests/test-allocations.py COMMAND            compares the counts with Tests/Allocations/thresholds.json for
                                                       this compiler
  scripts/tests/test-allocations.py --write COMMAND    measures, and permits a fifth more; for a second, a half more

The least of three runs counts, because threads that wait for each other sometimes allocate a little more. Each version
of the compiler has its own thresholds, because many allocations depend on the version; without thresholds for this
compiler, the test is skipped (77).
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root = Path(__file__).resolve().parents[2]
thresholds = root / "Tests/Allocations/thresholds.json"
virtual = ["--output", "null", "--clock", "virtual", "-q"]

# Names and arguments.
verbs = [
    ("--version", ["--version"]), ("help", ["help", "practice"]), ("info", ["info", "song.wav"]),
    ("measure", ["measure", "song.wav"]), ("waveform", ["waveform", "song.wav", "--no-cache"]),
    ("devices", ["devices"]), ("doctor", ["doctor", "--output", "null"]), ("calibrate --list", ["calibrate", "--list"]),
    ("bench stretch", ["bench", "stretch", "song.wav", "--seconds", "1", "--runs", "1"]),
    ("play", ["play", "song.wav", "--to", "1", *virtual]),
    ("practice", ["practice", "song.wav", "--section", "0-0.5", "-n", "2", "--speed", "70%", *virtual]),
    ("render", ["render", "song.wav", "--to", "1", "-q", "-o", "out.wav"]),
    ("record", ["record", "--input", "file:song.wav", "--clock", "virtual", "--duration", "1", "-q", "-o", "take.wav"]),
]
# On the real clock, because work at a fixed rate per second is not more on a slow or busy
# machine.
seconds = [
    ("a second of play", ["play", "song.wav", "--output", "null", "-q", "--to"]),
    ("a second of play --json", ["play", "song.wav", "--output", "null", "-q", "--json", "--to"]),
    ("a second of play at 70 %", ["play", "song.wav", "--speed", "70%", "--output", "null", "-q", "--to"]),
    ("a second of record", ["record", "--input", "null", "-q", "-o", "take.wav", "--duration"]),
]
short, long = 1, 4


def compiler():
    said = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Swift version (\d+\.\d+(?:\.\d+)?)", said).group(1)


def build(folder):
    library = f"{folder}/count.so"
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-ftls-model=initial-exec", "-fno-builtin",
         str(root / "Tests/Allocations/count.c"), "-o", library], check=True)
    return library


def counted(library, arguments):
    """The number of allocations in a run, the least of three."""
    least = None
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            count = Path(folder) / "count"
            count.write_bytes(struct.pack("Q", 0))
            (Path(folder) / "song.wav").symlink_to(Path("song.wav").resolve())
            done = subprocess.run(
                arguments, stdin=subprocess.DEVNULL, capture_output=True, cwd=folder,
                env={**os.environ, "LD_PRELOAD": library, "WOODSHED_ALLOCATIONS": str(count)})
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()}")
            (number,) = struct.unpack("Q", count.read_bytes())
        least = number if least is None else min(least, number)
    return least


def measure(command):
    with tempfile.TemporaryDirectory() as folder:
        library = build(folder)
        os.chdir(folder)
        os.environ.update(XDG_STATE_HOME=f"{folder}/state", XDG_CACHE_HOME=f"{folder}/cache", XDG_DATA_HOME=f"{folder}/data", XDG_CONFIG_HOME=f"{folder}/config", LC_ALL="C.UTF-8")
        # The same on every machine: two processors for work on all processors, and no sound card.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
        Path("asound.conf").write_text("pcm.silent { type null }\n")
        os.environ["ALSA_CONFIG_PATH"] = f"{folder}/asound.conf"
        subprocess.run(["sox", "-n", "-R", "-r", "44100", "-c", "2", "song.wav", "synth", "10", "pluck", "C4", "gain", "-6"], check=True)
        # A planted fault: the test must find a program with some thousand more allocations, otherwise the counter does
        # not count.
        plain = counted(library, ["/bin/sh", "-c", "true"])
        more = counted(library, ["/bin/sh", "-c", "i=0; while [ $i -lt 5000 ]; do v$i=x; eval v$i=x; i=$((i+1)); done 2>/dev/null; true"])
        if plain == 0 or more < plain + 1000:
            sys.exit(f"allocations: nothing is counted: {plain}, and {more} where there are thousands")
        result = {name: counted(library, [command, *arguments]) for name, arguments in verbs}
        # All at once, because the runs mostly wait.
        with ThreadPoolExecutor(2 * len(seconds)) as pool:
            runs = {
                (name, length): pool.submit(counted, library, [command, *arguments, str(length)])
                for name, arguments in seconds for length in (short, long)
            }
        for name, _ in seconds:
            more = runs[name, long].result() - runs[name, short].result()
            result[name] = max(0, -(-more // (long - short)))
        os.chdir("/")
    return result


def main():
    arguments = sys.argv[1:]
    writes = arguments[:1] == ["--write"]
    command = str(Path(arguments[-1]).resolve())
    version = compiler()
    kept = json.loads(thresholds.read_text()) if thresholds.exists() else {}
    if not writes and version not in kept:
        print(f"not run here: allocations: no thresholds for Swift {version}; scripts/tests/test-allocations.py --write makes them")
        sys.exit(77)
    result = measure(command)
    if writes:
        # The figure for one second is the difference of two runs.
        kept[version] = {name: count + count // (5 if name in dict(verbs) else 2) + 20 for name, count in result.items()}
        thresholds.write_text(json.dumps(kept, indent=1) + "\n")
    permitted = kept[version]
    faults = 0
    for name, count in result.items():
        limit = permitted.get(name)
        print(f"  {name:28} {count:8}  of {limit}")
        if limit is None or count > limit:
            faults += 1
            print(f"allocations: {name}: {count}, and Swift {version} may have {limit}", file=sys.stderr)
        elif limit > 2 * count + 100 and name in dict(verbs):
            faults += 1
            print(f"allocations: {name}: {count}, less than half of what is permitted; lower it: --write", file=sys.stderr)
    print(f"allocations: {len(result)} counts, {faults} faults")
    sys.exit(1 if faults else 0)


main()
