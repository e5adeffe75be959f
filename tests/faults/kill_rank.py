#!/usr/bin/env python3
"""Kills one process of a training run under mpirun: the others must end within 30 seconds with a message, and the run
must go on from its checkpoint, to the weights that an undisturbed run has.

    kill_rank.py PROGRAM [TIMES] [SEED]

Exit code 77 (skipped) where there is no mpirun or the program was built without the MPI module.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import operations

LIMIT = 30
RANKS = 3


def ranks_of(launcher):
    """Process ids of the program's ranks, children of mpirun."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)
            if int(fields[1].split()[1]) == launcher and "instantgp" in fields[0]:
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return found


def start(program, folder, resume=False):
    arguments = ["train", "--out", "run", "--threads", "1", "--quiet"]
    arguments += ["--resume"] if resume else ["--config", "small.json"]
    return subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS), program, *arguments],
                            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                            env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))


def one(program, source, work, expected, budget):
    folder = work / "killed"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "small.json").write_text(json.dumps(budget))
    process = start(program, folder)
    deadline = time.monotonic() + LIMIT
    while not (folder / "run/checkpoint.safetensors").exists():  # in the middle of training, not of starting
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            return f"no checkpoint within {LIMIT} s: {process.stderr.read()[-300:]}", 0
        time.sleep(0.01)
    time.sleep(source.uniform(0, 0.2))
    ranks = ranks_of(process.pid)
    if process.poll() is not None or not ranks:
        return "it ended before a rank could be killed; give it more to do", 0
    os.kill(source.choice(ranks), 9)
    begin = time.monotonic()
    try:
        _, message = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return f"the others still run after {LIMIT} s", LIMIT
    seconds = time.monotonic() - begin
    if process.returncode == 0 or not message.strip():
        return f"ends with {process.returncode} and says '{message.strip()[:100]}'", seconds
    if any(pathlib.Path(f"/proc/{rank}").exists() for rank in ranks):
        time.sleep(1)
        if any(pathlib.Path(f"/proc/{rank}/exe").exists() for rank in ranks):
            return "a rank goes on alone", seconds
    resumed = start(program, folder, resume=True)
    _, message = resumed.communicate(timeout=120)
    if resumed.returncode != 0:
        return f"does not resume: {message[-300:]}", seconds
    same = (folder / "run/last.safetensors").read_bytes() == expected
    return "" if same else "resumed, it comes to other weights", seconds


def main():
    program = os.path.abspath(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    if shutil.which("mpirun") is None:
        print("skipped: no mpirun")
        return 77
    budget = dict(operations.TRAINING, datasets=1600)
    with tempfile.TemporaryDirectory(prefix="instantgp-rank-") as name:
        work = pathlib.Path(name)
        clean = work / "clean"
        clean.mkdir()
        (clean / "small.json").write_text(json.dumps(budget))
        process = start(program, clean)
        _, message = process.communicate(timeout=300)
        if process.returncode != 0 and "MPI" in message:
            print(f"skipped: {message.strip()[:200]}")
            return 77
        assert process.returncode == 0, message
        expected = (clean / "run/last.safetensors").read_bytes()
        wrong, slowest = 0, 0.0
        for _ in range(times):
            problem, seconds = one(program, source, work, expected, budget)
            slowest = max(slowest, seconds)
            if problem:
                wrong += 1
                print(f"  {problem}")
        print(f"{times} times one of {RANKS} ranks killed: the others ended after at most {slowest:.1f} s, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
