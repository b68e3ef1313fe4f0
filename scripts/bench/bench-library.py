#!/usr/bin/env python3
"""Large libraries: scripts/bench/bench-library.py COMMAND [PART]...

Measures with COMMAND, the program woodshed, in a new folder of /dev/shm:

  import    a catalogue of 100,000 recordings: seconds, memory, the longest time for which the store was locked
  playlist  a catalogue of 60 MB with a playlist of 100,000 entries: the same
  get       5,000 addresses on standard input: seconds until the first request
  refresh   50 feeds, one of whose servers never answers: seconds until the 49 others have answered, and to the end
  sections  a change by another program to a run with 17,000 sections: the run's processor time

Without PART, all five.
"""
import json
import os
import random
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import wave
from pathlib import Path

RECORDINGS = 100_000


def record(name, unit, values):
    print(f"  {name}: {statistics.median(values):.3f} {unit}")
    if path := os.environ.get("WOODSHED_BENCH_ROWS"):
        row = {"benchmark": "library", "name": name, "unit": unit, "better": "lower", "values": values}
        with open(path, "a") as file:
            file.write(json.dumps(row) + "\n")


class User:
    """A new user of the command, with a store in the folder."""

    def __init__(self, command, folder):
        self.command, self.folder = command, Path(folder)
        self.folder.mkdir()
        names = {"XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache"}
        self.environment = {**os.environ, "no_proxy": "*", **{key: str(self.folder / name) for key, name in names.items()}}
        self.store = self.folder / "data" / "woodshed" / "practice.db"

    def start(self, *words, **options):
        defaults = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        return subprocess.Popen(
            [self.command, *words], cwd=self.folder, env=self.environment, **{**defaults, **options})

    def run(self, *words):
        if self.start(*words).wait() != 0:
            sys.exit(f"bench-library: woodshed {' '.join(words)} failed")

    def song(self, name, seconds=2):
        with wave.open(str(self.folder / name), "wb") as file:
            file.setparams((1, 2, 44_100, 0, "NONE", ""))
            file.writeframes(random.Random(name).randbytes(44_100 * 2 * seconds))


def catalogue(path, recordings, entries, title_length):
    generator = random.Random(1)
    keys = [f"{generator.getrandbits(128):032x}" for _ in range(recordings)]
    time_of_all = 1_750_000_000_000
    with open(path, "w") as file:
        file.write('{"catalogue":"woodshed library","v":1,"recordings":[')
        for number, key in enumerate(keys):
            fields = {
                "added": [time_of_all, time_of_all], "artist": [f"Artist {number % 500}", time_of_all],
                "file": [{"name": f"{number}.wav", "bytes": 176_478, "container": "wav", "codec": "pcm_s16", "channels": 1,
                          "kind": "audio"}, 0],
                "frames": [88_200, 0], "rate": [44_100, 0], "title": [f"Song {number} ".ljust(title_length, "x"), time_of_all],
            }
            file.write(("," if number else "") + json.dumps({"id": key, "fields": fields}, separators=(",", ":")))
        file.write('],"playlists":[')
        if entries:
            # Entries at equal positions are in the order of their keys.
            keys.sort()
            fields = {
                "entries": [keys[:entries], time_of_all], "entries settled": [True, time_of_all],
                **{f"entry {key} 1": ["V", time_of_all] for key in keys[:entries]}, "name": ["Long", time_of_all],
            }
            file.write(json.dumps({"id": f"{7:032x}", "fields": fields}, separators=(",", ":")))
        file.write('],"takes":[]}')


def longest_lock(store, is_over):
    """The longest time in which another program could not write."""
    longest, last = 0, None
    while not is_over():
        now = time.monotonic()
        try:
            connection = sqlite3.connect(f"file:{store}?mode=rw", uri=True, timeout=0, isolation_level=None)
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
                last = None
            finally:
                connection.close()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                last = last or now
                longest = max(longest, time.monotonic() - last)
        time.sleep(0.002)
    return longest


def measure_import(name, command, folder, entries, title_length):
    user = User(command, folder)
    user.song("a.wav")
    user.run("add", "a.wav")
    file = user.folder / "catalogue.json"
    catalogue(file, RECORDINGS, entries, title_length)
    print(f"  {file.stat().st_size / 1e6:.0f} MB")
    began = time.monotonic()
    process = user.start("library", "import", str(file))
    done = []

    def wait():
        done.append((os.wait4(process.pid, 0), time.monotonic()))

    thread = threading.Thread(target=wait)
    thread.start()
    lock = longest_lock(user.store, lambda: bool(done))
    thread.join()
    (_, status, usage), ended = done[0]
    process.returncode = status
    if status != 0:
        sys.exit(f"bench-library: the import failed ({status})")
    count = sqlite3.connect(user.store).execute("SELECT count(*) FROM item").fetchone()[0]
    if count < RECORDINGS:
        sys.exit(f"bench-library: only {count} recordings were imported")
    record(f"{name}, whole", "s", [ended - began])
    record(f"{name}, memory at most", "MB", [usage.ru_maxrss / 1000])
    record(f"{name}, longest lock", "s", [lock])


class Server:
    """Answers each request with an empty feed, or never."""

    def __init__(self, answers=True):
        self.answers, self.times = answers, []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        kept = []
        while True:
            connection, _ = self.listener.accept()
            if not self.answers:
                kept.append(connection)
                continue
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        head = b""
        with connection:
            while b"\r\n\r\n" not in head:
                if not (data := connection.recv(65536)):
                    return
                head += data
            self.times.append(time.monotonic())
            name = head.split()[1].decode()
            body = (f'<rss version="2.0"><channel><title>{name}</title><item><title>One</title><guid>1</guid>'
                    f'<enclosure url="http://127.0.0.1:{self.port}{name}.mp3" type="audio/mpeg" length="9"/>'
                    "</item></channel></rss>").encode()
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                % len(body) + body)


def measure_get(command, folder):
    times = []
    for number in range(3):
        user, server = User(command, f"{folder}-{number}"), Server()
        began = time.monotonic()
        process = user.start("get", "-", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            with process.stdin as pipe:
                pipe.write("".join(f"http://127.0.0.1:{server.port}/{line}.mp3\n" for line in range(5000)).encode())
            while not server.times:
                if process.poll() is not None or time.monotonic() - began > 600:
                    sys.exit("bench-library: get asked for nothing")
                time.sleep(0.001)
            times.append(server.times[0] - began)
        finally:
            process.kill()
            process.wait()
    record("get -, 5000 addresses, to the first request", "s", times)


def measure_refresh(command, folder):
    user, server = User(command, folder), Server()
    for number in range(49):
        user.run("library", "subscribe", f"http://127.0.0.1:{server.port}/feed{number}")
    # The last server answers once, so that the subscription succeeds, and then no longer.
    changing = Server()
    user.run("library", "subscribe", f"http://127.0.0.1:{changing.port}/silent")
    changing.answers = False
    server.times.clear()
    began = time.monotonic()
    process = user.start("library", "refresh", stderr=subprocess.DEVNULL)
    process.wait()
    ended = time.monotonic()
    if len(server.times) < 49:
        sys.exit(f"bench-library: only {len(server.times)} feeds were asked for")
    record("refresh of 50 feeds beside a silent server, the 49 others", "s", [max(server.times) - began])
    record("refresh of 50 feeds beside a silent server, whole", "s", [ended - began])


def processor_time(process):
    words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def measure_sections(command, folder):
    user = User(command, folder)
    user.song("a.wav", 1800)
    labels = user.folder / "labels.txt"
    labels.write_text("".join(f"{n / 10:.3f}\t{n / 10 + 0.05:.3f}\tPhrase {n}\n" for n in range(17_000)))
    user.run("sections", "a.wav", "import", str(labels))
    process = user.start("practice", "a.wav", "--section", "5", "--output", "null", "--json", stdout=subprocess.DEVNULL)

    def over(seconds, change=None):
        before = processor_time(process)
        if change:
            user.run("sections", "a.wav", "rename", "9", change)
        time.sleep(seconds)
        return processor_time(process) - before

    try:
        time.sleep(5)
        values = [max(0, over(5, f"Name {number}") - over(5)) for number in range(5)]
    finally:
        # Without an end the program would practise for ever, also after a failure of this script.
        process.terminate()
        process.wait()
    record("a change from outside, run with 17000 sections, processor time", "s", values)


def main():
    parts = {
        "import": lambda folder: measure_import(f"import of {RECORDINGS}", COMMAND, folder, 0, 20),
        "playlist": lambda folder: measure_import("import of 60 MB with a playlist", COMMAND, folder, RECORDINGS, 180),
        "get": lambda folder: measure_get(COMMAND, folder),
        "refresh": lambda folder: measure_refresh(COMMAND, folder),
        "sections": lambda folder: measure_sections(COMMAND, folder),
    }
    wanted = sys.argv[2:] or list(parts)
    if len(sys.argv) < 2 or not set(wanted) <= set(parts):
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    root = tempfile.mkdtemp(prefix="bench-library-", dir="/dev/shm")
    try:
        for name in wanted:
            parts[name](f"{root}/{name}")
    finally:
        shutil.rmtree(root, ignore_errors=True)


COMMAND = os.path.realpath(sys.argv[1]) if len(sys.argv) > 1 else ""
main()
