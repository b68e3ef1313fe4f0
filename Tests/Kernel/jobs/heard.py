"""The sound that the HDA card really plays with short buffers is whole from 128 x 3 and 256 x 2 frames on; aplay's
losses are for comparison."""
import array
import wave

import sounds

RATE, FRAMES = 48000, 60000
SHAPES = [(64, 2), (64, 4), (128, 2), (128, 3), (256, 2), (256, 3), (512, 2), (1024, 2), (1024, 4)]
PROGRAMS = ("woodshed", "aplay")
# The end of a sound is in the emulator's own buffers when the card is stopped.
CUT = RATE // 30
LIMIT = 300


def prepare(folder):
    with wave.open(str(folder / "numbers.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(sounds.numbered(FRAMES).tobytes())


def script():
    lines = [". /rig/library.sh", "drivers; cp /rig/numbers.wav /tmp"]
    for period, periods in SHAPES:
        lines += [
            f"ended woodshed-{period}-{periods} woodshed play /tmp/numbers.wav --output hw:Intel --period {period} --periods {periods} --json; sleep 0.5",
            f"ended aplay-{period}-{periods} aplay -v -D hw:Intel --period-size={period} --buffer-size={period * periods} /tmp/numbers.wav; sleep 0.5",
        ]
    return "\n".join(lines) + "\n"


def runs(folder):
    """Returns the heard pieces of each run, as (first number, frames). Each played frame is its own number, and 0 is
    silence."""
    # Without the header, whose sizes the emulator may not have written.
    data = (folder / "hda.wav").read_bytes()[44:]
    frames = sounds.little_endian(array.array("I", data[: len(data) // 4 * 4]))
    found, place = [], 0
    while place < len(frames):
        first, end = frames[place], place + 1
        while end < len(frames) and frames[end] == (frames[end - 1] + 1 if first else 0):
            end += 1
        if first == 1:
            found.append([])
        if first and found:
            found[-1].append((first, end - place))
        place = end
    return found


def told(folder, program, shape):
    """Returns the number of dropouts that a program has reported."""
    name = f"{program}-{shape[0]}-{shape[1]}"
    if program == "aplay":
        return (folder / f"{name}.err").read_text().count("underrun")
    return (folder / f"{name}.out").read_text().count('"event":"xrun"')


def by_run(folder):
    names = [(program, shape) for shape in SHAPES for program in PROGRAMS]
    found = runs(folder)
    if len(found) != len(names):
        raise ValueError(f"{len(found)} of {len(names)} runs were heard")
    return dict(zip(names, found))


def judge(folder):
    heard = by_run(folder)
    for shape in SHAPES:
        pieces, count = heard["woodshed", shape], told(folder, "woodshed", shape)
        what = f"{shape[0]} x {shape[1]}"
        if shape[0] * shape[1] < 384:
            fault = None if len(pieces) == 1 or count else f"it is heard in {len(pieces)} pieces, and nothing is told"
            yield f"{what}: whole, or told", fault
        else:
            frames = sum(length for _, length in pieces)
            is_whole = len(pieces) == 1 and frames > FRAMES - CUT and not count
            yield f"{what}: heard in one piece", None if is_whole else f"{frames} frames in {len(pieces)} pieces, {count} dropouts told"


def table(folder):
    heard = by_run(folder)
    yield "What the HDA card played of a sound of 1.25 s: pieces that were heard, and dropouts that the program has told of:\n"
    yield "| period x periods | woodshed | aplay |"
    yield "| --- | --- | --- |"
    for shape in SHAPES:
        texts = [f"{len(heard[program, shape])}, {told(folder, program, shape)} told" for program in PROGRAMS]
        yield f"| {shape[0]} x {shape[1]} | {' | '.join(texts)} |"
