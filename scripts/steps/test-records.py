#!/usr/bin/env python3
"""Lists the run and the skipped tests of a run, from the test library's records in a file.

    scripts/steps/test-records.py FILE            a line for each test: "ran NAME", or "skipped NAME REASON", with tabs
                                                  between
    scripts/steps/test-records.py --told FILE     a line for each test and each suite that was skipped, for a reader of
                                                  the run
    scripts/steps/test-records.py --begun FILE    a line for each running test: the place where a run stands still

The run's output is no such list: a test's argument with a zero byte ends the printed line before the line feed, and the
name of the next test is then inside another line.

The records are lines of JSON, "swift test --event-stream-output-path FILE". Display names are in quotes, names of
functions are not. A run ended during a write leaves half a line, which the script leaves out. The script also reads
files of the same name with a number at the end, as scripts/steps/test.sh makes.
"""

import glob
import json
import re
import sys


def records(path):
    for name in [path, *sorted(glob.glob(glob.escape(path) + ".[0-9]*"))]:
        with open(name, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                yield record["kind"], record["payload"]


def reason(event):
    texts = (message["text"] for message in event["messages"])
    found = (re.search(r' skipped: "(.*)"$', text, re.DOTALL) for text in texts)
    return next((" ".join(match[1].split()) for match in found if match), "")


def print_begun(path):
    """Prints at most 20. A test without arguments counts as begun also while waiting for its turn; a test with
    arguments is in the list only during a case."""
    names, running, cases = {}, set(), {}
    for kind, payload in records(path):
        if kind == "test":
            given = payload.get("displayName")
            if payload["kind"] == "function" and not payload.get("isParameterized"):
                names[payload["id"]] = f'"{given}"' if given else payload["name"]
            continue
        test, case = payload.get("testID"), payload.get("_testCase", {})
        match payload["kind"]:
            case "testStarted" if test in names:
                running.add(test)
            case "testEnded":
                running.discard(test)
            case "testCaseStarted":
                told = " ".join(message["text"] for message in payload["messages"])
                cases[test, case.get("id")] = told.removesuffix(" started.")
            case "testCaseEnded":
                cases.pop((test, case.get("id")), None)
    lines = sorted(cases.values()) + sorted(names[test] for test in running)
    for line in lines[:20]:
        print(f"begun, and not ended: {line}")
    if len(lines) > 20:
        print(f"begun, and not ended: {len(lines) - 20} more, most of which wait for their turn")


def main():
    told = "--told" in sys.argv[1:2]
    if "--begun" in sys.argv[1:2]:
        print_begun(sys.argv[-1])
        return
    tests = {}
    lines = set()
    for kind, payload in records(sys.argv[-1]):
        if kind == "test":
            given = payload.get("displayName")
            tests[payload["id"]] = (f'"{given}"' if given else payload["name"], payload["kind"] == "function")
            continue
        name, is_function = tests.get(payload.get("testID"), ("", False))
        if payload["kind"] == "testSkipped" and told and reason(payload):
            lines.add(f"not run here: {name}: {reason(payload)}")
        elif payload["kind"] == "testSkipped" and is_function and not told:
            lines.add(f"skipped\t{name}\t{reason(payload)}")
        elif payload["kind"] == "testEnded" and is_function and not told:
            lines.add(f"ran\t{name}")
    print("".join(line + "\n" for line in sorted(lines)), end="")


main()
