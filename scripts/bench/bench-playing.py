#!/usr/bin/env python3
"""Plays beside fetching and analysing, on the virtual card with its real clock:

    scripts/bench/bench-playing.py PLUG-IN WOODSHED [RUNS]

A recording of 20 s plays at 80 % alone, and then while `woodshed get` fetches long recordings in sequence from a server
on loopback and measures the loudness. Prints the xruns, and whether the card got the same samples; also the xruns of
mpv under the same load.
"""

import ctypes
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import virtual_card

RATE = 44100
CARD = "playing"
SECONDS = 20
FETCHED_BYTES = 300_000_000
PIECE = os.urandom(1 << 20)


def answer(connection):
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + FETCHED_BYTES, b"WAVE", b"fmt ", 16, 1, 2, RATE, 4 * RATE, 4, 16, b"data",
        FETCHED_BYTES)
    with connection:
        request = b""
        while b"\r\n\r\n" not in request:
            data = connection.recv(65536)
            if not data:
                return
            request += data
        # Another sound at each address, so the library has none of these sounds already.
        path = request.split()[1]
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: audio/wav\r\nContent-Length: %d\r\n\r\n" % (len(head) + FETCHED_BYTES))
        try:
            connection.sendall(head + path.ljust(64)[:64])
            left = FETCHED_BYTES - 64
            while left > 0:
                left -= connection.send(PIECE[:left])
        except OSError:
            pass


def serve(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


class Load:
    """Fetches recordings in sequence, each into a temporary library."""

    def __init__(self, woodshed, port, environment):
        self.count = 0
        self.arguments = (woodshed, port, environment)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        woodshed, port, environment = self.arguments
        while not self.is_over.is_set():
            # In memory: a disk would distort the times.
            with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
                own = environment | {"XDG_DATA_HOME": folder}
                command = [woodshed, "get", "--quiet", f"http://127.0.0.1:{port}/{self.count}.wav"]
                process = subprocess.Popen(command, env=os.environ | own)
                while process.poll() is None:
                    if self.is_over.wait(0.05):
                        process.terminate()
                        process.wait()
                if process.returncode == 0:
                    self.count += 1
                elif not self.is_over.is_set():
                    raise SystemExit("the fetch failed")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def played(library, command, environment):
    """Plays a recording; returns the card's samples, as bytes, and the number of xruns."""
    library.virtual_card_remove(CARD.encode())
    process = subprocess.Popen(
        command, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    card = virtual_card.Card(library, CARD)
    try:
        card.wait()
        samples, frame, xruns = bytearray(), None, 0
        while process.poll() is None:
            truth = card.truth()
            xruns = max(xruns, truth.xruns)
            if frame is None and truth.is_running:
                frame = truth.start_frame
            while frame is not None and truth.is_running and frame + RATE // 2 <= truth.device_frame:
                samples += struct.pack(f"{RATE}d", *card.heard(frame, RATE // 2))
                frame += RATE // 2
            time.sleep(0.02)
        return bytes(samples), xruns
    finally:
        process.kill()
        card.close()


def is_same(one, other):
    """Whether two runs played the same sound, from the second second on: the card counts the frames before the start
    anew each time."""
    second = RATE * 2 * 8
    begin = other.find(one[second:second + 4096])
    length = (SECONDS - 2) * second
    return begin >= 0 and len(one) >= second + length and one[second:second + length] == other[begin:begin + length]


def main():
    plug_in, woodshed = (os.path.abspath(path) for path in sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        configuration, song = folder + "/asound.conf", folder + "/song.wav"
        with open(configuration, "w") as file:
            file.write(virtual_card.configuration(plug_in, RATE))
        subprocess.run(["sox", "-R", "-n", "-r", str(RATE), "-c", "2", "-b", "16", song, "synth", str(SECONDS), "pinknoise"], check=True)
        environment = {
            "ALSA_CONFIG_PATH": configuration, "HOME": folder, "XDG_DATA_HOME": folder + "/data",
            "XDG_STATE_HOME": folder + "/state", "XDG_CACHE_HOME": folder + "/cache", "LC_ALL": "C.UTF-8",
        }
        os.environ["ALSA_CONFIG_PATH"] = configuration
        library = ctypes.CDLL(plug_in)
        # With a given material: otherwise a slowed pass sounds different once the material is known, at a moment that
        # differs from run to run.
        ours = [
            woodshed, "practice", song, "--section", f"0-{SECONDS}", "-n", "1", "--material", "music", "--speed", "80%",
            "--output", f"virtual:{CARD}", "--quiet"]
        mpv = ["mpv", "--no-config", "--no-video", "--really-quiet", "--speed=0.8", "--ao=alsa", f"--audio-device=alsa/virtual:{CARD}", song]
        alone, _ = played(library, ours, environment)
        port = listener.getsockname()[1]
        for name, command in (("woodshed", ours), ("mpv", mpv)):
            with Load(woodshed, port, environment) as load:
                results = [played(library, command, environment) for _ in range(runs)]
            xruns = sum(result[1] for result in results)
            same = sum(is_same(alone, result[0]) for result in results)
            bits = f", the same samples as alone in {same} of {runs} runs" if command is ours else ""
            print(f"  {name}: {xruns} xruns in {runs} runs of {SECONDS / 0.8:.0f} s, while {load.count} recordings were fetched{bits}")


main()
