"""The power goes at any write to an ext4 disk: reported changes are there, no half change appears as whole, and
takes are valid."""
import copy
import hashlib
import json
import os
import random
import tarfile

import sounds

# Tried moments, besides the end of each step; a soak has more, up to every write: WOODSHED_POWER=1000. WOODSHED_SEED
# repeats a run.
MOMENTS = int(os.environ.get("WOODSHED_POWER", "8"))
SEED = int(os.environ.get("WOODSHED_SEED", random.randrange(1 << 32)))
RATE, TAKE_SECONDS = 48000, 3
# Sound recorded this long ago is on the disk: see docs/recording.md.
SAFE_SECONDS = 1
SONGS = {"song": 1, "one": 2, "two": 3}
LIMIT = 300 + 60 * MOMENTS

FEED = "aplay -q -D hw:Loopback,0,0 -t raw -f S16_LE -r 48000 -c 2 --buffer-size=16384 /tmp/numbers.raw"
STEPS = [
    # name, command, the change in the listings
    ("add", "woodshed add /tmp/one.wav", lambda shown: shown["list"].add("one")),
    ("section", "woodshed sections song.wav add 0.1-0.5 --name Intro", lambda shown: shown["sections"].append("Intro")),
    ("move", "woodshed add --move two.wav", lambda shown: shown["list"].add("two")),
    ("another section", "woodshed sections song.wav add 0.6-0.9 --name Bridge", lambda shown: shown["sections"].insert(0, "Bridge")),
    ("playlist", "woodshed playlist create Warm", lambda shown: None),
    ("entries", "woodshed playlist add Warm @1 @2", lambda shown: shown.__setitem__("playlist", 2)),
    ("rating", "woodshed next song.wav --section Intro --rate good", lambda shown: shown["next"].append("Intro good")),
    ("record", "recorded", lambda shown: shown["takes"].append("take.wav")),
    ("name", "woodshed takes rename 1 clean", lambda shown: shown["takes"].__setitem__(0, "take.wav clean")),
    ("export", "woodshed takes export 1 exported.flac", lambda shown: shown["files"].add("exported.flac")),
    (
        "practice",
        "woodshed practice song.wav --section Intro -n 1 --record passes --take-folder takes --output hw:Loopback,0,0 --input hw:Loopback,1,0",
        lambda shown: shown["takes"].append("song-Intro"),
    ),
    ("remove", "woodshed rm @1", lambda shown: shown["list"].remove("two")),
    ("undo", "woodshed rm --undo", lambda shown: shown["list"].add("two")),
    ("attach", "woodshed attach one /tmp/words.txt", lambda shown: shown["attach"].append("words.txt")),
    ("undo a section", "woodshed sections song.wav undo", lambda shown: shown["sections"].remove("Bridge")),
    ("set", "woodshed config set speed 80%", lambda shown: shown["files"].add("home/.config/woodshed/woodshed.conf")),
    ("bundle", "woodshed library bundle all.tar", lambda shown: shown["files"].add("all.tar")),
]
# The listings after each loss of power.
LOOKS = {
    "recover": "woodshed record --recover --json",
    "check": "woodshed library check --json",
    "takes": "woodshed takes --json",
    "next": "woodshed next song.wav --all --json",
    # The export has all facts about recordings, with their sections, and about playlists.
    "export": "woodshed library export /tmp/looks/export.json",
}


def prepare(folder):
    for name, seed in SONGS.items():
        sounds.write(folder / f"{name}.wav", sounds.sound(RATE, 1, seed=seed), RATE)
    (folder / "numbers.raw").write_bytes(sounds.numbered(RATE * (TAKE_SECONDS + 4)).tobytes())
    (folder / "words.txt").write_text("words\n")


SCRIPT = r"""
. /rig/library.sh
modprobe snd-aloop id=Loopback
modprobe loop; modprobe dm-log-writes; modprobe ext4
export DM_DISABLE_UDEV=1 HOME=/disk/home
mkdir /disk
cp /rig/*.wav /rig/numbers.raw /rig/words.txt /tmp
truncate -s 32M /tmp/disk.img; truncate -s 500M /tmp/log.img
mkfs.ext4 -q -F -b 4096 -J size=4 -E lazy_itable_init=0,lazy_journal_init=0 /tmp/disk.img
mount -o loop /tmp/disk.img /disk && mkdir /disk/home /disk/takes && cp /tmp/song.wav /tmp/two.wav /disk && umount /disk
cp /tmp/disk.img /tmp/crash.img
losetup /dev/loop6 /tmp/disk.img; losetup /dev/loop7 /tmp/log.img
dmsetup create power --table "0 $((32 << 11)) log-writes /dev/loop6 /dev/loop7"
mount -t ext4 /dev/mapper/power /disk
cd /disk
mark() { dmsetup message power 0 mark $1; }
# A take, and how much of it had been captured at some moments.
recorded() {
    local feed run status turn
    FEED & feed=$!
    until_running Loopback/pcm0p/sub0
    woodshed record take.wav --input hw:Loopback,1,0 --bits 16 --duration TAKE_SECONDS & run=$!
    until_running Loopback/pcm1c/sub0
    for turn in $(seq 3); do
        sleep 0.8
        mark captured-$(sed -n 's/hw_ptr *: //p' /proc/asound/Loopback/pcm1c/sub0/status)
    done
    wait $run; status=$?
    kill $feed; wait $feed 2>/dev/null
    return $status
}
step() { "${@:2}" >>/tmp/steps 2>&1 || echo "step $1: it ended with $?" >>/tmp/failed; mark done-$1; }
look() { eval "${*:2}" >/tmp/looks/$1.out 2>/tmp/looks/$1.err; echo $? >/tmp/looks/$1.status; }
STEPS
say all steps are done
cd /; umount /disk; dmsetup remove power; losetup -d /dev/loop6
mv /tmp/steps /tmp/failed /rig 2>/dev/null
replay /dev/loop7 >/rig/entries
# The power goes after each step, and at some other moments.
awk -v seed=SEED -v count=MOMENTS '{ last = $1 + 1 } / mark [dc].*-/ { print last }
    END { srand(seed); for (turn = 0; turn < count && turn < last; turn++) print count < last ? 1 + int(rand() * last) : turn + 1 }
' /rig/entries | sort -nu >/rig/moments
# A loss of power is one of the start before.
echo 01234567-89ab-cdef-0123-456789abcdef >/tmp/boot; mount --bind /tmp/boot /proc/sys/kernel/random/boot_id
mkdir -p /tmp/states/takes
last=0
for moment in $(cat /rig/moments); do
    replay /dev/loop7 /tmp/crash.img $last $moment; last=$moment
    cp /tmp/crash.img /tmp/now.img
    mkdir /tmp/looks
    if mount -o loop /tmp/now.img /disk; then
        cd /disk
        LOOKS
        # Takes are judged by their sound, other files by their sums.
        find . -type f -exec md5sum {} + >/tmp/looks/files
        for take in takes/*.wav take.wav; do
            [ ! -e $take ] || cp $take /tmp/states/takes/$(md5sum <$take | cut -c-32).wav
        done
        cd /; umount /disk
    fi
    mv /tmp/looks /tmp/states/$moment
done
tar cf /rig/states.tar -C /tmp/states .
"""


def script():
    steps = "\n".join(f"step {name.replace(' ', '-')} {command}" for name, command, _ in STEPS)
    looks = "; ".join(f"look {name} {command}" for name, command in LOOKS.items())
    text = SCRIPT
    for word, value in {"FEED": FEED, "TAKE_SECONDS": TAKE_SECONDS, "SEED": SEED, "MOMENTS": MOMENTS, "STEPS": steps, "LOOKS": looks}.items():
        text = text.replace(word, str(value))
    return text


class State:
    """The content of a disk after a loss of power, and the confirmations before."""

    def __init__(self, files, moment, marks):
        self.files, self.moment = files, moment
        told = [text for place, text in marks if place < moment]
        self.done = sum(text.startswith("done-") for text in told)
        self.captured = max([int(text.split("-")[1]) for text in told if text.startswith("captured-")], default=0)
        self.sums = {line[34:].removeprefix("./"): line[:32] for line in self.text("files").splitlines()}

    def text(self, name):
        return self.files.get(f"./{self.moment}/{name}", b"").decode()

    def answers(self, look):
        return [json.loads(line) for line in self.text(f"{look}.out").splitlines()]

    def known(self, kind):
        """Returns the known recordings, playlists or sections: identities and values, None for removed values."""
        records = json.loads(self.text("export.json"))
        sections = [section for record in records["recordings"] for section in record.get("sections", [])]
        found = sections if kind == "sections" else records.get(kind, [])
        return {record["id"]: None if "deleted" in record else {name: value for name, (value, _) in record["fields"].items()} for record in found}

    def recordings(self):
        """Returns the known facts about the recordings in the library, by their identities."""
        return {identity: fields for identity, fields in self.known("recordings").items() if fields and "file" in fields}

    def shown(self):
        """Returns the listing of each kind."""
        recordings = self.recordings()
        # A removed recording keeps its place in a playlist.
        entries = [identity for fields in self.known("playlists").values() for identity in fields["entries"]]
        return {
            "list": {fields["title"] for fields in recordings.values()},
            "sections": sorted(fields["name"] for fields in self.known("sections").values() if fields),
            "playlist": len(entries),
            "next": [f"{answer['section']} {answer['rating']}" for answer in self.answers("next")],
            "takes": [
                f"{answer['path'].rsplit('/', 1)[-1].split('-2')[0]} {answer['name']}".strip()
                for answer in sorted(self.answers("takes"), key=lambda answer: answer["number"])
            ],
            "attach": [
                value["name"] for fields in recordings.values() for field, value in fields.items() if field.startswith("document ") and value
            ],
        }

    def sound(self, path):
        """Returns the bytes of a take's sound, and its frames."""
        _, channels, bits, data = sounds.read(f"{path} after write {self.moment}", self.files[f"./takes/{self.sums[path]}.wav"])
        return data, len(data) // (channels * bits // 8)


def expected():
    """Returns the expected listings after each step, from none on."""
    shown = {"list": set(), "sections": [], "next": [], "takes": [], "attach": [], "files": set(), "playlist": 0}
    states = [shown]
    for _, _, change in STEPS:
        shown = copy.deepcopy(shown)
        change(shown)
        states.append(shown)
    return states


def store_faults(state, states):
    """Returns the listings that match neither the state before nor after the step under way."""
    possible = states[state.done : state.done + 2]
    for look in LOOKS:
        status, words = (state.text(f"{look}.{end}").strip() for end in ("status", "err"))
        # The check's exit status after a finding; the judge reads the findings below.
        if "damaged" in words or status != "0" and (look, status) != ("check", "2"):
            yield f"{look} ended with {status}: {words}"
            return
    for kind, value in state.shown().items():
        if value not in [one[kind] for one in possible]:
            yield f"{kind}: {value}"
    check = state.answers("check")[0]
    lost = {kind: check[kind] for kind in ("missing", "changed", "missing_documents") if check[kind]}
    if lost:
        yield f"the check finds {lost}"


def file_faults(state, states, sums, sources):
    """Returns the recordings and other files that are not whole."""
    for identity, fields in state.recordings().items():
        if state.sums.get(f"home/.local/share/woodshed/library/{identity}.wav") != sources[fields["file"]["name"]]:
            yield f"{fields['title']} is not whole"
    for path in states[-1]["files"]:
        if path in states[state.done]["files"] and path not in state.sums:
            yield f"{path} is not there"
        if path in state.sums and state.sums[path] != sums[path]:
            yield f"{path} is not whole"


def take_faults(state, states, sums):
    """Returns the faults of the takes."""
    steps = [name for name, _, _ in STEPS]
    for path in {path for path in (*sums, *state.sums) if path == "take.wav" or path.startswith("takes/")}:
        is_done = state.done > steps.index("record" if path == "take.wav" else "practice")
        if path not in state.sums:
            safe = state.captured > SAFE_SECONDS * RATE if path == "take.wav" else is_done
            if is_done or safe:
                yield f"{path} is not there"
            continue
        try:
            data, frames = state.sound(path)
            found = list(sounds.pieces(data)) if path == "take.wav" else []
        except ValueError as error:
            yield str(error)
            continue
        if is_done and state.sums[path] != sums.get(path):
            yield f"{path} is not whole"
        if any(first == 0 for first, _ in found[1:]) or sum(first != 0 for first, _ in found) > 1:
            yield f"{path} has a gap: {found}"
        if path == "take.wav" and frames < state.captured - SAFE_SECONDS * RATE:
            yield f"{path} has {frames} frames of {state.captured}"
        told = [answer["frames"] for answer in state.answers("takes") if answer["path"].endswith(path)]
        if told and told[0] != frames:
            yield f"{path} has {frames} frames, and {told[0]} are shown"


def frames_of(state):
    """Returns the frames of the running take; None if no such take is readable."""
    try:
        return state.sound("take.wav")[1]
    except (KeyError, ValueError):
        return None


def judge(folder):
    lines = [line.split(maxsplit=2) for line in (folder / "entries").read_text().splitlines()]
    marks = [(int(words[0]), words[2]) for words in lines if words[1] == "mark"]
    failed = (folder / "failed").read_text().strip() if (folder / "failed").exists() else None
    count = sum(text.startswith("done-") for _, text in marks)
    yield f"{len(STEPS)} steps", failed or (None if count == len(STEPS) else f"{count} are told as done")
    with tarfile.open(folder / "states.tar") as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    states, found = expected(), [State(files, int(moment), marks) for moment in (folder / "moments").read_text().split()]
    dead = [state.moment for state in found if not state.sums]
    what = f"{len(found)} losses of power among {len(lines)} writes (WOODSHED_SEED={SEED})"
    yield f"{what}: the disk can be mounted", f"not after {dead}" if dead else None
    alive, last = [state for state in found if state.sums], found[-1]
    sources = {f"{name}.wav": hashlib.md5((folder / f"{name}.wav").read_bytes()).hexdigest() for name in SONGS}
    for what, faults in (
        ("what was told as done is shown, and nothing else", lambda state: store_faults(state, states)),
        ("recordings and written files are whole", lambda state: file_faults(state, states, last.sums, sources)),
        ("takes are valid, and lack a second at most", lambda state: take_faults(state, states, last.sums)),
    ):
        all_faults = [f"after write {state.moment}, step {state.done}: {fault}" for state in alive for fault in faults(state)]
        yield what, f"{len(all_faults)} times: {'; '.join(all_faults[:3])}" if all_faults else None
    running = [state for state in alive if state.captured and not state.done > [name for name, _, _ in STEPS].index("record")]
    lacks = [state.captured - frames for state in running if (frames := frames_of(state)) is not None]
    yield f"{len(lacks)} takes that were running lack {max([0, *lacks]) * 1000 // RATE} ms at most", None
