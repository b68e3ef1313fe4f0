#!/usr/bin/env python3
"""Measures the time from a key to the changed sound, beside mpv: medians of several runs on the virtual card with its
real clock.

    scripts/bench/bench-keys.py PLUG-IN WOODSHED [RUNS]

The recording is quiet for five seconds, then loud. In each run a key jumps five seconds on, and a second key closes a
loop that began before the jump. The card reports the heard sound by the frame, and the frames written ahead by the
program: the device's buffer. Figures "beyond the buffer" are the delay of the program itself; a negative figure means
that the program drops the buffer, with an audible click.
"""

import array
import ctypes
import fcntl
import json
import math
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import termios
import time

import virtual_card

RATE = 44100
CARD = "keys"
PERIOD = 100  # of the tone, in frames


def change(card, frame, is_loud):
    """The moment at which the heard sound became loud, or quiet for a whole period of the tone."""
    end = time.monotonic() + virtual_card.SECONDS
    while time.monotonic() < end:
        if card.truth().device_frame < frame + PERIOD:
            time.sleep(0.002)
            continue
        samples = [abs(sample) for sample in card.heard(frame, PERIOD)[::2]]
        if is_loud == (max(samples) > 0.25):
            frame += next((index for index, sample in enumerate(samples) if sample > 0.25), 0)
            # By the clock, because the device's frames stand still while a program stops the stream for a jump.
            return time.monotonic() - (card.truth().device_frame - frame) / RATE
        frame += PERIOD // 4
    raise TimeoutError("the sound did not change")


def trial(library, command, environment, keys):
    """Runs a program once; returns, for the jump and for the loop, the ms until the change was heard and the ms
    queued before."""
    library.virtual_card_remove(CARD.encode())
    terminal, program_end = pty.openpty()
    process = subprocess.Popen(
        command, stdin=program_end, stdout=program_end, stderr=program_end, env=os.environ | environment,
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(program_end)
    os.set_blocking(terminal, False)
    card = virtual_card.Card(library, CARD)

    def press(key):
        drain(terminal)
        before = card.truth()
        moment = time.monotonic()
        os.write(terminal, key)
        return before, moment

    def measured(press, is_loud):
        before, moment = press
        heard = change(card, before.device_frame, is_loud) - moment
        return heard * 1000, (before.transferred - before.moved - before.dropped) * 1000 / RATE

    try:
        card.wait()
        card.until(RATE)
        press(keys[0])
        card.until(RATE * 3 // 2)
        jump = measured(press(keys[1]), True)
        # Long enough for both programs to come to rest.
        card.until(card.truth().moved + RATE // 2)
        return jump, measured(press(keys[2]), False)
    finally:
        os.write(terminal, b"q")
        end = time.monotonic() + virtual_card.SECONDS
        while process.poll() is None:
            drain(terminal)
            time.sleep(0.01)
            if time.monotonic() > end:
                process.kill()
        os.close(terminal)
        if card.card:
            card.close()


def drain(terminal):
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass


def record(name, values, better="lower"):
    path = os.environ.get("WOODSHED_BENCH_ROWS")
    if path:
        with open(path, "a") as rows:
            rows.write(json.dumps(
                {"benchmark": "keys", "name": name, "unit": "ms", "better": better, "values": values}) + "\n")


def main():
    plug_in, woodshed = (os.path.abspath(path) for path in sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    with tempfile.TemporaryDirectory() as folder:
        configuration, tone = folder + "/asound.conf", folder + "/tone.wav"
        with open(configuration, "w") as file:
            file.write(virtual_card.configuration(plug_in, RATE))
        samples = array.array("h")
        for frame in range(30 * RATE):
            level = 1600 if frame < 5 * RATE else 16000
            samples.extend([round(level * math.sin(2 * math.pi * frame / PERIOD))] * 2)
        subprocess.run(
            ["sox", "-t", "raw", "-r", str(RATE), "-e", "signed", "-b", "16", "-c", "2", "-", tone],
            input=samples.tobytes(), check=True)
        environment = {
            "ALSA_CONFIG_PATH": configuration, "HOME": folder, "XDG_DATA_HOME": folder + "/data", "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
        }
        os.environ["ALSA_CONFIG_PATH"] = configuration
        library = ctypes.CDLL(plug_in)
        mpv = ["mpv", "--no-config", "--no-video", "--ao=alsa", f"--audio-device=alsa/virtual:{CARD}"]
        programs = {
            "woodshed": ([woodshed, "practice", tone, "--output", f"virtual:{CARD}"], (b"a", b"\x1b[C", b"b")),
            "mpv": (mpv + [tone], (b"l", b"\x1b[C", b"l")),
            "mpv, small buffers": (
                mpv + ["--audio-buffer=0.02", "--alsa-buffer-time=40000", "--alsa-periods=4", tone],
                (b"l", b"\x1b[C", b"l")),
        }
        for name, (command, keys) in programs.items():
            figures = {}
            for _ in range(runs):
                try:
                    for what, (heard, queued) in zip(("5 s on", "loop closed"), trial(library, command, environment, keys)):
                        figures.setdefault(what, []).append((heard, queued))
                except TimeoutError as error:
                    print(f"  {name}: {error}")
            for what, values in figures.items():
                heard, beyond = [v[0] for v in values], [v[0] - v[1] for v in values]
                buffer = statistics.median(v[1] for v in values)
                print(
                    f"  {name}, {what}: heard after {statistics.median(heard):.1f} ms (at most {max(heard):.1f}), of which "
                    f"{buffer:.1f} were in the device's buffer; beyond it {statistics.median(beyond):.1f} ms (at most {max(beyond):.1f})")
                record(f"{name}, {what}: heard", heard)
                record(f"{name}, {what}: beyond the buffer", beyond)


main()
