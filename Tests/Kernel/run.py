#!/usr/bin/env python3
"""Runs jobs in machines, and prints what their judges say: run.py IMAGE [JOB...]. Fails if one of them finds a fault."""
import importlib
import pathlib
import sys
import time

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here / "jobs")]
from machine import Machine  # noqa: E402


def run(name, image):
    """Runs a job; the number of faults."""
    job, out = importlib.import_module(name), image / f"out-{name}"
    began, machine = time.monotonic(), Machine(image, out)
    job.prepare(out)
    failure = machine.run(job.script(), job.LIMIT)
    if failure:
        print(f"kernel: {name}: FAILED: {failure}; see {out}", flush=True)
        return 1
    faults = 0
    for what, fault in job.judge(out):
        faults += fault is not None
        print(f"kernel: {name}: {what}: {'FAILED: ' + fault if fault else 'ok'}", flush=True)
    print(f"kernel: {name}: {faults} faults after {time.monotonic() - began:.0f} s", flush=True)
    return faults


image, *names = sys.argv[1:]
known = sorted(path.stem for path in (here / "jobs").glob("*.py"))
unknown = set(names) - set(known)
if unknown:
    sys.exit(f"kernel: there is no job {', '.join(sorted(unknown))}; there are {', '.join(known)}")
sys.exit(sum([run(name, pathlib.Path(image).resolve()) for name in names or known]) != 0)
