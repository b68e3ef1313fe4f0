"""A server of feeds on loopback, which tells its port, and ends with its standard input."""
import http.server
import math
import struct
import sys
import threading

requests = []
released = threading.Event()
episodes = {"count": 2}


def sound():
    """A second of a tone that no other file has, as WAV."""
    samples = b"".join(struct.pack("<h", int(9000 * math.sin(0.05 * n + n * n * 1e-7))) for n in range(48000))
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack(
        "<IHHIIHH", 16, 1, 1, 48000, 96000, 2, 16) + b"data" + struct.pack("<I", len(samples)) + samples


def feed(count):
    items = "".join(
        f"<item><title>Part {n}</title><guid>g{n}</guid><enclosure url='/sound{n}.mp3' type='audio/mpeg' length='9'/>"
        f"<pubDate>Mon, 0{n} Jan 2024 00:00:00 GMT</pubDate></item>" for n in range(1, count + 1))
    return f"<?xml version='1.0'?><rss version='2.0'><channel><title>The Show</title>{items}</channel></rss>".encode()


def keyed(count):
    """A feed with a private key in each address; without it, all but the first are the same."""
    places = [f"/{'one' if n == 1 else 'get'}.mp3?auth=K{n}" for n in range(1, count + 1)]
    items = "".join(
        f"<item><title>Part {n}</title><guid>k{n}</guid><enclosure url='{place}' type='audio/mpeg' length='9'/></item>"
        for n, place in enumerate(places, 1))
    return f"<?xml version='1.0'?><rss version='2.0'><channel><title>Keyed</title>{items}</channel></rss>".encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def send(self, status, body, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        requests.append(self.path + " " + (self.headers.get("If-None-Match") or "-"))
        if self.path == "/feed":
            tag = f'"v{episodes["count"]}"'
            if self.headers.get("If-None-Match") == tag:
                return self.send(304, b"", ETag=tag)
            return self.send(200, feed(episodes["count"]), ETag=tag)
        if self.path == "/page":
            return self.send(200, b"<!DOCTYPE html><html><head><link rel='alternate' type='application/rss+xml' href='/feed'></head></html>")
        if self.path == "/loop":
            return self.send(200, b"<!DOCTYPE html><html><head><link rel='alternate' type='application/rss+xml' href='/loop'></head></html>")
        if self.path == "/untitled?auth=K3Y":
            return self.send(200, feed(1).replace(b"<title>The Show</title>", b""))
        if self.path == "/keyed":
            return self.send(200, keyed(episodes["count"]))
        if self.path == "/cut":
            # Cut off in the second episode, and whole from the next request on, with the same tag.
            whole = feed(2)
            body = whole if requests.count("/cut -") > 1 else whole[:whole.index(b"sound2")]
            if self.headers.get("If-None-Match") == '"cut"':
                return self.send(304, b"", ETag='"cut"')
            return self.send(200, body, ETag='"cut"')
        if self.path == "/more":
            episodes["count"] += 1
            return self.send(200, b"more")
        if self.path == "/break":
            episodes["count"] = 0
            return self.send(200, b"broken")
        if self.path == "/huge":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                return
        if self.path.split("?")[0] in ("/held.wav", "/unending.wav"):
            # Half of it, and the rest when it is asked for.
            body = sound()
            self.send_response(200)
            if self.path.startswith("/held.wav"):
                self.send_header("Content-Length", str(len(body)))
                self.send_header("ETag", '"held"')
            self.end_headers()
            self.wfile.write(body[:50000])
            self.wfile.flush()
            released.wait(3600)
            self.wfile.write(body[50000:])
            return
        if self.path == "/release":
            released.set()
            return self.send(200, b"released")
        if self.path == "/requests":
            return self.send(200, "\n".join(requests).encode())
        self.send(404, b"none")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
