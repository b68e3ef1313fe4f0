"""Sounds to play, and the search for them in what was captured."""
import array
import math
import pathlib
import random
import struct
import sys
import wave


def sound(rate, seconds, channels=2, bits=16, seed=1):
    """Whole samples of `bits` bits, one frame after the other, of which no two moments are alike."""
    noise, top = random.Random(seed), (1 << bits - 1) - 1
    samples = []
    for frame in range(int(rate * seconds)):
        for channel in range(channels):
            tone = 0.4 * math.sin(2 * math.pi * (220 + 110 * channel) * frame / rate + channel)
            samples.append(int((tone + 0.1 * (noise.random() - 0.5)) * top))
    return samples


def little_endian(values):
    """Values in the order of bytes that the files have, or back."""
    if sys.byteorder == "big":
        values.byteswap()
    return values


def numbered(count):
    """A sound of two channels of 16 bits in which each frame is its own number, from 1: what a take lacks can be read from it."""
    return little_endian(array.array("I", range(1, count + 1)))


def pieces(data):
    """The pieces of such a sound, as (first number, frames); 0 is silence."""
    frames, place = little_endian(array.array("I", data[: len(data) // 4 * 4])), 0
    while place < len(frames):
        first, count = frames[place], len(frames) - place
        wanted = array.array("I", range(first, first + count) if first else bytes(4 * count))
        if frames[place:] != wanted:
            count = next(index for index in range(count) if frames[place + index] != wanted[index])
            if count < 16 and first:
                raise ValueError(f"other sound than was played, at frame {place}")
        yield first, count
        place += count


def write(path, samples, rate, channels=2, bits=16):
    """Writes a WAV file."""
    width = bits // 8
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(b"".join(sample.to_bytes(width, "little", signed=True) for sample in samples))


def read(path, data=None):
    """Rate, channels, bits of a sample and the samples' bytes of a WAV file, or of its bytes; the sizes in it must be those of the file."""
    data = pathlib.Path(path).read_bytes() if data is None else data
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE" or int.from_bytes(data[4:8], "little") != len(data) - 8:
        raise ValueError(f"{path} is no whole WAV file")
    place, form = 12, None
    while place + 8 <= len(data):
        name, size = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8], "little")
        body = data[place + 8 : place + 8 + size]
        if name == b"fmt ":
            form = struct.unpack("<HHIIHH", body[:16])
        if name == b"data":
            if len(body) != size or form is None:
                break
            return form[2], form[1], form[5], body
        place += 8 + size + size % 2
    raise ValueError(f"{path} has no whole sound in it")


def encoded(samples, bits, form):
    """Samples of `bits` bits in a format of ALSA that has at least as many: they are widened, never rounded."""
    if form == "S16_LE":
        return struct.pack(f"<{len(samples)}h", *(sample >> bits - 16 for sample in samples))
    if form == "S24_3LE":
        return b"".join((sample << 24 - bits).to_bytes(3, "little", signed=True) for sample in samples)
    if form == "S24_LE":
        return struct.pack(f"<{len(samples)}i", *(sample << 24 - bits for sample in samples))
    if form == "S32_LE":
        return struct.pack(f"<{len(samples)}i", *(sample << 32 - bits for sample in samples))
    if form == "FLOAT_LE":
        return little_endian(array.array("f", (sample / (1 << bits - 1) for sample in samples))).tobytes()
    raise ValueError(form)


def fault(capture, wanted, frame_bytes, quiet=0):
    """Why what was wanted is not in a capture, in one piece, after silence and before `quiet` frames of it; None if it is."""
    start = capture.find(wanted[: 64 * frame_bytes])
    while start >= 0 and start % frame_bytes:
        start = capture.find(wanted[: 64 * frame_bytes], start + 1)
    if start < 0:
        return "silence" if not any(capture) else "the beginning of the sound is not there"
    found = capture[start : start + len(wanted)]
    if found != wanted:
        same = next((place for place, (one, other) in enumerate(zip(found, wanted)) if one != other), len(found))
        return f"{same // frame_bytes} of {len(wanted) // frame_bytes} frames are right"
    end = start + len(wanted)
    after = capture[end : end + quiet * frame_bytes]
    if any(capture[:start]) or any(after):
        return "there is other sound around it"
    return None if len(after) == quiet * frame_bytes else "the capture ends too early"


def place_fault(path, start, song, first, last, rate):
    """Why a section of a song of 16 bits and two channels, from frame `first` to `last`, does not begin in a take at frame `start`; None if it does."""
    _, channels, bits, data = read(path)
    frame = channels * bits // 8
    # Without the joints of a loop.
    margin = rate // 20
    wanted = encoded(song[2 * (first + margin) : 2 * (last - margin)], 16, f"S{bits}_3LE" if bits == 24 else f"S{bits}_LE")
    place = data.find(wanted[: 64 * frame])
    found = place // frame - margin
    if place < 0 or data[place : place + len(wanted)] != wanted:
        return "the section is not in it bit for bit"
    return None if found == start else f"the section begins at frame {found}, told: {start}"
