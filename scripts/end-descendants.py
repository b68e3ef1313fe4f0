#!/usr/bin/env python3
"""Shows and ends all descendants of a process: scripts/end-descendants.py PROCESS [EXCEPT]

PROCESS itself is not ended, nor are EXCEPT and its descendants. Signals are sent to a descriptor of a process, never to a number:
the number may by then belong to another process, and -1 is every process of the machine.
"""

import os
import signal
import sys


def parent_of(process):
    """The number of a process's parent; None if there is no such process."""
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
        # Checked after opening the descriptor: the answer is about the descriptor's process, unless that has already ended.
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
    # All are stopped before the first is ended: a process that loses its parent is no longer a descendant, and a running one
    # can start others.
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
