"""Sounds to play, and the search for them in captured sound."""
import array
import math
import pathlib
import random
import struct
import sys
import wave


def sound(rate, seconds, channels=2, bits=16, seed=1):
    """Returns integer samples of `bits` bits, one frame after the other, with no two moments alike."""
    noise, top = random.Random(seed), (1 << bits - 1) - 1
    samples = []
    for frame in range(int(rate * seconds)):
        for channel in range(channels):
            tone = 0.4 * math.sin(2 * math.pi * (220 + 110 * channel) * frame / rate + channel)
            samples.append(int((tone + 0.1 * (noise.random() - 0.5)) * top))
    return samples


def little_endian(values):
    """Converts values to the files' byte order, or back."""
    if sys.byteorder == "big":
        values.byteswap()
    return values


def numbered(count):
    """Returns a sound of two channels of 16 bits in which each frame is its own number, from 1: the numbers show a
    take's losses."""
    return little_endian(array.array("I", range(1, count + 1)))


def pieces(data):
    """Returns the pieces of such a sound, as (first number, frames); 0 is silence."""
    frames, place = little_endian(array.array("I", data[: len(data) // 4 * 4])), 0
    while place < len(frames):
        first, count, block, wanted = frames[place], 0, None, None
        # In parts: a take may have many pieces.
        while block == wanted and place + count < len(frames):
            block = frames[place + count : place + count + 65536]
            wanted = array.array("I", range(first + count, first + count + len(block)) if first else bytes(4 * len(block)))
            count += next((index for index, (one, other) in enumerate(zip(block, wanted)) if one != other), len(block)) if block != wanted else len(block)
        if count < 16 and first and place + count < len(frames):
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
    """Returns rate, channels, bits of a sample and the samples' bytes of a WAV file, or of its bytes; the stated
    sizes must match the file."""
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
    """Returns samples of `bits` bits in an ALSA format with at least as many: widened, never rounded."""
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
    """Returns why the wanted sound is not in a capture, in one piece, after silence and before `quiet` silent
    frames; otherwise None."""
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
    """Returns why a section of a song of 16 bits and two channels, from frame `first` to `last`, does not begin in a
    take at frame `start`; otherwise None."""
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


def tones(rate, seconds, frequencies, bits=16):
    """Returns a tone for each channel, at half of full scale."""
    top = (1 << bits - 1) - 1
    return [int(top / 2 * math.sin(2 * math.pi * frequency * frame / rate)) for frame in range(int(rate * seconds)) for frequency in frequencies]


def tone_fault(samples, rate, seconds, frequencies):
    """Returns why a capture, as values from -1 to 1, lacks a tone of this length in a channel, or has a tone elsewhere;
    otherwise None.

    Every block of a channel must be its tone and nothing else, at half of full scale, and in step with the first block:
    so silence, channels that are swapped or mixed, another frequency, a gap and a doubled block are all found.
    """
    channels, block = len(frequencies), 1024
    start = next((place // channels for place, value in enumerate(samples) if abs(value) > 0.1), None)
    if start is None:
        return "silence"
    # A converter of rates rounds off both ends.
    start, end = start + rate // 50, start + int(rate * (seconds - 0.02))
    if len(samples) // channels < end:
        return f"the capture has {len(samples) // channels} frames, of which {end} are needed"
    for channel, frequency in enumerate(frequencies):
        first = None
        for place in range(start, end - block, block):
            values = samples[place * channels + channel : (place + block) * channels : channels]
            turn = [2 * math.pi * frequency * frame / rate for frame in range(place, place + block)]
            # The best sine: two unknowns, by least squares.
            waves = [(math.sin(angle), math.cos(angle)) for angle in turn]
            ss, cc, sc = (sum(x * x for x, _ in waves), sum(y * y for _, y in waves), sum(x * y for x, y in waves))
            sv, cv = sum(x * v for (x, _), v in zip(waves, values)), sum(y * v for (_, y), v in zip(waves, values))
            a, b = (sv * cc - cv * sc) / (ss * cc - sc * sc), (cv * ss - sv * sc) / (ss * cc - sc * sc)
            rest = math.sqrt(sum((v - a * x - b * y) ** 2 for (x, y), v in zip(waves, values)) / block)
            level, phase = math.hypot(a, b), math.atan2(b, a)
            first = phase if first is None else first
            turned = abs(math.remainder(phase - first, 2 * math.pi))
            if abs(level - 0.5) > 0.005 or rest > 0.0005 or turned > 0.01:
                return (
                    f"channel {channel + 1} at frame {place - start}: level {level:.4f} of its tone, {rest:.5f} of other sound, "
                    f"{turned:.4f} rad out of step"
                )
    return None


def values(data, form):
    """Returns the samples of a capture as values from -1 to 1."""
    width, kind, top = {"S16_LE": (2, "h", 1 << 15), "S32_LE": (4, "i", 1 << 31), "FLOAT_LE": (4, "f", 1)}[form]
    return [value / top for value in struct.unpack(f"<{len(data) // width}{kind}", data[: len(data) // width * width])]


def interrupted_fault(capture, wanted, frame_bytes):
    """Returns why a capture is not the wanted sound with some silence in between, and every frame once; otherwise
    None. Also returns the frames of silence."""
    silence = bytes(frame_bytes)
    frames = [capture[place : place + frame_bytes] for place in range(0, len(capture) - frame_bytes + 1, frame_bytes)]
    begin = next((place for place, frame in enumerate(frames) if frame != silence), None)
    if begin is None:
        return "silence", 0
    place, quiet = begin, 0
    for number in range(0, len(wanted) // frame_bytes):
        frame = wanted[number * frame_bytes : (number + 1) * frame_bytes]
        while place < len(frames) and frames[place] == silence != frame:
            place, quiet = place + 1, quiet + 1
        if place == len(frames) or frames[place] != frame:
            return f"frame {number} of {len(wanted) // frame_bytes} is not the next one that is heard", quiet
        place += 1
    return None, quiet
