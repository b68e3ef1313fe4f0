"""Voices and instruments whose pitch is known, at 44.1 kHz, clean and with white and pink noise 10 dB below.

  SEED=0 python3 sounds.py FOLDER

Writes raw 32-bit floats: NAME.CONDITION.f32 are samples, NAME.truth is the pitch every 10 ms in Hz, 0 for none, -1
where it is not judged: within 15 ms of a change, and where a string has decayed by 30 dB but still sounds. Needs numpy
and scipy.
"""

import numpy as np, os, sys

SEED = int(os.environ.get("SEED", "0"))
SR = 44100
OUT = sys.argv[1]


def noise(n, r):
    return r.standard_normal(n)


def pink(n, r):
    X = np.fft.rfft(r.standard_normal(n))
    f = np.arange(len(X))
    f[0] = 1
    return np.fft.irfft(X / np.sqrt(f), n)


def reson(x, f, b):
    from scipy.signal import lfilter

    r = np.exp(-np.pi * b / SR)
    c = 2 * r * np.cos(2 * np.pi * f / SR)
    return lfilter([1 - c + r * r], [1, -c, r * r], x)


VOW = [
    [(730, 90), (1090, 110), (2440, 170), (3500, 250)],
    [(270, 60), (2290, 100), (3010, 170), (3600, 250)],
    [(300, 65), (870, 80), (2240, 140), (3300, 250)],
    [(530, 70), (1840, 100), (2480, 170), (3500, 250)],
    [(570, 70), (840, 90), (2410, 170), (3500, 250)],
]


def harm(f0, amps, phase0=0.0):
    """additive with band limit; amps(h) -> scalar or array"""
    ph = 2 * np.pi * np.cumsum(f0) / SR
    out = np.zeros(len(f0))
    H = int(18000 / np.min(f0[f0 > 0]))
    for h in range(1, min(H, 120) + 1):
        a = amps(h)
        if np.max(np.abs(a)) < 1e-5:
            continue
        out += np.where(h * f0 < 20000, a, 0) * np.sin(h * ph + phase0 * h * h)
    return out


def glottal(f0, r, jit, shim):
    ph = np.cumsum(f0) / SR
    n = len(f0)
    # period wise jitter and shimmer
    k = int(ph[-1]) + 2
    j = 1 + jit * r.standard_normal(k)
    s = 1 + shim * r.standard_normal(k)
    f = f0 * j[np.minimum(ph.astype(int), k - 1)]
    ph = np.cumsum(f) / SR
    i = ph.astype(int)
    p = ph - i
    oq = 0.6
    u = p / oq
    flow = np.where(u < 1, u * u * (1 - u) * 6.75, 0) * s[np.minimum(i, k - 1)]
    d = np.diff(flow, prepend=0) * SR / np.maximum(f, 1) / 8
    return d, f


def voice(base, seed, kind, seconds=4, breath=0.01, jit=0.004):
    seed += SEED
    r = np.random.default_rng(seed)
    n = int(seconds * SR)
    t = np.arange(n) / SR
    semis = np.zeros(n)
    if kind == "speech":
        # declining phrases with accents
        semis = 3 * np.sin(2 * np.pi * 0.55 * t + seed) + 2 * np.sin(2 * np.pi * 1.7 * t + 2 * seed) - 1.5 * (t % 2)
    elif kind == "vibrato":
        steps = np.repeat(r.integers(-5, 6, 8), n // 8 + 1)[:n].astype(float)
        w = int(0.04 * SR)
        steps = np.convolve(np.pad(steps, w, mode="edge"), np.ones(w) / w, "same")[w:-w]
        semis = steps + 0.6 * np.sin(2 * np.pi * 5.6 * t)
    elif kind == "glide":
        semis = 9 * np.sin(2 * np.pi * 0.4 * t + seed)
    elif kind == "creak":
        semis = 2 * np.sin(2 * np.pi * 0.7 * t) - 2 * t / seconds
    f0 = base * 2 ** (semis / 12)
    # trends of jitter are part of the pitch, so truth is the mean frequency of periods
    g, f = glottal(f0, r, jit, 0.05)
    g += breath * noise(n, r)
    x = np.zeros(n)
    seg = int(0.3 * SR)
    order = r.integers(0, 5, n // seg + 2)
    w = np.zeros((5, n))
    for v in range(5):
        m = (order[np.arange(n) // seg] == v).astype(float)
        k = int(0.05 * SR)
        w[v] = np.convolve(m, np.hanning(k) / np.hanning(k).sum(), "same")
    for v in range(5):
        y = g
        for fr, b in VOW[v]:
            y = reson(y, fr * (1.15 if base > 180 else 1), b)
        x += w[v] * y
    x /= np.max(np.abs(x))
    env = np.ones(n)
    voiced = np.ones(n, bool)
    # pauses; half of them with a fricative
    at = 0.7
    fr = np.zeros(n)
    while at < seconds - 0.4:
        d = r.uniform(0.08, 0.25)
        a, b = int(at * SR), int((at + d) * SR)
        voiced[a:b] = False
        if r.random() < 0.6:
            q = np.diff(noise(b - a, r), prepend=0) * np.hanning(b - a)
            fr[a:b] = 0.08 * q
        at += d + r.uniform(0.4, 0.8)
    k = int(0.012 * SR)
    env = np.convolve(voiced.astype(float), np.hanning(k) / np.hanning(k).sum(), "same")
    k2 = int(0.004 * SR)
    return x * env + fr, f0, voiced


def notes(freqs, dur, gap, make, seed):
    r = np.random.default_rng(seed + SEED)
    x = []
    f = []
    v = []
    for fr in freqs:
        n = int(dur * SR)
        y, ff, audible = make(fr, n, r)
        x.append(y)
        f.append(ff)
        v.append(audible)
        g = int(gap * SR)
        if g:
            x.append(np.zeros(g))
            f.append(np.full(g, fr))
            v.append(np.zeros(g, bool))
    return np.concatenate(x), np.concatenate(f), np.concatenate(v)


def pluck(fr, n, r):
    t = np.arange(n) / SR
    x = np.zeros(n)
    B = 2e-4 if fr < 200 else 5e-5
    B = 2e-5
    for h in range(1, int(min(60, 16000 / fr)) + 1):
        fh = h * fr * np.sqrt(1 + B * h * h)
        a = abs(np.sin(np.pi * h * 0.18)) / h**1.2
        x += a * np.exp(-t * (1.2 + fr / 200 + 0.25 * h * h**0.3)) * np.sin(2 * np.pi * fh * t + r.uniform(0, 6.28))
    x *= np.minimum(1, t / 0.002)
    k = int(0.01 * SR)
    x[-k:] *= np.linspace(1, 0, k)
    e = np.exp(-t * (1.2 + fr / 200))
    return x, np.full(n, fr * np.sqrt(1 + B)), e > 0.03


def bowed(fr, n, r):
    t = np.arange(n) / SR
    f = fr * 2 ** (0.25 / 12 * np.sin(2 * np.pi * 5.5 * t) * np.minimum(1, t / 0.3))
    body = (
        lambda q: 0.3
        + np.exp(-(((np.log2(q / 280)) / 0.4) ** 2))
        + 1.3 * np.exp(-(((np.log2(q / 460)) / 0.3) ** 2))
        + np.exp(-(((np.log2(q / 2600)) / 0.7) ** 2))
    )
    x = harm(f, lambda h: body(h * f) / h) + 0.01 * noise(n, r)
    a = np.minimum(1, t / 0.06) * np.minimum(1, (n / SR - t) / 0.04)
    return x * a, f, a > 0.08


def blown(fr, n, r):
    t = np.arange(n) / SR
    f = fr * (1 + 0.004 * np.sin(2 * np.pi * 5 * t))
    amp = {1: 1, 2: 0.35, 3: 0.2, 4: 0.06, 5: 0.03}
    x = harm(f, lambda h: amp.get(h, 0.0)) * (1 + 0.15 * np.sin(2 * np.pi * 5 * t))
    b = noise(n, r)
    b = reson(b, fr, fr * 0.5)
    x += 0.03 * b / np.std(b)
    a = np.minimum(1, t / 0.05) * np.minimum(1, (n / SR - t) / 0.05)
    return x * a, f, a > 0.08


def reed(fr, n, r):
    t = np.arange(n) / SR
    f = np.full(n, fr)
    x = harm(f, lambda h: (1.0 if h % 2 else 0.08) / h**0.9)
    a = np.minimum(1, t / 0.03) * np.minimum(1, (n / SR - t) / 0.03)
    return x * a, f, a > 0.08


def brass(fr, n, r):
    t = np.arange(n) / SR
    f = fr * 2 ** (-0.4 / 12 * np.exp(-t / 0.04))
    x = harm(
        f,
        lambda h: np.exp(-(((h * fr - 700) / 1500) ** 2))
        * (1 if h > 1 else 0.5)
        * np.minimum(1, t / (0.03 + 0.006 * h)),
    )
    a = np.minimum(1, t / 0.03) * np.minimum(1, (n / SR - t) / 0.04)
    return x * a, f, a > 0.08


def missing(fr, n, r):
    t = np.arange(n) / SR
    f = np.full(n, fr)
    x = harm(f, lambda h: 1.0 if 3 <= h <= 9 else 0.0, 0.7)
    a = np.minimum(1, t / 0.02) * np.minimum(1, (n / SR - t) / 0.02)
    return x * a, f, a > 0.08


def sig_chirp(lo, hi, sec):
    n = int(sec * SR)
    t = np.arange(n) / SR
    f = lo * (hi / lo) ** (0.5 - 0.5 * np.cos(2 * np.pi * t / sec))
    return harm(f, lambda h: {1: 1, 2: 0.1}.get(h, 0.0)), f, np.ones(n, bool)


C = {}
for i, (b, k) in enumerate(
    [
        (80, "speech"),
        (95, "glide"),
        (110, "speech"),
        (120, "vibrato"),
        (150, "glide"),
        (190, "speech"),
        (210, "speech"),
        (230, "vibrato"),
        (260, "glide"),
        (330, "vibrato"),
        (300, "speech"),
        (440, "vibrato"),
        (600, "vibrato"),
        (780, "vibrato"),
        (62, "creak"),
        (400, "glide"),
    ]
):
    C[f"voice_{b}_{k}"] = lambda b=b, k=k, i=i: voice(b, 100 + i, k, jit=0.012 if k == "creak" else 0.004)
    if i in (2, 6):
        C[f"voice_{b}_rough"] = lambda b=b, i=i: voice(b, 200 + i, "speech", breath=0.06, jit=0.015)


def mel(base, st):
    return [base * 2 ** (s / 12) for s in st]


M = [0, 4, 7, 12, 5, 9, 2, -1]
C["inst_pluck_bass"] = lambda: notes(mel(41.2, [0, 5, 7, 12, 3, 10, 15, 2]), 0.5, 0, pluck, 1)
C["inst_pluck_guitar"] = lambda: notes(mel(98, [-2, 4, 7, 12, 16, 19, 24, 31]), 0.5, 0, pluck, 2)
C["inst_pluck_high"] = lambda: notes(mel(330, [0, 5, 9, 12, 17, 24, 28, 31]), 0.45, 0.05, pluck, 3)
C["inst_bow_violin"] = lambda: notes(mel(196, [0, 7, 14, 21, 28, 33, 24, 12]), 0.5, 0, bowed, 4)
C["inst_bow_cello"] = lambda: notes(mel(65.4, [0, 7, 14, 21, 12, 3, 19, 26]), 0.5, 0, bowed, 5)
C["inst_bow_e6"] = lambda: notes(mel(1318.5, [0, -3, -7, 4, 7, -12, -5, 8]), 0.5, 0.03, bowed, 6)
C["inst_flute"] = lambda: notes(mel(262, [0, 7, 12, 19, 24, 28, 31, 36]), 0.5, 0.02, blown, 7)
C["inst_clarinet"] = lambda: notes(mel(147, [0, 4, 7, 12, 16, 19, 24, 9]), 0.5, 0.02, reed, 8)
C["inst_trumpet"] = lambda: notes(mel(175, [0, 5, 7, 12, 17, 19, 24, 10]), 0.5, 0.02, brass, 9)
C["inst_tuba"] = lambda: notes(mel(58, [0, 5, 7, 12, 3, 10, 15, 2]), 0.5, 0.02, brass, 10)
C["inst_missing"] = lambda: notes(mel(110, [0, 5, 7, 12, 17, 19, 24, 10]), 0.5, 0.02, missing, 11)
C["inst_octaves_bow"] = lambda: notes([220, 440, 220, 880, 440, 220, 110, 220, 440, 110], 0.4, 0, bowed, 12)
C["inst_octaves_blown"] = lambda: notes([330, 660, 330, 1320, 660, 330, 660, 1320, 330, 660], 0.4, 0, blown, 13)
C["inst_octaves_pluck"] = lambda: notes([55, 110, 55, 220, 110, 55, 110, 220, 440, 110], 0.4, 0, pluck, 14)
C["inst_whistle"] = lambda: sig_chirp(500, 2000, 4)
C["inst_sine_glide"] = lambda: sig_chirp(60, 900, 4)
os.makedirs(OUT, exist_ok=True)
for ci, (name, mk) in enumerate(C.items()):
    x, f, v = mk()
    x = x / np.max(np.abs(x)) * 0.5
    n = len(x)
    # silence round it
    p = int(0.25 * SR)
    x = np.pad(x, p)
    f = np.pad(f, p, mode="edge")
    v = np.pad(v, p)
    n = len(x)
    c = np.arange(0, n, 441)
    half = 221
    truth = np.where(v[c], f[c], 0.0)
    # not judged: within 15 ms of a change of voicing or a jump of pitch; mean over 10 ms for the rest
    ch = np.zeros(n, bool)
    ch[1:] |= v[1:] != v[:-1]
    ch[1:] |= np.abs(np.log2(f[1:] / f[:-1])) > 0.01
    near = np.convolve(ch.astype(float), np.ones(2 * 661 + 1), "same") > 0.5
    truth[near[c]] = -1
    if "pluck" in name:
        # a string that decays below the limit still sounds
        loud = np.convolve(x * x, np.ones(441) / 441, "same") > 1e-8
        truth[(truth == 0) & loud[c]] = -1
    r = np.random.default_rng(999 + ci + SEED)
    pw = np.mean(x[v] ** 2)
    for cond in ["clean", "white10", "pink10"]:
        y = (
            x
            if cond == "clean"
            else x + (lambda q: q / np.std(q) * np.sqrt(pw / 10))(noise(n, r) if cond == "white10" else pink(n, r))
        )
        if cond == "clean":
            y = y + 1e-4 * noise(n, r)
        y.astype("<f4").tofile(f"{OUT}/{name}.{cond}.f32")
    truth.astype("<f4").tofile(f"{OUT}/{name}.truth")
print(len(C))
