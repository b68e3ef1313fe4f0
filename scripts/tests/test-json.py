#!/usr/bin/env python3
"""Checks the output of woodshed with --json against docs/schema/woodshed.schema.json.

  scripts/tests/test-json.py COMMAND [FILE]...   COMMAND is the built woodshed; a FILE has lines of events from tests

Runs every verb that has --json, and reads its output with an independent parser: one value per line, no duplicate keys,
only valid JSON numbers, every key in the schema. The source and the schema must have the same events, and
docs/events.md must name all these events and no others. First, the test must find planted faults.
"""
import copy
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

try:
    import jsonschema
except ImportError:
    # The first Python on the PATH may lack the package of Debian's Python.
    if sys.executable == "/usr/bin/python3":
        sys.exit("json: python3-jsonschema is missing; scripts/setup.sh test installs it")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

root = Path(__file__).resolve().parents[2]
published = json.loads((root / "docs/schema/woodshed.schema.json").read_text())
faults = []


def closed(node):
    """The schema without unnamed keys: readers must accept unknown keys, but this test must not."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if "properties" in node and "required" in node:
            node.setdefault("additionalProperties", False)
    elif isinstance(node, list):
        node = [closed(value) for value in node]
    return node


strict = closed(copy.deepcopy(published))
definitions = strict["$defs"]
# The definitions for lines; "paused" has two forms.
events = [choice["$ref"].rsplit("/", 1)[1] for choice in definitions["event"]["oneOf"]]
validators = {}


def problem(value, definition):
    """The error of a value, or None."""
    if definition == "event":
        name = value.get("event") if isinstance(value, dict) else None
        if name not in events:
            return f"there is no event {name!r} in the schema"
        definition = name
    if definition not in validators:
        validators[definition] = jsonschema.Draft202012Validator({**strict, "$ref": f"#/$defs/{definition}"})
    error = jsonschema.exceptions.best_match(validators[definition].iter_errors(value))
    return error and f"{'/'.join(map(str, error.absolute_path)) or definition}: {error.message}"


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError(f"a key twice: {keys}")
    return dict(pairs)


def refuse(word):
    raise ValueError(f"{word} is no number of JSON")


def check(line, definition, what):
    """Reads a line and compares it with a definition; returns the value."""
    try:
        value = json.loads(line, object_pairs_hook=unique, parse_constant=refuse)
    except ValueError as error:
        faults.append(f"{what}: {error}: {line[:200]}")
        return None
    if found := problem(value, definition):
        faults.append(f"{what}: {found}: {line[:300]}")
    return value


def plant():
    """Checks that the test finds each of several wrong lines, and accepts a correct line."""
    right = '{"v":1,"event":"mark","frame":1,"seconds":0.5,"name":"a"}'
    wrong = [
        right.replace('"v":1,', ""), right.replace('"v":1', '"v":2'), right.replace("mark", "marc"), right + "x",
        right.replace("0.5", "NaN"), right.replace('"name":"a"', '"name":"a","name":"b"'), right.replace("0.5", '"0.5"'),
        right.replace('"a"}', '"a","colour":1}'), right.replace('"frame":1', '"frame":-1'), "", "[]",
    ]
    check(right, "event", "planted")
    assert not faults, faults
    for line in wrong:
        before = len(faults)
        check(line, "event", "planted")
        assert len(faults) == before + 1, f"a planted fault went unnoticed: {line}"
    faults.clear()
    assert source_events("") == set() and source_events('head(\n    "disk.low")') == {"disk.low"}


def source_events(text):
    """The names of events in source code."""
    return set(re.findall(r'(?:"event", \.string\(|\bevent: |\.event\(\s*|\bwrite\(\s*|\bhead\(\s*|\bline\(\s*|\\"event\\":\\)"([a-z.]+)\\?"', text))


def named_events():
    """The names of all events of the command, from the source."""
    names = set()
    for file in (root / "Sources/WoodshedCLI").rglob("*.swift"):
        text = file.read_text()
        if "event" in text:
            names |= source_events(text)
        if file.name.startswith("EventLine+"):
            # The names of an event's kinds. The names of reasons contain no dots, and are in other extensions.
            for body in re.findall(r"extension (?:PlayerEvent\.Kind|EngineEvent) \{.*?var name: String \{(.*?)\n    \}", text, re.S):
                names |= set(re.findall(r'"([a-z.]+)"', body))
    if "playback.finished" not in names or "interrupted" not in names or "level" not in names:
        faults.append(f"the source no longer says the names of its events where this test looks: {sorted(names)}")
    return names


def compare_names():
    written = named_events()
    for name in sorted(written - set(events)):
        faults.append(f"{name}: written by the source, and not in the schema")
    for name in sorted(set(events) - written):
        faults.append(f"{name}: in the schema, and nowhere in the source")
    page = (root / "docs/events.md").read_text()
    section = re.search(r"^## Events\n(.*?)\n##", page, re.S | re.M).group(1)
    told = set(re.findall(r"`([a-z.]+)`", section))
    for name in sorted(set(events) - told):
        faults.append(f"{name}: not named in docs/events.md under Events")
    for name in sorted(word for word in told if "." in word and word not in events):
        faults.append(f"{name}: named in docs/events.md under Events, and in no event")


def verbs(command):
    """The verbs that have --json."""
    def walk(node, path):
        names = [name["name"] for argument in node.get("arguments", []) for name in argument.get("names", [])]
        if "json" in names:
            yield " ".join(path)
        for child in node.get("subcommands", []):
            yield from walk(child, [*path, child["commandName"]])
    dump = json.loads(subprocess.run([command, "--experimental-dump-help"], capture_output=True, check=True).stdout)
    return set(walk(dump["command"], []))


# The arguments for each verb, the number of lines for each definition, and the permitted exit codes.
runs = [
    ("play", ["song.wav", "--to", "0.5", "--speed", "80%", "--output", "null", "--clock", "virtual"], "event", {0}),
    ("practice", ["song.wav", "--section", "0-0.3", "--section", "0.5-0.6", "-n", "2", "--gap", "0.1", "--output", "null", "--clock", "virtual"], "event", {0}),
    ("practice", ["song.wav", "--section", "0-0.5", "-n", "2", "--record", "passes", "--input", "file:song.wav", "--output", "null", "--clock", "virtual"], "event", {0}),
    ("play", ["song.wav", "--to", "0.5", "--curve", "0=100%,0.2=60%", "--output", "null"], "event", {0}),
    ("render", ["song.wav", "--to", "0.5", "-o", "out.flac"], "event", {0}),
    ("render", ["song.wav", "--freeze", "0.3", "--freeze-length", "0.2", "-o", "frozen.wav"], "event", {0}),
    ("record", ["--input", "null", "--duration", "0.4", "-o", "take.wav"], "event", {0}),
    ("record", ["--recover"], "event", {0}),
    ("demo", ["--output", "null", "--clock", "virtual"], "event", {0}),
    ("info", ["song.wav"], "info", {0}),
    ("info", ["marks.wav"], "info", {0}),
    ("sections", ["marks.wav"], "sections", {0}),
    ("sections", ["song.wav", "add", "0.1-0.5", "0.5-0.7", "--name", "Intro", "--text", "la\nla", "--hard"], "event", {0}),
    ("sections", ["song.wav", "mark", "0.6"], "event", {0}),
    ("sections", ["song.wav", "set", "1", "speed=70%"], "event", {0}),
    ("sections", ["song.wav", "undo"], "event", {0}),
    ("sections", ["song.wav", "rm", "1-2"], "event", {0}),
    ("sections", ["song.wav"], "sections", {0}),
    ("takes", [], "takes", {0}),
    ("takes", ["rename", "1", "slow"], "takes", {0}),
    ("takes", ["rm", "1"], "takes", {0}),
    ("takes", ["--trash"], "takes", {0}),
    ("takes", ["empty", "--yes"], "event", {0}),
    ("compare", ["song.wav", "--take", "song.wav"], "compare", {0}),
    ("compare", ["song.wav", "--take", "silence.wav"], "compare", {0}),
    ("sections", ["song.wav", "add", "0.1-0.5", "--name", "Riff"], "event", {0}),
    ("list", [], "item", {0}),
    ("add", ["song.wav", "silence.wav", "--tag", "slow", "--artist", "Ana"], "event", {0}),
    ("add", ["song.wav"], "event", {0}),
    ("add", ["--link", "marks.wav", "nothing.wav"], "event", {2}),
    ("edit", ["@1", "--title", "A name\tof \u00e9\u4e2d \"all\"", "--language", "pt-BR"], "item", {0}),
    ("list", ["--sort", "title"], "item", {0}),
    ("recent", ["-n", "2"], "item", {0}),
    ("attach", ["@1", "song.wav"], "document", {0}),
    ("attach", ["@2", "notes.txt", "words.lrc", "nothing.pdf"], "document", {2}),
    ("attach", ["@2"], "document", {0}),
    ("attach", ["@2", "--remove", "1"], "document", {0}),
    ("open", ["@2", "--print"], "open", {0}),
    ("info", ["@2"], "info", {0}),
    ("playlist", ["create", "Warm up"], "playlist", {0}),
    ("playlist", ["add", "Warm up", "@1", "@2"], "playlist", {0}),
    ("playlist", [], "playlist", {0}),
    ("playlist", ["Warm up"], "playlist entry", {0}),
    ("playlist", ["move", "Warm up", "2", "1"], "playlist", {0}),
    ("rm", ["@1"], "item", {0}),
    ("list", ["--trash"], "item", {0}),
    ("playlist", ["Warm up"], "playlist entry", {0}),
    ("rm", ["--undo"], "item", {0}),
    ("rm", ["@2"], "item", {0}),
    ("rm", ["--empty", "--yes"], "event", {0}),
    ("playlist", ["delete", "Warm up"], "playlist", {0}),
    ("get", ["--check", "https://example.org/a.mp3", "ftp://example.org/a.mp3", ""], "get check", {64}),
    ("get", ["SERVER/later.wav", "--later"], "fetch", {0}),
    ("get", ["--pause", "1"], "fetch", {0}),
    ("get", ["--resume", "1", "--later"], "fetch", {0, 64}),
    ("get", ["--list"], "fetch", {0}),
    ("get", ["--cancel", "1", "--discard"], "fetch", {0}),
    ("get", ["SERVER/song.wav?1", "SERVER/flaky.wav", "SERVER/nothing.wav", "--retry", "1"], "event", {2}),
    ("get", ["--list"], "fetch", {0}),
    ("get", ["SERVER/new.wav"], "event", {0}),
    ("get", ["https://youtu.be/dQw4w9WgXcQ"], "event", {65, 69, 78}),
    ("play", ["song.wav", "silence.wav", "--output", "null", "--clock", "virtual"], "event", {0}),
    ("play", ["song.wav", "silence.wav", "new.wav", "--repeat", "all", "--output", "null", "--detach"], "event", {0}),
    ("ctl", ["list"], "ctl list", {0}),
    ("ctl", ["status"], "answer.queue", {0}),
    ("ctl", ["next"], "answer.done", {0}),
    ("ctl", ["quit"], "answer.done", {0}),
    ("storage", [], "storage", {0}),
    ("clean", ["--dry-run"], "clean", {0}),
    ("clean", ["--cache", "--yes"], "clean", {0}),
    ("library", ["check"], "library check", {0, 2}),
    ("next", ["song.wav", "--section", "Riff", "--rate", "good"], "next", {0}),
    ("next", ["--all"], "next", {0}),
    ("practice", ["song.wav", "--section", "Riff", "-n", "2", "--output", "null"], "event", {0}),
    ("stats", [], "stats", {0}),
    ("config", [], "config", {0}),
    ("measure", ["song.wav"], "measure", {0}),
    ("measure", ["song.wav", "--series"], "measure", {0}),
    ("measure", ["silence.wav"], "measure", {0}),
    ("measure", ["song.wav", "nothing.wav", "silence.wav", "--jobs", "2"], "many measure", {2}),
    ("info", ["song.wav", "nothing.wav", "silence.wav"], "many info", {2}),
    ("waveform", ["song.wav", "nothing.wav", "silence.wav", "--width", "7"], "many waveform", {2}),
    ("render", ["song.wav", "nothing.wav", "silence.wav", "-o", "{}.flac", "--jobs", "2"], "event", {2}),
    ("waveform", ["song.wav", "--width", "7"], "waveform", {0}),
    ("devices", [], "devices", {0}),
    ("doctor", [], "doctor", {0, 69, 77}),
    ("doctor", ["--privacy"], "doctor privacy", {0}),
    ("calibrate", ["--list"], "calibrate", {0}),
    ("library", ["export", "library.json"], "library.written", {0}),
    ("library", ["bundle", "library.tar"], "library.written", {0, 2}),
    ("library", ["import", "library.json"], "library.merged", {0}),
    ("library", ["import", "library.tar"], "library.merged", {0}),
    ("library", ["backup", "backup"], "library.saved", {0, 2}),
    ("library", ["restore", "backup", "--merge"], "library.merged", {0}),
    ("library", ["repair", "--from", "STORE"], "library.salvaged", {0}),
    ("library", ["feeds"], "feed", {0}),
    ("library", ["refresh"], "feed", {0}),
    ("library", ["episodes"], "episode", {0}),
    ("bench stretch", ["song.wav", "--seconds", "1", "--runs", "1"], "bench stretch", {0}),
]

# The definitions for any number of lines of a run.
several = ("event", "calibrate", "sections", "takes", "next", "config", "item", "document", "ctl list", "playlist", "playlist entry", "fetch", "get check", "feed", "episode")


class Server(http.server.SimpleHTTPRequestHandler):
    """The files of the folder; a flaky file is refused the first time, and a new file is unknown to every library."""
    refused = set()

    def do_GET(self):
        if "flaky" in self.path and self.path not in self.refused:
            self.refused.add(self.path)
            self.send_error(503)
        else:
            self.path = self.path.replace("flaky", "song")
            super().do_GET()

    def log_message(self, *words):
        pass


def serve():
    """Starts the server on loopback, and returns its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def run_all(command):
    missing = verbs(command) - {run[0] for run in runs}
    if missing:
        faults.append(f"verbs with --json that this test does not run: {sorted(missing)}")
    lines, server = 0, serve()
    for verb, arguments, definition, codes in runs:
        arguments = [word.replace("SERVER", server).replace("STORE", os.environ["XDG_DATA_HOME"] + "/woodshed/practice.db") for word in arguments]
        what = " ".join(["woodshed", verb, *arguments])
        done = subprocess.run([command, *verb.split(), *arguments, "--json"], capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode not in codes:
            faults.append(f"{what}: ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
        try:
            output = done.stdout.decode()
        except UnicodeDecodeError as error:
            faults.append(f"{what}: {error}")
            continue
        if not output.endswith("\n") and (output or definition not in several):
            faults.append(f"{what}: no line feed at the end")
        written = output.split("\n")[:-1]
        # One line for each of three files, and an event for a failed file.
        is_many = definition.startswith("many ")
        definition = definition.removeprefix("many ")
        if definition not in several and len(written) != (3 if is_many else 1):
            faults.append(f"{what}: {len(written)} lines in place of one for each file")
        for line in written:
            lines += 1
            check(line, "event" if is_many and '"event":"file.failed"' in line else definition, what)
    return lines


# The requests on the control socket of a run, and the definition of each answer.
talks = [
    (["play", "song.wav", "--output", "null"],
     [("status", "answer.playing"), ("pause", "answer.done"), ("loop start", "answer.done"), ("lop", "answer.refused"), ("\0", "answer.refused"),
      ("help", "answer.done"), ("follow", "answer.done"), ("status", "answer.playing"), ("quit", "answer.done")]),
    (["play", "song.wav", "silence.wav", "--repeat", "all", "--output", "null"],
     [("follow", "answer.done"), ("status", "answer.queue"), ("shuffle on", "answer.done"), ("next", "answer.done"), ("lop", "answer.refused"), ("quit", "answer.done")]),
    (["record", "--input", "null", "-o", "talk.wav"],
     [("status", "answer.recording"), ("mark", "answer.done"), ("yes", "answer.refused"), ("help", "answer.done"), ("stop", "answer.done")]),
]


def talk_all(command):
    """Checks the answers and the events on control sockets."""
    lines = 0
    for arguments, words in talks:
        what = " ".join(["the socket of woodshed", *arguments])
        run = subprocess.Popen([command, *arguments, "--control", "socket"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        path = next((line[9:-1] for line in run.stderr if line.startswith("control: ")), None)
        if path is None:
            faults.append(f"{what}: there is none")
            continue
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(300)
            connection.connect(path)
            file = connection.makefile("rw")
            for word, definition in words:
                print(word, file=file, flush=True)
                while (line := file.readline()) and '"event"' in line:
                    check(line, "event", what)
                check(line, definition, f"{what}: {word!r}")
                lines += 1
            for line in file:
                check(line, "event", what)
                lines += 1
        if run.wait():
            faults.append(f"{what}: ended with {run.returncode}")
    return lines


def gathered(files):
    """Checks lines from tests; returns their number, and the names of their events, with None for a measured round
    trip."""
    lines, seen = 0, set()
    for file in files:
        for number, line in enumerate(Path(file).read_text().splitlines(), 1):
            lines += 1
            # Only a card that records its own output gives a round trip, and only tests have such a card.
            definition = "calibrate" if '"round_trip_frames"' in line else "event"
            value = check(line, definition, f"{file}:{number}")
            seen.add(value.get("event") if isinstance(value, dict) else None)
    return lines, seen


def main():
    command = str(Path(sys.argv[1]).resolve())
    files = [Path(file).resolve() for file in sys.argv[2:]]
    jsonschema.Draft202012Validator.check_schema(published)
    plant()
    compare_names()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(XDG_STATE_HOME=f"{folder}/state", XDG_CACHE_HOME=f"{folder}/cache", XDG_DATA_HOME=f"{folder}/data", XDG_CONFIG_HOME=f"{folder}/config", XDG_RUNTIME_DIR=folder)
        subprocess.run(["sox", "-n", "-r", "44100", "-c", "2", "song.wav", "synth", "1", "pluck", "C4", "gain", "-6"], check=True)
        subprocess.run(["sox", "-D", "-n", "-r", "44100", "-c", "1", "silence.wav", "trim", "0", "1"], check=True)
        subprocess.run(["sox", "-n", "-r", "44100", "-c", "1", "new.wav", "synth", "1", "sine", "300", "gain", "-6"], check=True)
        subprocess.run([command, "record", "--input", "file:song.wav", "--clock", "virtual", "-q", "-o", "marks.wav"], check=True)
        Path("notes.txt").write_text("Practise the bridge.\n")
        Path("words.lrc").write_text("[00:00.10]la\n[00:00.50]li\n")
        lines = run_all(command) + talk_all(command)
        more, seen = gathered(files)
        if files and None not in seen:
            faults.append("no test has left a measured round trip")
        os.chdir("/")
    for fault in faults[:20]:
        print(f"json: {fault}", file=sys.stderr)
    print(f"json: {lines} lines of {len(runs)} runs and {more} of tests ({len(seen - {None})} events), {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
