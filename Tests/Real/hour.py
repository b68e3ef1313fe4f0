#!/usr/bin/env python3
"""A user's hour with real recordings: Tests/Real/hour.py WOODSHED FOLDER [WORD]...

Uses the command as a person does: with whole songs, every format, minutes and hours of sound, jumps, pipes and
interruptions in the middle, which short made-up sounds cannot show. get-recordings.sh makes FOLDER; each WORD chooses
the rows with this word in their names. Prints a line for each failure and ends with "N passed, N failed"; the exit code
is 1 after a failure.

Each row has a limit of processor seconds, which other programs on a busy machine do not use up. A command that has read
and written nothing for two minutes stands still, because every command here reads sound all the time. WOODSHED_SEED is
the seed of random choices.
"""

import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

# The time by the clock for which a command may read and write nothing, and the longest time to begin, or to end
# after a request.
PATIENCE_SECONDS = 120


class Failure(Exception):
    """The fault found by a row."""


@dataclass
class Run:
    """The end of a command."""

    status: int
    output: bytes
    errors: str

    def events(self, name):
        """Returns the events of one kind among the lines of the output."""
        lines = (line for line in self.output.splitlines() if line.startswith(b"{"))
        return [event for event in map(json.loads, lines) if event.get("event") == name]


def work_of(process):
    """Returns the processor seconds of a running program and its children, and the bytes read and
    written."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
        counts = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
        children = [child for path in Path(f"/proc/{process}/task").glob("*/children") for child in path.read_text().split()]
    except OSError:
        # The process has ended.
        return 0, 0
    parts = [work_of(child) for child in children]
    seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(part[0] for part in parts)
    return seconds, int(counts["rchar"]) + int(counts["wchar"]) + sum(part[1] for part in parts)


def read_to_end(process, limit):
    """Returns a program's output until its end; ends a program over the limit of the processor, and a program that
    stands still."""
    moved, since = 0, time.monotonic()
    while True:
        try:
            return process.communicate(timeout=0.25)
        except subprocess.TimeoutExpired:
            used, now = work_of(process.pid)
        # Not the processor's time, because a process that polls in vain uses processor time too.
        if now != moved:
            moved, since = now, time.monotonic()
        stands_still = time.monotonic() - since > PATIENCE_SECONDS
        if stands_still or used > limit:
            process.kill()
            process.communicate()
            raise Failure(
                f"read and wrote nothing for {PATIENCE_SECONDS} s, after {used:.1f} s of the processor" if stands_still
                else f"took more than {limit:.0f} s of the processor")


def probe(path, entry):
    """Returns a figure of a sound file from another program; None where the program cannot read the file."""
    command = ["ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", entry, "-of", "csv=p=0", str(path)]
    try:
        return float(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    except ValueError:
        return None


def seconds_of(path):
    """Returns the length of a sound file from another program; None where the program cannot read the file."""
    return probe(path, "format=duration")


def require(condition, message):
    """Ends the row with a message unless the condition holds."""
    if not condition:
        raise Failure(message)


def require_length(path, wanted, tolerance=0.002):
    """Ends the row unless a file has the given length in seconds."""
    found = seconds_of(path)
    require(found is not None, f"{path.name} cannot be read")
    require(abs(found - wanted) <= tolerance, f"{path.name} lasts {found:.4f} s, not {wanted:.4f}")


@dataclass
class Hour:
    """The rows, and their results."""

    woodshed: str
    folder: Path
    words: list
    scratch: Path
    environment: dict
    passed: int = 0
    failed: int = 0
    slowest: list = field(default_factory=list)

    def row(self, name, action):
        """Runs a row, unless words choose other rows, and returns its result; None if the row failed."""
        if self.words and not any(word in name for word in self.words):
            return None
        started = time.monotonic()
        result = None
        try:
            result = action()
            self.passed += 1
        except (Failure, ValueError, KeyError, IndexError) as reason:
            self.failed += 1
            text = str(reason) if isinstance(reason, Failure) else f"{type(reason).__name__}: {reason}"
            print(f"FAILED {name}: {text}", flush=True)
        self.slowest.append((time.monotonic() - started, name))
        for leftover in self.scratch.glob("*"):
            if leftover.is_file():
                leftover.unlink()
        return result

    def start(self, arguments):
        """Starts the command, which receives interrupts even where this script does not."""
        return subprocess.Popen(
            [self.woodshed, *map(str, arguments)], env=self.environment, cwd=self.scratch, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def run(self, arguments, limit, wanted=(0,)):
        """Runs the command to its end within a limit of processor seconds; the exit code must be a wanted
        code."""
        process = self.start(arguments)
        output, errors = read_to_end(process, limit)
        run = Run(process.returncode, output, errors.decode(errors="replace").strip())
        require(run.status in wanted, f"exit code {run.status}: {run.errors[-200:]}")
        return run

    def interrupt(self, arguments, number, after, wanted):
        """Sends the command a signal, a given number of seconds after its report of the first pass."""
        process = self.start([*arguments, "--json"])
        told = b""
        while b'"pass.started"' not in told:
            ready, _, _ = select.select([process.stdout], [], [], PATIENCE_SECONDS)
            piece = os.read(process.stdout.fileno(), 65536) if ready else b""
            if not piece:
                process.kill()
                _, errors = process.communicate()
                raise Failure(f"it did not begin to play: {errors.decode(errors='replace').strip()[-200:]}")
            told += piece
        # The end of a person's patience, not a limit for an event.
        time.sleep(after)
        process.send_signal(number)
        try:
            output, errors = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"no end within {PATIENCE_SECONDS} s after signal {number}") from None
        run = Run(process.returncode, told + output, errors.decode(errors="replace").strip())
        require(run.status in wanted, f"exit code {run.status}: {run.errors[-200:]}")
        return run


# Questions of a person about a recording.


def ask(hour, path, name, length):
    """Asks for a recording's properties, loudness and picture; returns its exact length in seconds, its rate and its
    channels."""
    told = hour.row(f"info {name}", lambda: hour.run(["info", path, "--json"], 5 + length / 600))
    hour.row(f"measure {name}", lambda: hour.run(["measure", path, "--json"], 10 + length / 50))
    hour.row(f"waveform {name}", lambda: hour.run(["waveform", path, "--width", "120"], 10 + length / 30))
    hour.row(f"waveform again {name}", lambda: hour.run(["waveform", path, "--width", "120"], 3 + length / 600))

    def draw():
        picture = hour.scratch / "picture.png"
        hour.run(["waveform", path, "-o", picture, "--width", "800"], 10 + length / 30)
        require(picture.read_bytes()[:4] == b"\x89PNG", "the picture is no PNG")

    hour.row(f"picture {name}", draw)
    if told is None:
        return length, probe(path, "stream=sample_rate") or 44100, probe(path, "stream=channels") or 2
    facts = json.loads(told.output.splitlines()[0])
    return facts["frames"] / facts["sample_rate"], facts["sample_rate"], facts["channels"]


# A person's products of a recording.


def render(hour, path, name, length, rate, channels, rng):
    """Renders the whole recording at two speeds, and a passage in the formats for sharing."""

    def whole(speed):
        out = hour.scratch / "slow.wav"
        hour.run(["render", path, "--speed", f"{speed:g}", "-o", out], 20 + length / speed / 4)
        require_length(out, length / speed)

    for speed in (rng.choice((0.5, 0.75)), rng.choice((0.9, 1.25, 2))):
        hour.row(f"render whole at {speed:g} {name}", lambda speed=speed: whole(speed))

    def passage(ending):
        out = hour.scratch / f"passage.{ending}"
        hour.run(["render", path, "--from", "10", "--to", "16", "--pitch=-2", "--speed", "80%", "-o", out], 20)
        # An encoder may add some of its own blocks, which last longer at lower rates.
        require_length(out, 7.5, tolerance=max(0.06, 2000 / rate))

    if length > 20:
        # MP3 has two channels at most.
        others = ("mp3", "ogg", "opus") if channels <= 2 else ("ogg", "opus")
        for ending in ("flac", rng.choice(others)):
            hour.row(f"render a passage to {ending} {name}", lambda ending=ending: passage(ending))

    def pipe():
        run = hour.run(["render", path, "--from", "1", "--to", "2", "--bits", "16", "-o", "-"], 10)
        require(run.output[:4] == b"RIFF" and len(run.output) > 15000, "no WAV came through the pipe")

    hour.row(f"render into a pipe {name}", pipe)


def practise(hour, path, name, length, rng):
    """Practises a passage in the middle, faster with every pass; then the same live, until an interruption."""
    start = rng.uniform(0.3, 0.6) * length
    end = min(start + rng.uniform(2, 9), length - 0.1)
    if end < start + 1:
        return
    section = ["--section", f"{start:.3f}-{end:.3f}"]

    def middle():
        run = hour.run(
            ["practice", path, *section, "-n", "3", "--ramp", "60%:80%:10%", "--output", "null", "--clock", "virtual",
             "--json", "--quiet"], 40)
        count = len(run.events("pass.ended"))
        require(count == 3, f"{count} passes ended, not 3")

    def live():
        run = hour.interrupt(
            ["play", path, "--from", f"{start:.3f}", "--speed", "80%", "--output", "null"], signal.SIGINT, 1.2, (130,))
        require(not run.events("starved"), "what was to be played had not been read")

    def stopped():
        out = hour.scratch / "stopped.wav"
        run = hour.interrupt(["render", path, "--speed", "55%", "-o", out], signal.SIGTERM, 0.3, (0, 143))
        if run.status == 0:
            require_length(out, length / 0.55)
        else:
            left = sorted(path.name for path in hour.scratch.glob("*") if path.is_file())
            require(not left, f"left behind: {', '.join(left)}")

    hour.row(f"practice from the middle {name}", middle)
    hour.row(f"play live, ended by Ctrl-C {name}", live)
    hour.row(f"render, ended half-way, {name}", stopped)


def use_keys(hour, path, name):
    """Plays on a terminal, by keys."""

    def keys():
        # Each key, and its final effect on the screen.
        steps = [(b"", "▶"), (b" ", "‖|❚❚|⏸|paused"), (b" ", "▶"), (b"\x1b[C", "▶"), (b"[[", "90 %"), (b"]", "95 %")]
        process, terminal = pty.fork()
        if process == 0:
            arguments = [hour.woodshed, "play", str(path), "--output", "null"]
            os.execve(arguments[0], arguments, dict(hour.environment, TERM="xterm", LC_ALL="C.UTF-8"))
        seen = ""

        def wait_for(choices):
            nonlocal seen
            end = time.monotonic() + PATIENCE_SECONDS
            while not any(choice in seen for choice in choices.split("|")):
                ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
                require(ready, f"the screen did not show {choices}")
                try:
                    seen += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    raise Failure(f"it ended before the screen showed {choices}") from None

        try:
            for key, shown in steps:
                seen = ""
                os.write(terminal, key)
                wait_for(shown)
            os.write(terminal, b"q")
            while True:
                try:
                    if not os.read(terminal, 65536):
                        break
                except OSError:
                    break
        finally:
            # Hangs up on a process still running.
            os.close(terminal)
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        require(status == 0, f"exit code {status}")

    hour.row(f"keys on a terminal {name}", keys)


def last_long(hour, path, name):
    """Plays a recording of hours to its end, and records ten minutes of the sound."""

    def to_the_end():
        hour.run(
            ["practice", path, "-n", "1", "--speed", "90%", "--output", "null", "--clock", "virtual", "--quiet"], 900)

    def record():
        take = hour.scratch / "take.flac"
        hour.run(["record", "--input", f"file:{path}", "--clock", "virtual", "--quiet", "-o", take, "--duration", "600"],
                 120)
        require_length(take, 600)

    hour.row(f"to the end at 90 %, as fast as it goes, {name}", to_the_end)
    hour.row(f"record from {name}", record)


def look_around(hour):
    """Runs the first commands of a new user, without a recording."""

    def demo():
        hour.run(["demo", "--out", "demo.wav"], 120)
        require((seconds_of(hour.scratch / "demo.wav") or 0) > 10, "the demo is not as long as it says")

    hour.row("demo into a file", demo)
    hour.row("devices", lambda: hour.run(["devices"], 5))
    # 69 without a sound card, which is no fault.
    hour.row("doctor", lambda: hour.run(["doctor"], 20, (0, 69)))
    hour.row("help", lambda: hour.run(["help", "practice"], 5))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    woodshed, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
    seed = int(os.environ.get("WOODSHED_SEED", random.randrange(1 << 32)))
    print(f"a user's hour: WOODSHED_SEED={seed}", flush=True)
    rng = random.Random(seed)
    recordings = sorted(path for kind in ("music", "speech", "odd", "long") for path in (folder / kind).rglob("*")
                        if path.is_file())
    if not recordings:
        sys.exit(f"a user's hour: there are no recordings in {folder}; run: Tests/Real/get-recordings.sh {folder}")
    with tempfile.TemporaryDirectory(prefix="woodshed-hour-") as scratch:
        home = Path(scratch, "home")
        homes = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "DATA", "STATE", "CONFIG")}
        hour = Hour(woodshed, folder, sys.argv[3:], Path(scratch), dict(os.environ, HOME=str(home), **homes))
        home.mkdir()
        look_around(hour)
        for path in recordings:
            name = str(path.relative_to(folder))
            length = seconds_of(path) or 0
            exact, rate, channels = ask(hour, path, name, length)
            if length < 2000:
                render(hour, path, name, exact, rate, channels, rng)
            practise(hour, path, name, exact, rng)
            if path.parent.name == "odd":
                use_keys(hour, path, name)
            if length >= 2000:
                last_long(hour, path, name)
    for took, name in sorted(hour.slowest, reverse=True)[:5]:
        print(f"{took:7.1f} s  {name}")
    print(f"{hour.passed} passed, {hour.failed} failed")
    sys.exit(1 if hour.failed else 0)


if __name__ == "__main__":
    main()
