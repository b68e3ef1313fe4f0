"""Measures pitch trackers on the files of sounds.py: librosa's pYIN, praat (parselmouth), aubio (libaubio.so.5), and
ours.

  python3 sounds.py FOLDER
  CompareBenchmark --track 50 1200 FOLDER/voice_*.f32; CompareBenchmark --track 40 2100 FOLDER/inst_*.f32
  python3 compare.py FOLDER

Ours writes FILE.ours beside each file. g50 and g20 are shares of the values that both have a pitch, farther apart than
50 cents or 20 %; wrong50 is the share of all judged values with a wrong pitch, or a wrong decision whether there is
one. aubio's values are moved in time as suits it best. Needs numpy, librosa and praat-parselmouth.
"""

import glob
import os
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import librosa
import parselmouth


def score(est, truth):
    """est: F0 per 10 ms, 0 unvoiced. Returns counts."""
    n = min(len(est), len(truth))
    e = np.asarray(est[:n], float)
    t = truth[:n]
    j = t >= 0
    tv = j & (t > 0)
    tu = j & (t == 0)
    ev = e > 0
    both = tv & ev
    c = 1200 * np.abs(np.log2(np.where(both, e, 1) / np.where(both, t, 1)))
    g50 = both & (c > 50)
    g20 = both & (np.abs(e / np.where(t > 0, t, 1) - 1) > 0.2)
    return dict(
        judged=j.sum(),
        voiced=tv.sum(),
        unvoiced=tu.sum(),
        both=both.sum(),
        g50=g50.sum(),
        g20=g20.sum(),
        miss=(tv & ~ev).sum(),
        false=(tu & ev).sum(),
        cents=c[both & ~g50],
    )


def add(rows):
    s = {k: sum(r[k] for r in rows) for k in ("judged", "voiced", "unvoiced", "both", "g50", "g20", "miss", "false")}
    c = np.concatenate([r["cents"] for r in rows])
    s["fine"] = np.median(c) if len(c) else np.nan
    return s


def line(name, s):
    p = lambda a, b: 100 * a / max(1, b)
    return f"{name:34s} g50 {p(s['g50'],s['both']):6.2f}%  g20 {p(s['g20'],s['both']):6.2f}%  missed {p(s['miss'],s['voiced']):6.2f}%  false {p(s['false'],s['unvoiced']):6.2f}%  wrong50 {p(s['g50']+s['miss']+s['false'],s['judged']):6.2f}%  fine {s['fine']:5.2f} ct"


SR = 44100
D = sys.argv[1]
names = sorted(os.path.basename(p)[:-6] for p in glob.glob(D + "/*.truth"))
import ctypes

A = ctypes.CDLL("libaubio.so.5")
for f in ("new_aubio_pitch", "new_fvec"):
    getattr(A, f).restype = ctypes.c_void_p
A.aubio_pitch_get_confidence.restype = ctypes.c_float


class FV(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint), ("data", ctypes.POINTER(ctypes.c_float))]


def aubio(x, method, lo, hi, conf, buf=4096):
    hop = 441
    p = A.new_aubio_pitch(method.encode(), buf, hop, SR)
    A.aubio_pitch_set_unit(ctypes.c_void_p(p), b"Hz")
    A.aubio_pitch_set_silence(ctypes.c_void_p(p), ctypes.c_float(-50))
    i = A.new_fvec(hop)
    o = A.new_fvec(1)
    iv = ctypes.cast(i, ctypes.POINTER(FV)).contents
    ov = ctypes.cast(o, ctypes.POINTER(FV)).contents
    x = np.pad(x, (0, buf))
    out = []
    cf = []
    for k in range(len(x) // hop):
        b = np.ascontiguousarray(x[k * hop : (k + 1) * hop], np.float32)
        ctypes.memmove(iv.data, b.ctypes.data, hop * 4)
        A.aubio_pitch_do(ctypes.c_void_p(p), ctypes.c_void_p(i), ctypes.c_void_p(o))
        out.append(ov.data[0])
        cf.append(A.aubio_pitch_get_confidence(ctypes.c_void_p(p)))
    A.del_aubio_pitch(ctypes.c_void_p(p))
    out = np.array(out)
    cf = np.array(cf)
    out = np.where((out >= lo) & (out <= hi) & (cf >= conf), out, 0)
    return out


def shifted(est, truth):
    # the shift is the analysis window's; the best for the peer
    best = None
    for s in range(0, 9):
        r = score(est[s:], truth)
        q = r["g50"] + r["miss"] + r["false"]
        if best is None or q < best[0]:
            best = (q, r)
    return best[1]


def run(cond):
    rows = {}
    tm = {}
    for n in names:
        x = np.fromfile(f"{D}/{n}.{cond}.f32", "<f4")
        truth = np.fromfile(f"{D}/{n}.truth", "<f4")
        lo, hi = (50, 1200) if n.startswith("voice") else (40, 2100)
        g = n.split("_")[0]

        def put(k, r, t):
            rows.setdefault((k, g), []).append(r)
            rows.setdefault((k, "all"), []).append(r)
            tm[k] = tm.get(k, 0) + t

        e = f"{D}/{n}.{cond}.f32.ours"
        if os.path.exists(e):
            put("woodshed", score(np.fromfile(e, "<f4"), truth), 0)
        t0 = time.process_time()
        f, v, _ = librosa.pyin(x, fmin=lo, fmax=hi, sr=SR, hop_length=441, frame_length=4096)
        put("pyin 4096", score(np.where(v, f, 0), truth), time.process_time() - t0)
        t0 = time.process_time()
        s = parselmouth.Sound(x.astype(float), SR)
        p = s.to_pitch_ac(time_step=0.01, pitch_floor=lo, pitch_ceiling=hi)
        ts = p.xs()
        fr = p.selected_array["frequency"]
        e = np.interp(np.arange(len(truth)) * 0.01, ts, np.arange(len(ts)), left=-1, right=-1)
        q = np.clip(np.round(e).astype(int), 0, len(fr) - 1)
        put("praat ac", score(np.where(e >= 0, fr[q], 0), truth), time.process_time() - t0)
        for m, cf in (("yinfft", -1), ("yinfast", 0.8), ("yinfast", 0.5)):
            for buf in (2048, 4096):
                t0 = time.process_time()
                e = aubio(x, m, lo, hi, cf, buf)
                put(f"aubio {m} {cf} {buf}", shifted(e, truth), time.process_time() - t0)
    for k in rows:
        print(line(f"{cond} {k[0]} {k[1]}", add(rows[k])))
    print({k: round(v, 2) for k, v in tm.items()}, flush=True)


for cond in ("clean", "white10", "pink10"):
    run(cond)
