#!/usr/bin/env python3
"""Sends requests that were mutated: bytes changed, cut out, doubled, put in; the server must go on answering.

    mutate_requests.py PROGRAM [COUNT] [SEED]

Meant for a program built with the sanitizers (make asan), whose reports end it; then this fails. Every answer must be HTTP
with a status below 500 other than 501, 503 or 505. The test suite runs a few thousand.
"""
import concurrent.futures
import json
import random
import socket
import subprocess
import sys
import time

CSV = "x,day,city,y\n1,2024-01-01,Rome,2\n2,2024-01-02,Bonn,3\n3,2024-01-03,Rome,5\n4,2024-01-04,Bonn,4\n5,2024-01-05,Rome,7\n"


def seeds():
    def post(path, body, kind="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n").encode(), body

    plain = "x,y\n1,2\n2,3\n3,5\n4,4\n"
    return [
        post("/v1/fit", {"csv": plain, "kernel": "SE + LIN*PER", "holdout": 0.3, "explain": True, "keep": False}),
        post("/v1/fit", {"csv": CSV, "target": "y", "kernel": "SE(x) + PER(day, period=7)", "missing": "impute", "predict": CSV}),
        post("/v1/fit?kernel=LIN&method=refine&steps=3&seed=4", CSV.encode(), "text/csv"),
        post("/v1/fit", {"columns": {"a": [1, 2, 3, None], "b": ["u", "v", "u", "v"], "y": [1.5, -2e3, 0, 4]}, "categorical": ["b"]}),
        post("/v1/predict", {"model": "0" * 32, "csv": "x\n1\n"}),
        post("/v1/ensemble", {"csv": plain, "kernels": ["SE", "LIN"], "weights_by": "loo"}),
        post("/v1/search?depth=0&refine_top=0&budget=0.2", plain.encode(), "text/csv"),
        post("/v1/forecast", {"csv": CSV, "horizon": 2, "by": ["city"], "time": "day", "level": [50, 90], "season": [7], "fast": True}),
        post("/v1/update", {"model": "f" * 32, "csv": plain, "reinfer": True}),
        post("/v1/table", {"csv": CSV}),
        post("/v1/models", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ", "application/octet-stream"),
        (b"GET /v1/models/0123456789abcdef0123456789abcdef HTTP/1.1\r\nHost: localhost\r\n", b""),
        (b"GET /healthz?a=%41+b HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nAccept-Encoding: gzip\r\n", b""),
        (b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", b""),
    ]


PIECES = [b"\x00", b"\xff", b"\r\n", b"\r\n\r\n", b"%", b"%zz", b"\"", b"{", b"[" * 50, b"}", b",", b"1e999", b"-1", b"NaN", b"null",
          b"9" * 30, b"(" * 20, b"SE*" * 30, b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"Expect: 100-continue\r\n", b"\xf0\x9f\x92\xa9", b"../..", b"&&==", b";"]


def mutate(source, data):
    data = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(data) + 1)
        what = source.randrange(5)
        if what == 0 and data:
            data[at % len(data)] ^= 1 << source.randrange(8)
        elif what == 1:
            del data[at:at + source.randint(1, 12)]
        elif what == 2:
            data[at:at] = data[at:at + source.randint(1, 40)]
        elif what == 3:
            data[at:at] = source.choice(PIECES)
        else:
            data[at:at + 1] = bytes([source.randrange(256)])
    return bytes(data)


def send(port, request, patience=0.3):
    """Status and beginning of the answer. A request that mutation made incomplete ends after so many seconds of silence."""
    text = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(request)
            client.settimeout(patience)
            while len(text) < 1 << 16:
                try:
                    piece = client.recv(65536)
                except TimeoutError:
                    client.settimeout(60)
                    client.shutdown(socket.SHUT_WR)
                    continue
                if not piece:
                    break
                text += piece
    except (ConnectionResetError, BrokenPipeError):
        pass
    return (text[9:12].decode("latin1") if text.startswith(b"HTTP/1.") else "none" if not text else "garbage"), text


def ask(port, request):
    """As above, and every request gets an answer. The end of what a client sends is, for a server that is at work for it, a
    client that goes away, and work may take longer than the silence above: then the request is sent again, with more."""
    for patience in (0.3, 30):
        status, text = send(port, request, patience)
        if status != "none":
            break
    return status, text


def main():
    program = sys.argv[1]
    count, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 3000, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    source, models = random.Random(seed), seeds()
    process = subprocess.Popen([program, "serve", "--port", "0", "--quiet", "--max-seconds", "20"], stdout=subprocess.PIPE, text=True)
    port = int(process.stdout.readline().rsplit(":", 1)[1])
    start = time.time()
    requests = []
    for _ in range(count):
        head, body = source.choice(models)
        in_body = body and source.random() < 0.75
        body = mutate(source, body) if in_body else body
        head = head + (b"Content-Length: %d\r\n" % len(body) if body else b"") + b"Connection: close\r\n\r\n"
        requests.append((head if in_body else mutate(source, head)) + body)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda request: ask(port, request), requests))
    statuses = {}
    for request, (status, text) in zip(requests, answers):
        statuses[status] = statuses.get(status, 0) + 1
        if status in ("garbage", "500", "none"):
            sys.exit(f"{text[:300]!r} was the answer to\n{request!r}")
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert client.recv(15) == b"HTTP/1.1 200 OK", "the server is ill"
    process.terminate()
    code = process.wait(60)
    print(f"{count} mutated requests in {time.time() - start:.0f} s: {dict(sorted(statuses.items()))}; exit code {code}")
    sys.exit(0 if code == 0 and len(statuses) > 3 else 1)


if __name__ == "__main__":
    main()
