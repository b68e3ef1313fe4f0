#!/usr/bin/env python3
"""Makes the pictures of docs/tutorial.md, the screens of a real session, as SVG; and of them the film of README.md.

    scripts/docs/tutorial-screens.py [WOODSHED]      default: .build/release/woodshed
    scripts/docs/tutorial-screens.py --film          makes the film of the committed pictures; needs no command

It plays a melody made with sox on the null device, in a pseudo-terminal of 80 by 24 characters, presses the keys of the
tutorial and draws what a terminal would show. Times differ a little from run to run. The film is an SVG that moves by
CSS, without a script: the screens of both sessions, four a second; with --film only the four pictures of the tutorial.
"""

import codecs
import fcntl
import html
import itertools
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

COLUMNS, ROWS = 80, 24
CELL_WIDTH, CELL_HEIGHT = 8.4, 18
PLAIN = ("#d8d8d8", False)
# A screen is kept for the film when nothing has arrived for this long, so that no half of a drawing is kept.
SETTLED_SECONDS = 0.015
FRAME_SECONDS = 0.25
STILL_SECONDS = 2.5
STILLS = ["tutorial-first.svg", "tutorial-loop.svg", "tutorial-saved.svg", "tutorial-tomorrow.svg"]
FILM = ("practice-loop.svg", "a loop is set by ear, slowed to 70 % and saved; the next session goes on with it")


class Terminal:
    """As much of a terminal as the command makes use of."""

    def __init__(self):
        self.cells = [[(" ", PLAIN, None)] * COLUMNS for _ in range(ROWS)]
        self.column = self.row = 0
        self.style, self.ground = PLAIN, None
        self.rest = ""

    def clear(self, row, first):
        self.cells[row][first:] = [(" ", PLAIN, None)] * (COLUMNS - first)

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        while text:
            if text[0] == "\x1b":
                found = re.match(r"\x1b\[([0-9;?]*)([A-Za-z])", text)
                if not found:
                    self.rest = text
                    return
                text = text[found.end():]
                self.obey(found.group(1), found.group(2))
                continue
            self.put(text[0])
            text = text[1:]

    def obey(self, parameters, command):
        count = int(parameters) if parameters.isdigit() else 1
        if command == "A":
            self.row = max(0, self.row - count)
        elif command == "K":
            self.clear(self.row, self.column)
        elif command == "J":
            self.clear(self.row, self.column)
            for row in range(self.row + 1, ROWS):
                self.clear(row, 0)
        elif command == "m":
            self.select(parameters)

    def select(self, parameters):
        codes = [int(code or 0) for code in parameters.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.style, self.ground = PLAIN, None
            elif code == 1:
                self.style = (self.style[0], True)
            elif code in (38, 48) and codes[:1] == [2]:
                colour = "#%02x%02x%02x" % tuple(codes[1:4])
                codes = codes[4:]
                if code == 38:
                    self.style = (colour, self.style[1])
                else:
                    self.ground = colour

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == ROWS:
                self.cells = self.cells[1:] + [[(" ", PLAIN, None)] * COLUMNS]
                self.row -= 1
        elif character >= " " and character != "\ufe0e" and self.column < COLUMNS:
            self.cells[self.row][self.column] = (character, self.style, self.ground)
            self.column += 1

    def svg(self, title):
        """The screen as a picture, without the empty rows at its end."""
        rows = max((number for number, row in enumerate(self.cells) if any(cell[0] != " " for cell in row)), default=0) + 1
        lines = head(rows, title)
        for number, row in enumerate(self.cells[:rows]):
            lines += self.blocks(number, row)
            lines += self.words(number, row)
        return "\n".join(lines + ["</g>", "</svg>", ""])

    def rows(self):
        """The elements of each row, all drawn where the first row is."""
        return ["\n".join(self.blocks(0, row) + self.words(0, row)) for row in self.cells]

    # Block characters are drawn as rectangles: fonts leave gaps between them.
    BLOCKS = {"█": (0, 1), "▀": (0, 0.5), "▄": (0.5, 1), "▔": (0, 0.125), "▁": (0.875, 1), "▇": (0.125, 1)}

    def blocks(self, number, row):
        lines, column = [], 0
        for (block, colour, ground), run in itertools.groupby(row, lambda cell: (self.BLOCKS.get(cell[0]), cell[1][0], cell[2])):
            x, y, count = 12 + column * CELL_WIDTH, 12 + number * CELL_HEIGHT, len(list(run))
            if ground:
                lines.append(self.rectangle(x, y, count, 0, 1, ground))
            if block:
                lines.append(self.rectangle(x, y, count, *block, colour))
            column += count
        return lines

    @staticmethod
    def rectangle(x, y, count, top, bottom, colour):
        return (
            f'<rect x="{x:.1f}" y="{y + top * CELL_HEIGHT:.1f}" width="{count * CELL_WIDTH + 0.2:.1f}" '
            f'height="{(bottom - top) * CELL_HEIGHT:.1f}" fill="{colour}"/>'
        )

    def words(self, number, row):
        lines = []
        text = "".join(" " if cell[0] in self.BLOCKS else cell[0] for cell in row)
        for found in re.finditer(r"\S+(?: \S+)*", text):
            colour, bold = row[found.start()][1]
            weight = ' font-weight="bold"' if bold else ""
            lines.append(
                f'<text x="{12 + found.start() * CELL_WIDTH:.1f}" y="{12 + number * CELL_HEIGHT + 13.5:.1f}" '
                f'fill="{colour}"{weight} textLength="{len(found.group()) * CELL_WIDTH:.1f}">{html.escape(found.group())}</text>'
            )
        return lines


def head(rows, title):
    """The beginning of a picture with so many rows."""
    width, height = COLUMNS * CELL_WIDTH + 24, rows * CELL_HEIGHT + 24
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#1b1d23"/>',
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ]


def still(path):
    """The rows of a picture that this tool has written, each drawn where the first row is."""
    rows = [[] for _ in range(ROWS)]
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r'<(?:rect|text) x="[\d.]+" y="([\d.]+)"', line)
            if found:
                y = float(found.group(1))
                number = int((y - 12) / CELL_HEIGHT)
                rows[number].append(line[:found.start(1)] + f"{y - number * CELL_HEIGHT:.1f}" + line[found.end(1):].rstrip())
    return ["\n".join(row) for row in rows]


def film(pictures, title):
    """One picture that moves. Each of the pictures is the second at which it appears, and its rows. A viewer who wants
    no motion sees the last one."""
    begins = [second - pictures[0][0] for second, _ in pictures]
    length = begins[-1] + STILL_SECONDS
    spans = {}
    for (_, rows), begin, end in zip(pictures, begins, [*begins[1:], length]):
        for number, row in enumerate(rows):
            if row:
                times = spans.setdefault((number, row), [])
                if times and times[-1][1] == begin:
                    times[-1] = (times[-1][0], end)
                else:
                    times.append((begin, end))
    names = {row: f"r{number}" for number, row in enumerate(dict.fromkeys(row for _, row in spans))}
    rules, uses = {}, []
    for (number, row), times in spans.items():
        style = ""
        if times != [(0, length)]:
            style = f' class="{rules.setdefault(tuple(times), f"s{len(rules)}")}"'
            style += ' opacity="0"' if times[-1][1] != length else ""
        uses.append(f'<use href="#{names[row]}" y="{number * CELL_HEIGHT}"{style}/>')
    lines = head(max(number for number, _ in spans) + 1, title)
    lines += ["<style>", f"use {{ animation: {length:.2f}s step-end infinite }}"]
    for times, name in rules.items():
        steps = {0: 0} | {second: shown for begin, end in times for second, shown in ((begin, 1), (end, 0)) if second != length}
        frames = " ".join(f"{100 * second / length:.2f}% {{ opacity: {shown} }}" for second, shown in steps.items())
        lines += [f".{name} {{ animation-name: {name} }}", f"@keyframes {name} {{ {frames} }}"]
    lines += ["@media (prefers-reduced-motion: reduce) { use { animation: none !important } }", "</style>", "<defs>"]
    lines += [f'<g id="{name}">\n{row}\n</g>' for row, name in names.items()]
    return "\n".join([*lines, "</defs>", *uses, "</g>", "</svg>", ""])


class Session:
    """A command in a pseudo-terminal."""

    def __init__(self, command, environment):
        self.terminal = Terminal()
        self.pictures = []
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.process, self.master = pty.fork()
        if self.process == 0:
            time.sleep(0.1)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], max(0, min(SETTLED_SECONDS, end - time.monotonic())))
            if not ready:
                self.keep()
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            self.terminal.feed(self.decoder.decode(data))

    def keep(self):
        """Keeps the screen for the film, if it has changed and the last one is old enough."""
        now = time.monotonic()
        if self.pictures and now < self.pictures[-1][0] + FRAME_SECONDS:
            return
        rows = self.terminal.rows()
        if any(rows) and (not self.pictures or rows != self.pictures[-1][1]):
            self.pictures.append((now, rows))

    def press(self, keys, then=0.5):
        os.write(self.master, keys.encode())
        self.wait(then)

    def quit(self):
        self.press("q", 2)
        os.waitpid(self.process, 0)

    def save(self, path, title):
        write(path, self.terminal.svg(title))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def melody(path):
    """Eight plucked notes, three times, with a rest after each time."""
    notes = ["C4", "E4", "G4", "A4", "G4", "E4", "D4", "C4"]
    parts = []
    for note in notes:
        parts.append(f"|sox -n -p synth 0.5 pluck {note} fade 0 0.5 0.05")
    subprocess.run(["sox", *parts, path, "gain", "-n", "-3", "pad", "0", "1", "repeat", "2"], check=True)


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    images = os.path.join(root, "docs", "images")
    if sys.argv[1:] == ["--film"]:
        pictures = [(number * STILL_SECONDS, still(os.path.join(images, name))) for number, name in enumerate(STILLS)]
        write(os.path.join(images, FILM[0]), film(pictures, FILM[1]))
        return
    woodshed = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, ".build/release/woodshed"))
    with tempfile.TemporaryDirectory() as folder:
        melody(os.path.join(folder, "song.wav"))
        os.chdir(folder)
        environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8",
        }
        command = [woodshed, "practice", "song.wav", "--output", "null"]

        first = Session(command, environment)
        first.wait(2.2)
        first.save(os.path.join(images, "tutorial-first.svg"), "practice plays the whole song")
        first.press("a", 2)
        first.press("b", 1.2)
        first.save(os.path.join(images, "tutorial-loop.svg"), "a loop was set with a and b")
        for _ in range(6):
            first.press("[", 0.15)
        first.press("S", 0.3)
        first.press("Solo\r", 1)
        first.save(os.path.join(images, "tutorial-saved.svg"), "the loop plays at 70 % and was saved as Solo")
        first.wait(4)
        first.quit()

        second = Session(command, environment)
        second.wait(1.5)
        second.save(os.path.join(images, "tutorial-tomorrow.svg"), "the next day practice goes on with Solo at 70 %")
        second.wait(2)
        write(os.path.join(images, FILM[0]), film(first.pictures + second.pictures, FILM[1]))
        second.quit()


if __name__ == "__main__":
    main()
