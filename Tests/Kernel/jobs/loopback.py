"""Sound played on the kernel's loopback cable arrives at the other end bit for bit, in each format, rate and number
of channels."""
import sounds

# A drained cable moves by 4 ms at a time and loses the rest of every program's sound. So each sound ends with silence,
# and the judge ignores the last period of that silence. The capturing program's old buffer follows once more.
CASES = {
    # name: (format of the cable, rate, channels, bits of the file, options)
    "s16": ("S16_LE", 48000, 2, 16, "--period 1024"),
    "s24-3": ("S24_3LE", 48000, 2, 24, "--period 1024"),
    "s24": ("S24_LE", 48000, 2, 24, "--period 1024"),
    "s32": ("S32_LE", 48000, 2, 24, "--period 1024"),
    "float": ("FLOAT_LE", 48000, 2, 24, "--period 1024"),
    "44100": ("S32_LE", 44100, 2, 16, "--period 1024"),
    "96000": ("S32_LE", 96000, 2, 24, "--period 2048"),
    "192000": ("S32_LE", 192000, 2, 24, "--period 2048 --periods 4"),
    "mono": ("S16_LE", 48000, 1, 16, "--period 1024"),
    "8-channels": ("S32_LE", 48000, 8, 24, "--period 1024"),
}
SECONDS = 1
SILENCE = 0.1
LIMIT = 300


def samples(case):
    _, rate, channels, bits, _ = CASES[case]
    return sounds.sound(rate, SECONDS, channels, bits)


def prepare(folder):
    for case, (_, rate, channels, bits, _) in CASES.items():
        silence = [0] * (int(rate * SILENCE) * channels)
        sounds.write(folder / f"{case}.wav", samples(case) + silence, rate, channels, bits)


def script():
    lines = [". /rig/library.sh", "drivers"]
    for case, (form, rate, channels, _, options) in CASES.items():
        lines += [
            f"arecord -q -D hw:Loopback,1,0 -t raw -f {form} -r {rate} -c {channels} --buffer-size=65536 /tmp/{case} &",
            "until_running Loopback/pcm1c/sub0",
            f"ended {case} woodshed play /rig/{case}.wav --output hw:Loopback,0,0 --json {options}",
            "sleep 0.3",
            "kill -INT %% && wait",
            f"mv /tmp/{case} /rig/{case}.raw",
        ]
    return "\n".join(lines) + "\n"


def judge(folder):
    for case, (form, rate, channels, bits, _) in CASES.items():
        status = (folder / f"{case}.status").read_text().strip()
        if status != "0":
            yield case, f"it ended with {status}: {(folder / f'{case}.err').read_text().strip()}"
            continue
        wanted = sounds.encoded(samples(case), bits, form)
        yield case, sounds.fault(
            (folder / f"{case}.raw").read_bytes(), wanted, len(wanted) // len(samples(case)) * channels,
            quiet=int(rate * SILENCE) - 2048)
