#!/usr/bin/env python3
"""The file of a benchmark's figures: the facts about the machine, and the rows.

  scripts/bench/bench-file.py --head COMMIT      prints machine, kernel, commit and time as JSON
  scripts/bench/bench-file.py HEAD ROWS FILE     writes such a head and the programs' rows to FILE
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path


def first(path, key):
    """The value of a line "key : value" in a file of /proc, or None."""
    try:
        for line in Path(path).read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    except OSError:
        pass
    return None


def compiler():
    try:
        said = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    return next((line for line in said.splitlines() if "Swift version" in line), None)


def head(commit):
    return {
        "v": 1, "commit": commit, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": first("/proc/cpuinfo", "model name") or platform.machine(), "processors": len(os.sched_getaffinity(0)),
        "memory": first("/proc/meminfo", "MemTotal"), "kernel": f"{platform.system()} {platform.release()}",
        "compiler": compiler(), "load_before": os.getloadavg()[0],
    }


def row(line):
    value = json.loads(line)
    numbers = sorted(value.pop("values"))
    if numbers:
        # The spread: the middle half of the measured values.
        quarter = len(numbers) // 4
        value.update(
            median=statistics.median(numbers), low=numbers[quarter], high=numbers[-1 - quarter], runs=len(numbers))
    else:
        value.update(median=None, low=None, high=None, runs=0)
    return value


def main():
    if sys.argv[1] == "--head":
        return print(json.dumps(head(sys.argv[2]), indent=1))
    rows = [row(line) for line in Path(sys.argv[2]).read_text().splitlines()]
    names = [(row["benchmark"], row["name"]) for row in rows]
    if twice := {name for name in names if names.count(name) > 1}:
        sys.exit(f"bench: two figures of one name: {sorted(twice)}")
    if not rows:
        sys.exit("bench: no figures were written")
    file = {**json.loads(Path(sys.argv[1]).read_text()), "load_after": os.getloadavg()[0]}
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    Path(sys.argv[3]).write_text(json.dumps(file, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n ]\n}\n")
    print(f"\n{len(rows)} figures in {sys.argv[3]}")


main()
