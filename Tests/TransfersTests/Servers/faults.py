#!/usr/bin/env python3
"""An HTTP server on loopback that fails in every way that the tests of Transfers need.

    faults.py [CERTIFICATE KEY]

Prints its port, and with a certificate a second port for TLS, each on a line. Ends when its standard input does. The
path selects a fault, the query its details. `id` names a conversation: what its requests asked for is told by
/requests?id=ID.
"""
import base64
import email.utils
import fcntl
import gzip
import hashlib
import os
import socket
import ssl
import struct
import sys
import termios
import threading
import time
import urllib.parse

ROWS = [bytes((j * 131 + k) & 255 for j in range(256)) for k in range(256)]


def content(version, count):
    """Returns the bytes of a version of a file: any two versions differ at every place."""
    blocks = (count + 255) // 256
    return b"".join(ROWS[(b * 31 + (b >> 8) * 7 + version * 101) & 255] for b in range(blocks))[:count]


lock = threading.Condition()
seen = {}
released = set()


def recording(query, version, count):
    """Returns the requested content: a file of this machine, a WAV of a number of frames, or a number of meaningless
    bytes."""
    if "disk" in query:
        with open(query["disk"], "rb") as file:
            return file.read()
    if "frames" not in query:
        return content(version, count)
    data = content(version, 2 * int(query["frames"]))
    fields = struct.pack("<4sIHHIIHH4sI", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", len(data))
    return struct.pack("<4sI4s", b"RIFF", 4 + len(fields) + len(data), b"WAVE") + fields + data


def date(seconds_ago=0.0, now=None):
    return email.utils.formatdate((time.time() if now is None else now) - seconds_ago, usegmt=True)


class Request:
    def __init__(self, connection, head):
        lines = head.decode("latin-1").split("\r\n")
        self.connection = connection
        self.method, target = lines[0].split(" ")[:2]
        parts = urllib.parse.urlsplit(target)
        self.path = parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields[name.lower()] = value.strip()
        self.id = self.query.get("id", "")
        with lock:
            seen.setdefault(self.id, []).append(self)
            self.count = len(seen[self.id])
            lock.notify_all()

    def number(self, name, default=0):
        return int(self.query.get(name, default))

    @property
    def start(self):
        """Returns the beginning of the requested range; None without a range."""
        text = self.fields.get("range", "")
        return int(text[6:].split("-")[0]) if text.startswith("bytes=") else None

    def send(self, data):
        self.connection.sendall(data)

    def head(self, status, fields):
        lines = [f"HTTP/1.1 {status} X"] + [f"{name}: {value}" for name, value in fields if value is not None]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def answer(self, status, fields, body=b""):
        self.head(status, fields + [("Content-Length", len(body))])
        self.send(body)

    def end(self):
        raise ConnectionAbortedError

    def reset(self):
        """Breaks the connection off once the other side has every byte."""
        while struct.unpack("i", fcntl.ioctl(self.connection, termios.TIOCOUTQ, bytes(4)))[0]:
            time.sleep(0.001)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.end()


def send_slowly(request, body, rate):
    """Sends a number of bytes a second, in pieces of 20 ms."""
    began, sent, piece = time.monotonic(), 0, max(1, rate // 50)
    while sent < len(body):
        request.send(body[sent:sent + piece])
        sent += piece
        time.sleep(max(0.0, sent / rate - (time.monotonic() - began)))


def wait_for(name):
    with lock:
        lock.wait_for(lambda: name in released, timeout=3600)


def honest(request):
    """A file that does not change: strong tag, ranges, If-Range."""
    q = request.query
    count, version = request.number("n", 1000), request.number("v", 1)
    if "portal" in q and request.count == request.number("portal"):
        # Like a network that wants its users to log in.
        request.answer(200, [("Content-Type", "text/html")], b"<!doctype html><title>Log in</title>")
        return
    if "versions" in q:
        version += request.count - 1
    if "shrinks" in q:
        count -= request.count - 1
    body = recording(q, version, count)
    count = len(body)
    tag = q.get("tag", f'"v{version}-{count}"')
    fields = [("ETag", tag or None), ("Accept-Ranges", "bytes"), ("Date", date()), ("Content-Type", q.get("type", "audio/wav"))]
    if "modified" in q:
        fields.append(("Last-Modified", date(int(q["modified"]))))
    if "digest" in q:
        sum_ = hashlib.sha256(body if q["digest"] == "good" else b"").digest()
        name, form = ("Repr-Digest", "sha-256=:%s:") if q.get("form") == "new" else ("Digest", "sha-256=%s")
        fields.append((name, form % base64.b64encode(sum_).decode()))
    if "md5" in q:
        sum_ = hashlib.md5(body if q["md5"] == "good" else b"").digest()
        fields.append(("Content-MD5", base64.b64encode(sum_).decode()))
    if "disposition" in q:
        fields.append(("Content-Disposition", q["disposition"]))
    start, end, status = 0, count, 200
    if request.start is not None and request.fields.get("if-range", tag) == tag and "norange" not in q:
        start, status = request.start, 206
        if start >= count:
            request.answer(416, [("Content-Range", f"bytes */{count}")])
            return
        # A part of the request, with its length.
        end = min(count, start + request.number("slice", count))
        fields.append(("Content-Range", f"bytes {start}-{end - 1}/{'*' if 'star' in q else count}"))
    rest = body[start:end]
    if "chunked" in q:
        rest = rest[:request.number("cut", len(rest))]
        request.head(status, fields + [("Transfer-Encoding", "chunked")])
        for i in range(0, len(rest), 1000):
            piece = rest[i:i + 1000]
            request.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        request.send(b"0\r\n\r\n")
        return
    if "nolength" in q and (status == 200 or "slice" not in q):
        request.head(status, fields + [("Connection", "close")])
        if "cut" in q and request.count <= request.number("cuts", 1):
            rest = rest[:request.number("cut")]
        request.send(rest)
        if "reset" in q:
            request.reset()
        request.end()
    request.head(status, fields + [("Content-Length", len(rest))])
    if "cut" in q and request.count <= request.number("cuts", 1):
        request.send(rest[:request.number("cut")])
        if "reset" in q:
            request.reset()
        request.end()
    if "hold" in q:
        # Sends the file up to a byte, and the rest when released. A client that gives up waiting and resumes the
        # transfer gets no more.
        held = max(0, request.number("hold") - start)
        request.send(rest[:held])
        wait_for(q["gate"])
        if "drop" in q and request.count == 1:
            request.end()
        rest = rest[held:]
    if "rate" in q:
        send_slowly(request, rest, request.number("rate"))
    else:
        request.send(rest)


def lie(request):
    """Cuts the first answer; then the file is another file, and the server lies about that."""
    kind, count, cut = request.query["kind"], request.number("n"), request.number("cut")
    start = request.start
    old, new = content(1, count), content(2, count)
    tag_kinds = {"length", "tag", "offset", "whole", "refused", "multipart", "norange", "silent", "longer", "untagged",
                 "encoded", "shifted", "honest", "star", "shorter", "both"}
    first_tag = '"a"' if kind in tag_kinds else 'W/"a"' if kind == "weak" else None
    age = {"moved": 5000, "fresh": 10, "second": 0, "both": 5000, "dateless": 5000}.get(kind)
    # Both dates of an answer are from one moment, however long the answer takes.
    now = time.time()
    modified = date(age, now) if age is not None else None
    if kind in ("fresh", "second", "moved", "both", "dateless"):
        # The same date in all answers.
        with lock:
            modified = seen.setdefault("date" + request.id, modified)
    validators = [("ETag", first_tag), ("Last-Modified", modified), ("Date", None if kind == "dateless" else date(0, now))]
    if request.count == 1:
        request.head(200, validators + [("Content-Length", count)])
        request.send(old[:cut])
        request.end()
    if kind == "refused" and start is not None:
        request.answer(416, [("Content-Range", f"bytes */{count}")])
        return
    if start is None or kind == "whole":
        request.answer(200, [("ETag", '"b"'), ("Date", date())], new)
        return
    body, total, first = new[start:], count, start
    fields = list(validators)
    if kind == "honest":
        body = old[start:]
    elif kind == "length":
        body, total = content(2, count + 1000)[start:], count + 1000
    elif kind == "shorter":
        total = max(start + 1, count - 1)
        body = new[start:total]
    elif kind == "tag":
        fields[0] = ("ETag", '"b"')
    elif kind in ("moved", "both"):
        fields[1] = ("Last-Modified", date(10))
    elif kind == "untagged":
        fields[0] = ("ETag", None)
    elif kind == "offset":
        first = start + 1
        body = old[first:]
    elif kind == "shifted":
        body = old[start + 1:] + b"x"
    elif kind == "longer":
        body = body + b"more"
    elif kind == "encoded":
        body = gzip.compress(body)
        fields.append(("Content-Encoding", "gzip"))
    if kind == "multipart":
        head = f"--x\r\nContent-Type: audio/wav\r\nContent-Range: bytes {start}-{count - 1}/{count}\r\n\r\n"
        body = head.encode() + body + b"\r\n--x--\r\n"
        fields.append(("Content-Type", "multipart/byteranges; boundary=x"))
    elif kind != "norange":
        fields.append(("Content-Range", f"bytes {first}-{total - 1}/{'*' if kind == 'star' else total}"))
    request.answer(206, fields, body)


def endless_headers(request):
    request.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        request.send(b"X-Filler: " + b"a" * 1000 + b"\r\n")


def drip(request):
    request.head(200, [("ETag", '"d"'), ("Content-Length", 1000000)])
    while True:
        request.send(b"x")
        time.sleep(0.02)


def flaky(request):
    if request.count <= request.number("fails", 2):
        fields = [("Retry-After", request.query["retry"])] if "retry" in request.query else []
        request.answer(request.number("code", 500), fields)
    else:
        honest(request)


def chain(request):
    """Redirects a number of times, each time after a number of milliseconds."""
    left, pause = request.number("n"), request.number("milliseconds")
    time.sleep(pause / 1000)
    redirect(request, f"/chain?n={left - 1}&milliseconds={pause}") if left > 0 else honest(request)


def redirect(request, target, code=302):
    request.answer(code, [("Location", target)], b"moved")


def requests(request):
    with lock:
        lines = [f"{r.fields.get('range', '-')} {r.fields.get('if-range', '-')}" for r in seen.get(request.query["of"], [])]
    request.answer(200, [], "\n".join(lines).encode())


def authorization(request):
    with lock:
        text = seen[request.query["of"]][-1].fields.get("authorization", "")
    request.answer(200, [], text.encode())


def release(request):
    with lock:
        released.add(request.query["gate"])
        lock.notify_all()
    request.answer(200, [])


def wait(request):
    """Answers once a number of requests of a conversation have come."""
    with lock:
        lock.wait_for(lambda: len(seen.get(request.query["of"], [])) >= request.number("count"), timeout=3600)
    requests(request)


def never(request):
    wait_for(request.query.get("gate", "never"))


def late(request):
    wait_for(request.query["gate"])
    honest(request)


def feed(request):
    """A feed with one episode. A feed with a gate answers its first request at once, and the other requests when the
    gate is opened. A feed that drips sends bytes without an end instead."""
    with lock:
        count = len(seen.get(request.query["id"], []))
    if "gate" in request.query and count > 1:
        wait_for(request.query["gate"])
    if "drips" in request.query and count > 1:
        request.head(200, [("Content-Length", 30_000_000)])
        send_slowly(request, bytes(30_000_000), 100_000)
    place = f"http://127.0.0.1/{request.query['id']}-{count}.mp3"
    item = f"<item><title>Episode {count}</title><guid>{place}</guid><enclosure url='{place}' type='audio/mpeg'/></item>"
    text = f"<rss version='2.0'><channel><title>{request.query['title']}</title>{item}</channel></rss>"
    request.answer(200, [("Content-Type", "application/rss+xml")], text.encode())


PATHS = {
    "/file": honest, "/lie": lie, "/headers": endless_headers, "/drip": drip, "/flaky": flaky, "/requests": requests,
    "/release": release, "/authorization": authorization, "/wait": wait, "/never": never, "/late": late, "/feed": feed,
    "/bomb": lambda r: r.answer(200, [("Content-Encoding", "gzip")], gzip.compress(bytes(10_000_000))),
    "/transferbomb": lambda r: r.head(200, [("Transfer-Encoding", "gzip, chunked")]),
    "/circle": lambda r: redirect(r, f"/circle?n={(r.number('n') + 1) % 3}"),
    "/chain": chain,
    "/redirect": lambda r: redirect(r, r.query["to"], r.number("code", 302)),
    "/huge": lambda r: (r.head(200, [("Content-Length", 100_000_000_000)]), r.send(bytes(100_000)), r.end()),
    "/endless": lambda r: (r.head(200, [("Connection", "close")]), send_slowly(r, bytes(50_000_000), 500_000_000)),
    "/status": lambda r: r.answer(r.number("code"), [("Retry-After", r.query.get("retry"))], b"an error page"),
    "/html": lambda r: r.answer(200, [("Content-Type", "text/html; charset=utf-8")], b"<!doctype html><title>No</title>"),
    "/close": lambda r: r.end(),
    "/reset": lambda r: r.reset(),
    "/junk": lambda r: (r.send(b"SSH-2.0-OpenSSH\r\n" * 10), r.end()),
    "/empty": lambda r: r.answer(200, [("ETag", '"e"')]),
}


def serve(connection):
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rest = b""
        while True:
            while b"\r\n\r\n" not in rest:
                if not (data := connection.recv(65536)):
                    return
                rest += data
            head, _, rest = rest.partition(b"\r\n\r\n")
            request = Request(connection, head)
            missing = honest if request.path.startswith("/songs/") else lambda r: r.answer(404, [])
            PATHS.get(request.path, missing)(request)
    except OSError:
        pass
    finally:
        connection.close()


def listen(context, address="127.0.0.1", port=0):
    listener = socket.create_server((address, port), backlog=128)

    def greet(connection):
        try:
            serve(context.wrap_socket(connection, server_side=True) if context else connection)
        except OSError:
            connection.close()

    def accept():
        while True:
            threading.Thread(target=greet, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


plain = listen(None)
others = [listen(None, f"127.0.0.{last}", plain) for last in range(2, 18)]  # servers of other names, on the same port
print(plain, flush=True)
if len(sys.argv) > 2:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[1], sys.argv[2])
    print(listen(tls), flush=True)
sys.stdin.read()
os._exit(0)
