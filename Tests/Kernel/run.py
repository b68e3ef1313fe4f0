#!/usr/bin/env python3
"""Runs jobs in machines, two at a time, and prints the judges' findings. Fails if a judge finds a fault.

run.py IMAGE [JOB...]           runs these jobs, or all
run.py IMAGE --table [JOB...]   runs nothing: prints a table of the last run's findings, for docs/devices.md
run.py IMAGE --check [JOB...]   runs nothing: fails if a job does not exist
"""
import concurrent.futures
import importlib
import pathlib
import shutil
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here / "jobs")]
from machine import Machine, busy  # noqa: E402

# A fault of a judge begins with this text if known and explained. Such a fault is printed each time, and does not fail
# the run.
KNOWN = "known: "


def run(name, image):
    """Runs a job; returns the number of faults, and the text to print."""
    job, out = importlib.import_module(name), image / f"out-{name}"
    began = time.monotonic()
    shutil.rmtree(out, ignore_errors=True)
    # A job has one machine, or several, one after the other.
    scripts = job.scripts() if hasattr(job, "scripts") else [job.script()]
    failure = oops = None
    for number, script in enumerate(scripts, 1):
        folder = out if len(scripts) == 1 else out / f"machine-{number}"
        machine = Machine(image, folder, counted=getattr(job, "COUNTED", True), system=getattr(job, "SYSTEM", "initrd"))
        job.prepare(folder)
        with busy(job.load(number - 1) if hasattr(job, "load") else 0):
            failure = failure or machine.run(script, job.LIMIT)
        oops = oops or machine.fault()
    try:
        found = [("the run", failure)] if failure else list(job.judge(out))
        if oops:
            found.append(("the kernel", oops))
    except (OSError, ValueError, KeyError, IndexError, TypeError, RuntimeError) as error:
        found = [("the judge", f"cannot read what the job left: {error!r}")]
    lines, faults, known = [], 0, 0
    for what, fault in found:
        is_known = fault is not None and fault.startswith(KNOWN)
        known += is_known
        faults += fault is not None and not is_known
        lines.append(f"{what}: {'ok' if fault is None else fault if is_known else 'FAILED: ' + fault}")
    (out / "result.log").write_text("".join(line + "\n" for line in lines))
    lines.append(f"{faults} faults{f', {known} known' if known else ''} after {time.monotonic() - began:.0f} s")
    if faults:
        lines.append(f"see {out}")
    return faults, "".join(f"kernel: {name}: {line}\n" for line in lines)


def table(names, image):
    """Returns the findings of each job's last run, as Markdown."""
    release = next((image / "kernel/lib/modules").iterdir()).name
    emulator = subprocess.run(["qemu-system-x86_64", "--version"], capture_output=True, text=True, check=True).stdout.split()[3]
    print(f"Linux {release}, QEMU {emulator}:\n\n| job | looks at | found |\n| --- | --- | --- |")
    for name in names:
        job, result = importlib.import_module(name), image / f"out-{name}" / "result.log"
        lines = result.read_text().splitlines() if result.exists() else []
        right = sum(line.endswith(": ok") for line in lines)
        found = [f"{right} of {len(lines)} right" if lines else "not run", *(line for line in lines if not line.endswith(": ok"))]
        purpose = " ".join(job.__doc__.partition("\n\n")[0].split())
        print(f"| `{name}` | {purpose} | {'; '.join(found)} |")
    for name in names:
        job = importlib.import_module(name)
        if hasattr(job, "table") and (image / f"out-{name}" / "result.log").exists():
            print("\n" + "\n".join(job.table(image / f"out-{name}")))


image, *names = sys.argv[1:]
image, all_names = pathlib.Path(image).resolve(), sorted(path.stem for path in (here / "jobs").glob("*.py"))
wants_table, checks_only = "--table" in names, "--check" in names
names = [name for name in names if name not in ("--table", "--check")]
unknown = set(names) - set(all_names)
if unknown:
    sys.exit(f"kernel: there is no job {', '.join(sorted(unknown))}; there are {', '.join(all_names)}")
if checks_only:
    sys.exit()
if wants_table:
    sys.exit(table(names or all_names, image))
total = 0
# A machine has one processor, so two machines fill two; the longest jobs come first.
in_order = sorted(names or all_names, key=lambda name: -importlib.import_module(name).LIMIT)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for done in concurrent.futures.as_completed([pool.submit(run, name, image) for name in in_order]):
        faults, text = done.result()
        total += faults
        print(text, end="", flush=True)
sys.exit(total != 0)
