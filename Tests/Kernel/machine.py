"""One machine: a kernel under software emulation, with sound cards that nobody hears."""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time

GUEST = pathlib.Path(__file__).resolve().parent / "guest"


@contextlib.contextmanager
def busy(count):
    """Runs the given number of computing programs on this host meanwhile."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


class Machine:
    """Boots, runs a script in the guest, and ends with the script.

    The guest sees `out` as /rig. A line that the guest writes to its second serial port is a request to the machine's
    monitor; the line `wake` gets its answer at once, and wakes the machine two seconds after it has gone to sleep.

    `system`: the name of the guest's image. `counted`: time is counted in instructions. With `counted` false, the guest
    has the host's clock, and a busy host makes xruns; but a machine whose time is counted does not wake from sleep.
    """

    def __init__(self, image, out, counted=True, system="initrd"):
        self.image, self.out, self.counted = pathlib.Path(image), pathlib.Path(out), counted
        self.system = self.image / f"{system}.gz"
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.lock = threading.Lock()

    def run(self, script, limit):
        """Runs a script; returns why the script did not come to its end, or None."""
        if not self.system.exists():
            return f"there is no {self.system.name}; image.sh says why"
        (self.out / "job.sh").write_text(script)
        shutil.copy(GUEST / "library.sh", self.out)
        with open(self.out / "emulator.log", "w") as log:
            emulator = subprocess.Popen(self.arguments(), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            try:
                self.monitor = self.connect("monitor", emulator).makefile("rw")
                self.monitor.readline()
                self.request('{"execute":"qmp_capabilities"}')
                threading.Thread(target=self.serve, args=[self.connect("requests", emulator)], daemon=True).start()
            except OSError:
                return f"the emulator did not start: {(self.out / 'emulator.log').read_text().strip()}"
            if not self.ends(emulator, limit):
                return f"it did not end within {limit} s"
        finally:
            if emulator.poll() is None:
                emulator.kill()
            emulator.wait()
        if not self.has_ended():
            return "the guest did not come to the end of its script"
        return None

    def console(self):
        path = self.out / "console.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def has_ended(self):
        return "init: the job ended" in self.console()

    def ends(self, emulator, limit):
        """Waits for the end. A guest at the end of its script need not be able to switch itself off."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            try:
                emulator.wait(10)
                return True
            except subprocess.TimeoutExpired:
                if self.has_ended():
                    end = min(end, time.monotonic() + 15)
        return self.has_ended()

    def fault(self):
        """Returns the fault of the guest's kernel, or None."""
        lines = [line for line in self.console().splitlines() if any(word in line for word in ("BUG:", "Oops", "RIP: 0010", "Kernel panic"))]
        return " | ".join(lines[:3]) or None

    def arguments(self):
        out = self.out
        sound = f"wav,path={out}/{{0}}.wav,out.frequency=48000,out.format=s16,id={{0}}"
        return [
            "qemu-system-x86_64", "-M", "q35", "-m", "1536M", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-cpu", "max", "-accel", "tcg", "-smp", "1", *(["-icount", "shift=0,sleep=off", "-rtc", "clock=vm"] if self.counted else []),
            "-kernel", f"{self.image}/vmlinuz", "-initrd", f"{self.system}",
            # preempt: the card in user space stands for hardware; no program may hold the card up, and no system call
            # of a program.
            # no_timer_check: with the host's clock, a busy host fails the test of the timer, and the kernel panics.
            "-append", "console=ttyS0 quiet loglevel=4 preempt=full no_timer_check panic=1 random.trust_cpu=on tsc=reliable",
            "-serial", f"file:{out}/console.log", "-serial", f"unix:{out}/requests,server=on,wait=off",
            "-qmp", f"unix:{out}/monitor,server=on,wait=off",
            "-virtfs", f"local,path={out},mount_tag=rig,security_model=none",
            "-audiodev", sound.format("hda"), "-audiodev", sound.format("usb"), "-audiodev", "none,id=quiet",
            "-device", "pcie-root-port,id=port1,slot=1,chassis=1", "-device", "pcie-root-port,id=port2,slot=2,chassis=2",
            "-device", "intel-hda,id=hda0,bus=port1", "-device", "hda-output,audiodev=hda,bus=hda0.0",
            "-device", "intel-hda,id=hda1,bus=port2", "-device", "hda-duplex,audiodev=quiet,bus=hda1.0",
            "-device", "qemu-xhci,id=xhci", "-device", "usb-audio,id=usb0,audiodev=usb,bus=xhci.0",
        ]

    def connect(self, name, emulator):
        for _ in range(200):
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(str(self.out / name))
                return connection
            except OSError:
                if emulator.poll() is not None:
                    raise
                time.sleep(0.05)
        raise OSError(f"no {name}")

    def request(self, text):
        """Sends a request to the monitor and returns the answer. Events before the answer are recorded."""
        with self.lock, open(self.out / "monitor.log", "a") as log:
            log.write(f"> {text}\n")
            self.monitor.write(text + "\n")
            self.monitor.flush()
            for line in self.monitor:
                log.write(line)
                if "event" not in json.loads(line):
                    return line.strip()
        return "the machine has gone"

    def serve(self, requests):
        """Passes on the guest's requests, until the guest has gone."""
        buffer = b""
        while True:
            try:
                data = requests.recv(4096)
            except OSError:
                return
            if not data:
                return
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                if line == b"wake":
                    threading.Thread(target=self.wake, daemon=True).start()
                    requests.sendall(b"{}\n")
                else:
                    requests.sendall((self.request(line.decode()) + "\n").encode())

    def wake(self):
        """Wakes the machine two seconds after its falling asleep."""
        try:
            while '"suspended"' not in self.request('{"execute":"query-status"}'):
                time.sleep(0.5)
            time.sleep(2)
            self.request('{"execute":"system_wakeup"}')
        except OSError:
            pass  # The machine has ended without a sleep; the judge sees that.
