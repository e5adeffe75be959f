#!/usr/bin/env python3
"""Load on `instantgp serve`: fits per second against the library's, slow clients, mixed traffic.

    serve_load.py PROGRAM SERVE_FIT_BENCH        fits of 50 rows and one column with 64 connections (Debian's wrk) on all
                                                 threads against calls of the library one at a time; on one and on two
                                                 threads, against calls on as many threads at once
    serve_load.py PROGRAM --slow 1000            a healthy client beside so many that never finish their header
    serve_load.py PROGRAM --mixed MINUTES        requests of every kind, 30 a second; memory in the first and last third
"""
import argparse
import http.client
import json
import math
import random
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time


def table(n=50, seed=1):
    source = random.Random(seed)
    rows = [(i / n, math.sin(9 * i / n) + 0.1 * source.gauss(0, 1)) for i in range(n)]
    return "x,y\n" + "".join(f"{x},{y}\n" for x, y in rows)


class Server:
    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "serve", "--port", "0", "--quiet", *options], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def ask(self, method, path, body=None, kind="text/csv"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, {"Content-Type": kind} if body else {})
        reply = connection.getresponse()
        text = reply.read()
        connection.close()
        return reply.status, text

    def resident(self):
        text = self.ask("GET", "/metrics")[1].decode()
        return float(re.search(r"^process_resident_memory_bytes (\S+)", text, re.MULTILINE)[1]) / 2**20

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def wrk(server, body, seconds):
    """Fits a second by Debian's wrk with 64 connections, and how many answers were none of 200."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        text = body.replace("\n", "\\n")
        script.write(f'wrk.method = "POST"\nwrk.body = "{text}"\nwrk.headers["Content-Type"] = "text/csv"\n')
        script.flush()
        out = subprocess.run(["wrk", "-t1", "-c64", f"-d{seconds}s", "-s", script.name,
                              f"http://127.0.0.1:{server.port}/v1/fit?kernel=SE&keep=false"],
                             check=True, capture_output=True, text=True).stdout
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return float(re.search(r"Requests/sec:\s+(\S+)", out)[1]), int(bad[1]) if bad else 0


def load(program, library, rounds, seconds):
    """The same table, the same build, the same number of threads; the two take turns, as the machine may change its pace."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(table())
        file.flush()
        for threads in (0, 1, 2):
            server = Server(program, *(["--threads", str(threads)] if threads else []))
            wrk(server, table(), 1)
            rates, shares, bad = [], [], 0
            for _ in range(rounds):
                alone = subprocess.run([library, "--file", file.name, "--threads", str(threads), "--seconds", str(seconds)],
                                       check=True, capture_output=True, text=True).stdout
                rate, other = wrk(server, table(), seconds)
                rates.append((rate, float(alone.split()[0])))
                shares.append(100 * rate / rates[-1][1])
                bad += other
            print(f"{f'{threads} threads' if threads else 'all threads, library one call at a time'}: fits a second by HTTP with 64 connections / by library calls: "
                  + ", ".join(f"{a:.0f} / {b:.0f}" for a, b in rates)
                  + f"; median {statistics.median(shares):.0f} percent; other answers than 200: {bad}", flush=True)
            server.stop()


def slow(program, count):
    server = Server(program)
    healthy = lambda: [timed(lambda: server.ask("POST", "/v1/fit", table())) for _ in range(50)]

    def timed(call):
        start = time.perf_counter()
        status, text = call()
        assert status == 200, text
        return 1000 * (time.perf_counter() - start)

    before = healthy()
    sockets = []
    for k in range(count):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.sendall(b"POST /v1/fit HTTP/1.1\r\nHost: 127.0.0.1\r\nX-" if k % 2 else b"G")
        sockets.append(one)
    during = healthy()
    print(f"a fit alone: median {statistics.median(before):.1f} ms, largest {max(before):.1f} ms; beside {count} slow connections: "
          f"median {statistics.median(during):.1f} ms, largest {max(during):.1f} ms")
    time.sleep(12)
    closed = 0
    for one in sockets:
        one.setblocking(False)
        try:
            closed += one.recv(1) == b""
        except BlockingIOError:
            pass
        except OSError:
            closed += 1
    print(f"after 12 s {closed} of {count} slow connections are closed")
    server.stop()


class LivePage:
    """A live page that moves a point of a drawing."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall(b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        self.file = self.socket.makefile("rb")
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def ask(self, message):
        text = json.dumps(message).encode()
        self.socket.sendall(bytes([0x81, 0xfe]) + struct.pack("!H", len(text)) + b"\0\0\0\0" + text)  # of 126 bytes and more
        while True:
            kind, size = self.file.read(2)
            size = struct.unpack("!H", self.file.read(2))[0] if size == 126 else struct.unpack("!Q", self.file.read(8))[0] if size == 127 else size
            body = self.file.read(size)
            if kind & 15 == 1:
                return json.loads(body)

    def close(self):
        self.file.close()
        self.socket.close()


def mixed(program, minutes, rate):
    """Requests of all kinds at a steady rate by two clients; the memory of the server every 30 seconds."""
    server = Server(program, "--models", "64")
    begin = time.time()
    end = begin + 60 * minutes
    counts = {}
    lock = threading.Lock()

    def one(source, model):
        kind = source.choice(["fit", "fit", "fit", "predict", "search", "broken", "page", "forecast", "ensemble", "update", "download", "live"])
        if kind in ("predict", "update", "download") and not model:
            kind = "fit"
        rows = table(source.randint(5, 200), source.random())
        if kind == "fit":
            status, text = server.ask("POST", f"/v1/fit?kernel={source.choice(['SE', 'LIN', 'PER'])}", rows)
            model = json.loads(text).get("model", model)
        elif kind == "predict":
            status, _ = server.ask("POST", f"/v1/predict?model={model}", "x\n0.5\n0.7\n")
        elif kind == "update":
            status, text = server.ask("POST", f"/v1/update?model={model}", "x,y\n1.1,0.3\n")
        elif kind == "download":
            status, _ = server.ask("GET", f"/v1/models/{model}")
        elif kind == "search":
            status, _ = server.ask("POST", "/v1/search?depth=0&refine_top=1&budget=0.1", table(30, source.random()))
        elif kind == "broken":
            status, _ = server.ask("POST", "/v1/fit", rows[: source.randint(0, 300)] + "\x00,", "application/json")
        elif kind == "forecast":
            status, _ = server.ask("POST", "/v1/forecast?horizon=5&fast=true", table(40, source.random()))
        elif kind == "ensemble":
            status, _ = server.ask("POST", "/v1/ensemble", table(30, source.random()))
        elif kind == "live":
            page = LivePage(server.port)
            points = [[k / 10, source.gauss(0, 1)] for k in range(20)]
            for _ in range(3):
                points[3][1] += 0.1
                status = "live" if "kernels" in page.ask({"seq": 1, "points": points, "kernels": ["SE", "PER"]}) else "live problem"
            page.close()
        else:
            status, _ = server.ask("GET", "/")
        return kind, status, model

    def work(seed):
        source, model = random.Random(seed), None
        due = time.time()
        while time.time() < end:
            try:
                kind, status, model = one(source, model)
            except OSError as error:
                kind, status = "any", f"no answer: {error}"
            with lock:
                counts[kind, status] = counts.get((kind, status), 0) + 1
            due = max(due + CLIENTS * source.expovariate(rate), time.time() - 1)
            time.sleep(max(0, due - time.time()))

    CLIENTS = 2
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(CLIENTS)]
    for thread in threads:
        thread.start()
    samples = []
    while time.time() < end:
        time.sleep(min(30, max(0.1, end - time.time())))
        samples.append(((time.time() - begin) / 60, server.resident()))
        print(f"{samples[-1][0]:.1f} min {samples[-1][1]:.1f} MiB, {sum(counts.values())} requests", flush=True)
    for thread in threads:
        thread.join()
    third = minutes / 3
    first = [m for at, m in samples if at <= third]
    last = [m for at, m in samples if at > 2 * third]
    print(f"memory, mean of the first third of the time {statistics.mean(first):.1f} MiB, of the last {statistics.mean(last):.1f} MiB "
          f"(largest {max(m for _, m in samples):.1f})")
    for (kind, status), number in sorted(counts.items(), key=str):
        print(f"  {kind} {status}: {number}")
    print("exit code", server.stop())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("library", nargs="?", help="the program serve_fit_bench")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--slow", type=int, metavar="CONNECTIONS")
    parser.add_argument("--mixed", type=float, metavar="MINUTES")
    parser.add_argument("--rate", type=float, default=30, help="requests a second of the mixed traffic")
    options = parser.parse_args()
    if options.slow:
        slow(options.program, options.slow)
    elif options.mixed:
        mixed(options.program, options.mixed, options.rate)
    elif options.library:
        load(options.program, options.library, options.rounds, options.seconds)
    else:
        parser.error("give the program serve_fit_bench, --slow or --mixed")


if __name__ == "__main__":
    main()
