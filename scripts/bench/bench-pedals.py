#!/usr/bin/env python3
"""Measures the time from a pedal's message to the block with the rendered action: on an idle machine, with a drawn
screen, and beside programs that want all processors.

    scripts/bench/bench-pedals.py WOODSHED [PRESSES]

`--control midi:PATH` reads messages from a named pipe, so the test needs no controller. Events name the first frame of
an action. The time of a frame's rendering follows from many answers of the control socket, each with a frame between
two readings of the clock. The figures include the wait for the next block, up to one period, and exclude the device's
buffer.
"""

import fcntl
import glob
import json
import math
import os
import pty
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import wave

RATE = 44100
NEAR = 12  # answers before and after a press that tell when frames are rendered


class Run:
    """The playing command, and its output."""

    def __init__(self, woodshed, folder, period, draws):
        environment = dict(
            os.environ, XDG_RUNTIME_DIR=folder, XDG_CONFIG_HOME=folder + "/config", XDG_DATA_HOME=folder + "/data",
            XDG_CACHE_HOME=folder + "/cache", XDG_STATE_HOME=folder + "/state", TERM="xterm-256color", LANG="C.UTF-8")
        arguments = [
            woodshed, "play", folder + "/song.wav", "--output", "null", "--period", str(period), "--json",
            "--control", f"socket,midi:{folder}/pedal"]
        self.drawn = 0
        terminal = {}
        if draws:
            self.screen, side = pty.openpty()
            fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
            terminal = {"stdin": side, "stderr": side, "start_new_session": True,
                        "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}
        else:
            terminal = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, **terminal)
        if draws:
            os.close(side)
            threading.Thread(target=self.look, daemon=True).start()
        self.moves = []
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        path = f"{folder}/woodshed/control-{self.process.pid}.sock"
        while not glob.glob(path):
            time.sleep(0.01)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rw")
        self.pedal = os.open(folder + "/pedal", os.O_WRONLY)

    def look(self):
        while True:
            try:
                self.drawn += len(os.read(self.screen, 65536))
            except OSError:
                return

    def listen(self):
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "moved":
                self.moves.append(event["frame"])

    def ask(self, command):
        self.lines.write(command + "\n")
        self.lines.flush()
        return json.loads(self.lines.readline())

    def end(self):
        self.ask("quit")
        self.process.wait()
        os.close(self.pedal)


def measure(woodshed, folder, period, presses, draws=False, rivals=0):
    """The times from press to render in ms, and the precision of the frames' clock."""
    run = Run(woodshed, folder, period, draws)
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(rivals)]
    generator = random.Random(1)
    time.sleep(0.5)
    bounds, times = [], []
    for _ in range(presses):
        for _ in range(3):
            asked = time.monotonic()
            frame = run.ask("status")["frame"]
            answered = time.monotonic()
            # At the answer, the block before the frame was ready, and the block at the frame was not.
            bounds.append((asked - frame / RATE, answered - (frame - period) / RATE))
            time.sleep(generator.random() * 0.004)
        pressed = time.monotonic()
        os.write(run.pedal, bytes([0xB0, 64, 127]))
        # Another program's turn between the reading of the clock and the message would count as ours.
        times.append((len(bounds), pressed if time.monotonic() - pressed < 0.0005 else None))
        time.sleep(0.03 + generator.random() * 0.01)
        os.write(run.pedal, bytes([0xB0, 64, 0]))
    for other in others:
        other.kill()
        other.wait()
    time.sleep(0.3)
    run.end()
    run.listener.join()
    if len(run.moves) != presses:
        sys.exit(f"bench-pedals: {presses} presses, {len(run.moves)} actions")
    waits, doubts = [], []
    for (index, pressed), frame in zip(times, run.moves):
        if pressed is None:
            continue
        # From the answers around the frame: after a dropout, rendering is later than before.
        near = bounds[max(0, index - NEAR):index + NEAR]
        low, high = max(b[0] for b in near), min(b[1] for b in near)
        waits.append(((low + high) / 2 + frame / RATE - pressed) * 1000)
        doubts.append(abs(high - low) * 1000)
    return waits, statistics.median(doubts)


def main():
    woodshed, presses = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rivals = 2 * len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder + "/config/woodshed")
        with open(folder + "/config/woodshed/woodshed.conf", "w", encoding="utf-8") as file:
            file.write("midi.cc64 = loop jump\n")
        os.mkfifo(folder + "/pedal")
        with wave.open(folder + "/song.wav", "wb") as file:
            file.setparams((2, 2, RATE, 0, "NONE", ""))
            file.writeframes(b"".join(
                struct.pack("<hh", *[int(8000 * math.sin(n * 0.05))] * 2) for n in range(RATE * 10)) * 6)
        for period, draws, busy, name in [
            (64, False, 0, "64 frames"), (256, False, 0, "256 frames"), (64, True, 0, "64 frames, screen drawn"),
            (64, True, rivals, f"64 frames, screen drawn, {rivals} busy programs")]:
            waits, doubt = measure(woodshed, folder, period, presses, draws, busy)
            usual = sorted(waits)[math.ceil(0.95 * len(waits)) - 1]
            print(f"  pedal to action, {name}: median {statistics.median(waits):.2f} ms, 95 % within {usual:.2f} ms, worst {max(waits):.2f} ms "
                  f"(a period is {period / RATE * 1000:.1f} ms; the clock is known to {doubt:.2f} ms)")
            if rows := os.environ.get("WOODSHED_BENCH_ROWS"):
                with open(rows, "a", encoding="utf-8") as file:
                    file.write(json.dumps({"benchmark": "pedals", "name": f"pedal to action, {name}", "unit": "ms",
                                           "better": "lower", "values": waits}) + "\n")


main()
