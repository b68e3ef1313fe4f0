#!/usr/bin/env python3
"""Shows and ends all that a process has started: scripts/end-descendants.py PROCESS [EXCEPT]

PROCESS itself stays, and so do EXCEPT and all that EXCEPT has started. A signal is sent to a descriptor of a process, never to a
number: a number may be another process's by then, and -1 is every process of the machine.
"""

import os
import signal
import sys


def parent_of(process):
    """The number of a process's parent; None when there is no such process."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            # The name in brackets may hold anything.
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def is_descendant(process, ancestor, exception):
    """Whether `ancestor` has started a process, by way of others or not, and `exception` has not."""
    while process not in (None, 0, exception):
        process = parent_of(process)
        if process == ancestor:
            return True
    return False


def description(process):
    """A line that tells what a process is."""
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
    """Stops a process if it is a descendant, and returns a descriptor of it and what it was doing; None otherwise."""
    try:
        handle = os.pidfd_open(process)
    except OSError:
        return None
    try:
        # Asked once there is a descriptor: what it says is of the descriptor's process, or that one has ended.
        if is_descendant(process, ancestor, exception):
            told = description(process)
            signal.pidfd_send_signal(handle, signal.SIGSTOP)
            return handle, told
    except OSError:
        pass
    os.close(handle)
    return None


def main():
    ancestor = int(sys.argv[1])
    exception = int(sys.argv[2]) if len(sys.argv) > 2 else None
    # All are stopped before the first is ended: what has lost its parent is nobody's descendant, and what runs may start others.
    held = {}
    while True:
        processes = {int(name) for name in os.listdir("/proc") if name.isdigit()} - held.keys() - {os.getpid()}
        found = {process: hold(process, ancestor, exception) for process in processes}
        found = {process: what for process, what in found.items() if what is not None}
        if not found:
            break
        held |= found
    for _, (handle, told) in sorted(held.items()):
        print(told)
        try:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    main()
