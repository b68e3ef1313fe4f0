#!/usr/bin/env python3
"""Shows and ends all descendants of a process: scripts/steps/end-descendants.py PROCESS [EXCEPT]

For programs built in this folder, the script also shows the stacks of all threads, if gdb is installed. PROCESS itself,
EXCEPT and the descendants of EXCEPT stay. Signals go to a descriptor of a process, never to a number: the number may
meanwhile belong to another process, and -1 is every process of the machine.
"""

import os
import re
import signal
import subprocess
import sys
import time


def parent_of(process):
    """The number of a process's parent; None without such a process."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            # The name in brackets may contain any characters.
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def is_descendant(process, ancestor, exception):
    """Whether a process is a descendant of `ancestor`, and not of `exception`."""
    while process not in (None, 0, exception):
        process = parent_of(process)
        if process == ancestor:
            return True
    return False


def description(process):
    """A line that describes a process."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            name, _, rest = file.read().partition(" (")[2].rpartition(") ")
        fields = rest.split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return f"{process:>8}  ended"
    return f"{process:>8}  started by {fields[1]}, {fields[0]}, {seconds:.1f} s of processor  {words or name}"[:200]


def hold(process, ancestor, exception):
    """Stops a process if it is a descendant, and returns its descriptor and a description; None otherwise."""
    try:
        handle = os.pidfd_open(process)
    except OSError:
        return None
    try:
        # Checked after opening the descriptor: the answer is about the descriptor's process, unless the process has
        # already ended.
        if is_descendant(process, ancestor, exception):
            told = description(process)
            signal.pidfd_send_signal(handle, signal.SIGSTOP)
            return handle, told
    except OSError:
        pass
    os.close(handle)
    return None


def frames(text):
    """A line for each different stack in gdb's output of all threads: the innermost function, then this project's
    functions with their source lines, the inner functions first. Threads without a function of this project are idle
    threads of libraries, and left out."""
    lines = {}
    for thread in re.split(r"^Thread ", text, flags=re.MULTILINE)[1:]:
        found = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(.+?) \(.*?\)(?: at (.+))?$", thread, re.MULTILINE)
        own = [os.path.relpath(place) for _, place in found if place]
        own = [place for place in own if place.startswith(("Sources/", "CSources/", "Tests/"))]
        if own:
            line = " < ".join([found[0][0], *own])
            lines[line] = lines.get(line, 0) + 1
    return [f"{count} threads: {line}" if count > 1 else line for line, count in lines.items()]


def stacks(process, seconds):
    """Lines with the stacks of a process built in the current folder; none for another process, without gdb, or
    after a long wait."""
    try:
        if not os.readlink(f"/proc/{process}/exe").startswith(os.getcwd() + "/"):
            return []
        program = ["gdb", "-p", str(process), "-batch", "-nx", "-ex", "set width 0", "-ex", "thread apply all bt 32"]
        told = subprocess.run(program, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    return frames(told.decode(errors="replace"))


def main():
    ancestor = int(sys.argv[1])
    exception = int(sys.argv[2]) if len(sys.argv) > 2 else None
    # First all stop, then the first ends: a process without its parent is no longer a descendant, and a running process
    # can start further processes.
    held = {}
    while True:
        processes = {int(name) for name in os.listdir("/proc") if name.isdigit()} - held.keys() - {os.getpid()}
        found = {process: hold(process, ancestor, exception) for process in processes}
        found = {process: what for process, what in found.items() if what is not None}
        if not found:
            break
        held |= found
    # One limit for all descendants: the caller of the run has a limit, too.
    deadline = time.monotonic() + 180
    for process, (_, told) in sorted(held.items()):
        print(told)
        for line in stacks(process, max(1, deadline - time.monotonic())):
            print(f"stack of {process}: {line}"[:600], flush=True)
    for handle, _ in held.values():
        try:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    main()
