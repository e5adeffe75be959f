#!/usr/bin/env python3
"""Kills the program (SIGKILL) at random moments of its commands, looks at the files, and lets the command go on.

    kill_moments.py PROGRAM COUNT [SEED] [--only NAME,...]

COUNT moments are shared by fit, update, train, evaluate and serve. What must hold is in operations.py. Prints a table;
exit code 1 when data were lost.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import operations

KILLED = [operations.Fit, operations.Update, operations.Train, operations.Evaluate]


def killed_at(operation, folder, seconds):
    """True when it was killed before its end."""
    process = subprocess.Popen([operation.program, *operation.arguments], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def temporaries(folder):
    return [p for p in folder.rglob("*") if ".tmp" in p.name]


def moments_of(operation, count, source, work):
    template = work / "template"
    template.mkdir()
    operation.prepare(template)
    folder = work / "run"
    shutil.copytree(template, folder)
    start = time.monotonic()
    operation.must(operation.arguments, folder)
    seconds = time.monotonic() - start
    operation.clean(folder)
    killed = wrong = left = 0
    for _ in range(count):
        shutil.rmtree(folder)
        shutil.copytree(template, folder)
        killed += killed_at(operation, folder, source.uniform(0, 1.02 * seconds))
        left += bool(temporaries(folder))
        problem = operation.whole(folder) or operation.again(folder)
        if problem:
            wrong += 1
            print(f"  {operation.name}: {problem}")
    return killed, wrong, left


def serve_once(program, source):
    """A server is killed while it works on a request; another must start on the same port and answer."""
    server = subprocess.Popen([program, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    line = server.stdout.readline()
    port = line.split(":")[-1].split("/")[0].split()[0]
    body = json.dumps({"csv": operations.TRAIN_CSV, "kernel": "SE", "method": "ml"}).encode()
    request = subprocess.Popen(["curl", "-s", "-o", os.devnull, "-H", "Content-Type: application/json", "-d", "@-",
                                f"http://127.0.0.1:{port}/v1/fit"], stdin=subprocess.PIPE)
    request.stdin.write(body)
    request.stdin.close()
    time.sleep(source.uniform(0, 0.05))
    server.kill()
    server.wait()
    request.wait()
    again = subprocess.Popen([program, "serve", "--port", port], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        if not again.stdout.readline():
            return "a server cannot start on the port of one that was killed"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
            return "" if answer.status == 200 else "a new server is not well"
    finally:
        again.send_signal(signal.SIGTERM)
        again.wait(20)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--only")]
    only = [a.split("=", 1)[1].split(",") for a in sys.argv[1:] if a.startswith("--only=")]
    program, count = os.path.abspath(arguments[0]), int(arguments[1])
    source = random.Random(int(arguments[2]) if len(arguments) > 2 else 1)
    wanted = only[0] if only else [o.name.split()[0] for o in KILLED] + ["serve"]
    each = max(1, count // len(wanted))
    failures = 0
    for kind in KILLED:
        if kind.name.split()[0] not in wanted:
            continue
        with tempfile.TemporaryDirectory(prefix="instantgp-kill-") as work:
            killed, wrong, left = moments_of(kind(program, work), each, source, pathlib.Path(work))
        print(f"{kind.name:18} {each:5} moments, {killed:5} killed, {left:4} with a temporary file left, {wrong:3} lost data",
              flush=True)
        failures += wrong
    if "serve" in wanted:
        problems = [p for p in (serve_once(program, source) for _ in range(each)) if p]
        print(f"{'serve':18} {each:5} moments, {each:5} killed, {len(problems):3} wrong", flush=True)
        for problem in problems[:5]:
            print("  serve:", problem)
        failures += len(problems)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
