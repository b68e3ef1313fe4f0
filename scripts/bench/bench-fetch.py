#!/usr/bin/env python3
"""Fetching beside curl, on loopback: scripts/bench/bench-fetch.py [--megabytes N] [--runs N] FOLDER COMMAND...

COMMAND fetches {url} into {file}, as in: woodshed get {url} -o {file}. Both programs fetch the same file into FOLDER in
turns, into a new file each time. FOLDER should be in memory (/dev/shm): a disk would distort the times. Prints the
medians, and the ratio of the rates; and the highest memory use of COMMAND, for a file of N megabytes and for a file of
a hundredth.
"""
import argparse
import multiprocessing
import os
import socket
import statistics
import subprocess
import threading
import time
from pathlib import Path

PIECE = bytes(range(256)) * 4096


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def answer(connection):
    head = b""
    with connection:
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                return
            head += data
        count = int(head.split()[1].decode().strip("/"))
        connection.sendall(b'HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Type: audio/wav\r\nContent-Length: %d\r\n\r\n' % count)
        try:
            while count > 0:
                sent = connection.send(PIECE[:count])
                # The pieces do not matter here: every byte counts.
                count -= sent
        except OSError:
            pass


def run(command, url, file):
    """Seconds, and the process's memory at most in KiB."""
    began = time.monotonic()
    process = subprocess.Popen([word.format(url=url, file=file) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    seconds = time.monotonic() - began
    if status != 0:
        raise SystemExit(f"{command[0]} failed")
    return seconds, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("folder")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0))
    # A separate process: its work counts for neither program.
    multiprocessing.Process(target=serve, args=(listener,), daemon=True).start()
    port = listener.getsockname()[1]
    file = Path(options.folder) / f"bench-fetch-{os.getpid()}"
    curl = ["curl", "-s", "--noproxy", "*", "-o", "{file}", "{url}"]
    count = options.megabytes * 1_000_000
    times, peaks = {"curl": [], "ours": []}, {}
    try:
        for _ in range(options.runs):
            for name, command in (("curl", curl), ("ours", options.command)):
                file.unlink(missing_ok=True)
                seconds, peaks[name] = run(command, f"http://127.0.0.1:{port}/{count}", str(file))
                times[name].append(seconds)
                if file.stat().st_size != count:
                    raise SystemExit(f"{name}: the file has another length")
        file.unlink(missing_ok=True)
        _, small = run(options.command, f"http://127.0.0.1:{port}/{count // 100}", str(file))
    finally:
        file.unlink(missing_ok=True)
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratios = [c / o for c, o in zip(times["curl"], times["ours"])]
    print(f"{options.megabytes} MB, {options.runs} runs: curl {count / medians['curl'] / 1e6:.0f} MB/s, "
          f"ours {count / medians['ours'] / 1e6:.0f} MB/s, ratio {statistics.median(ratios):.3f} (of pairs, median)")
    print(f"memory at most: {peaks['ours']} KiB, for a hundredth of the file {small} KiB, "
          f"growth {peaks['ours'] - small} KiB; curl {peaks['curl']} KiB")


main()
