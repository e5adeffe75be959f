#!/usr/bin/env python3
"""Load on `instantgp serve`: fits per second against the library's, slow clients, mixed traffic.

    serve_load.py PROGRAM SERVE_FIT_BENCH        fits of 50 rows and one column with 64 connections (Debian's wrk), against
                                                 one call of the library after the other (the benchmark serve_fit_bench)
    serve_load.py PROGRAM --slow 1000            a healthy client beside so many that never finish their header
    serve_load.py PROGRAM --mixed MINUTES        fits, predictions, searches, broken requests; memory every minute
"""
import http.client
import json
import math
import random
import re
import socket
import statistics
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


def load(program, library):
    alone = float(subprocess.run([library], check=True, capture_output=True, text=True).stdout.split()[0])  # ms
    server = Server(program)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        body = table().replace("\n", "\\n")
        script.write(f'wrk.method = "POST"\nwrk.body = "{body}"\nwrk.headers["Content-Type"] = "text/csv"\n')
        script.flush()
        for keep in ("true", "false"):
            out = subprocess.run(["wrk", "-t1", "-c64", "-d10s", "--latency", "-s", script.name,
                                  f"http://127.0.0.1:{server.port}/v1/fit?kernel=SE&keep={keep}"],
                                 check=True, capture_output=True, text=True).stdout
            rate = float(re.search(r"Requests/sec:\s+(\S+)", out)[1])
            bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
            print(f"keep={keep}: {rate:.0f} fits a second by HTTP with 64 connections, {1000 / alone:.0f} by one library call after the "
                  f"other ({alone:.3f} ms): {100 * rate * alone / 1000:.0f} percent; other answers than 200: {bad[1] if bad else 0}")
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


def mixed(program, minutes):
    server = Server(program, "--models", "64")
    end = time.time() + 60 * minutes
    counts = {}
    lock = threading.Lock()

    def work(seed):
        source = random.Random(seed)
        model = None
        while time.time() < end:
            kind = source.choice(["fit", "fit", "fit", "predict", "search", "broken", "page", "forecast", "ensemble"])
            try:
                if kind == "fit":
                    status, text = server.ask("POST", f"/v1/fit?kernel={source.choice(['SE', 'LIN', 'PER'])}", table(source.randint(5, 200), source.random()))
                    model = json.loads(text).get("model", model)
                elif kind == "predict" and model:
                    status, _ = server.ask("POST", f"/v1/predict?model={model}", "x\n0.5\n0.7\n")
                elif kind == "search":
                    status, _ = server.ask("POST", "/v1/search?depth=1&budget=1", table(40, source.random()))
                elif kind == "broken":
                    status, _ = server.ask("POST", "/v1/fit", table()[: source.randint(0, 300)] + "\x00,", "application/json")
                elif kind == "forecast":
                    status, _ = server.ask("POST", "/v1/forecast?horizon=5&fast=true", table(40, source.random()))
                elif kind == "ensemble":
                    status, _ = server.ask("POST", "/v1/ensemble", table(30, source.random()))
                else:
                    status, _ = server.ask("GET", "/")
            except OSError:
                status = "no answer"
            with lock:
                counts[kind, status] = counts.get((kind, status), 0) + 1

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    while time.time() < end:
        time.sleep(min(60, max(0, end - time.time())) or 1)
        print(f"{time.strftime('%H:%M:%S')} {server.resident():.0f} MiB, {sum(counts.values())} requests", flush=True)
    for thread in threads:
        thread.join()
    print(counts, "exit code", server.stop())


if __name__ == "__main__":
    if len(sys.argv) == 3:
        load(sys.argv[1], sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[2] == "--slow":
        slow(sys.argv[1], int(sys.argv[3]))
    elif len(sys.argv) == 4 and sys.argv[2] == "--mixed":
        mixed(sys.argv[1], float(sys.argv[3]))
    else:
        sys.exit(__doc__)
