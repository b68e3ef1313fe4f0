"""A virtual card that a program under measurement plays to, with the card's real clock, and the configuration that
it needs."""

import ctypes
import time

SECONDS = 10  # that a program has for what it is asked


def configuration(plug_in, rate):
    """The text of a configuration of ALSA in which virtual:NAME is such a card."""
    return (
        f'pcm_type.virtual_card {{ lib "{plug_in}" }}\n'
        f'pcm.virtual {{ @args [ CARD ] @args.CARD {{ type string }} type virtual_card card $CARD\n'
        f'  rates "{rate}" channels_min 2 channels_max 2 }}\n')


class Truth(ctypes.Structure):
    _fields_ = [
        ("is_open", ctypes.c_bool), ("is_running", ctypes.c_bool), ("start_frame", ctypes.c_int64),
        ("device_frame", ctypes.c_int64), ("waiting", ctypes.c_uint32), ("opens", ctypes.c_uint64),
        ("starts", ctypes.c_uint64), ("xruns", ctypes.c_uint64), ("faults", ctypes.c_uint64 * 10),
        ("transferred", ctypes.c_uint64), ("moved", ctypes.c_uint64), ("silent", ctypes.c_uint64),
        ("dropped", ctypes.c_uint64), ("wakes", ctypes.c_uint64), ("idle_wakes", ctypes.c_uint64),
    ]


class Card:
    def __init__(self, library, name):
        self.library = library
        self.name = name.encode()
        library.virtual_card_truth.restype = Truth
        library.virtual_card_heard.restype = ctypes.c_size_t
        self.card = ctypes.c_void_p()

    def wait(self):
        """Waits until the program has made the card by opening it."""
        end = time.monotonic() + SECONDS
        while self.library.virtual_card_attach(ctypes.byref(self.card), self.name) != 0:
            if time.monotonic() > end:
                raise TimeoutError("the card was never opened")
            time.sleep(0.005)

    def truth(self):
        return self.library.virtual_card_truth(self.card, 0)

    def until(self, frames):
        while self.truth().moved < frames:
            time.sleep(0.001)

    def heard(self, first, count):
        """The samples of both channels in frames that were heard, one after another."""
        samples = (ctypes.c_double * (2 * count))()
        self.library.virtual_card_heard(self.card, ctypes.c_int64(first), ctypes.c_size_t(count), 2, samples)
        return samples[:]

    def close(self):
        self.library.virtual_card_detach(self.card)
        self.library.virtual_card_remove(self.name)
