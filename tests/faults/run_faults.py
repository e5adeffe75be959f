#!/usr/bin/env python3
"""Makes calls of the system fail under the program, one at a time, and looks at what is left.

    run_faults.py PROGRAM SHIM [--quick] [--only NAME,...] [--calls NAME,...]

For every operation (operations.py) and every fault the calls of an undisturbed run are counted; then each of them fails
once (with --quick a few of them). Afterwards: an exit code that is defined, a message unless it went well, no signal, the
old file or the new one and no third, nothing left behind, and the same command goes on. Prints a table; exit code 1 when
anything else happened.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

import operations

FAULTS = [("write", "nospc"), ("write", "io"), ("write", "intr"), ("write", "short"), ("read", "io"), ("read", "intr"),
          ("read", "short"), ("open", "nospc"), ("open", "mfile"), ("open", "intr"), ("fsync", "io"), ("fsync", "nospc"),
          ("fsync", "intr"), ("close", "io"), ("close", "nospc"), ("close", "intr"), ("rename", "io"), ("rename", "nospc"),
          ("link", "io"), ("truncate", "io"),
          ("open", "kill"), ("write", "kill"), ("fsync", "kill"), ("link", "kill"), ("close", "kill"), ("rename", "kill"),
          ("truncate", "kill"), ("malloc", "nomem")]
# A call that was merely interrupted or did less than asked must be repeated, not reported.
HARMLESS = {"intr", "short"}
MOST_MALLOCS = 150  # of a program's hundred thousand; malloc_sweep takes all of its own


def counts_of(path):
    return {name: int(number) for name, number in (line.split() for line in path.read_text().splitlines())}


class Runner:
    def __init__(self, operation, shim, work):
        self.operation, self.shim, self.work = operation, shim, pathlib.Path(work)
        self.template = self.work / "template"
        self.template.mkdir()
        operation.prepare(self.template)
        self.before = {str(p.relative_to(self.template)) for p in self.template.rglob("*") if p.is_file()}
        folder = self.fresh()
        result = self.start(folder, counts=self.work / "counts")
        assert result.returncode == 0, f"{operation.name}: {result.stderr}"
        operation.clean(folder)
        self.counts = counts_of(self.work / "counts")
        try:
            os.close(os.open(self.work, os.O_TMPFILE | os.O_WRONLY))
            self.nameless = True
        except OSError:
            self.nameless = False

    def fresh(self):
        folder = self.work / "run"
        if folder.exists():
            shutil.rmtree(folder)
        shutil.copytree(self.template, folder)
        return folder

    def start(self, folder, fault=None, counts=None):
        environment = dict(os.environ, LD_PRELOAD=self.shim, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        if fault:
            environment["INSTANTGP_FAULT"] = fault
        if counts:
            environment["INSTANTGP_FAULT_COUNTS"] = str(counts)
        return self.operation.run(self.operation.arguments, folder, environment)

    def try_one(self, call, kind, k, later=False):
        """What went wrong, or ''; and whether the program reported the fault."""
        folder = self.fresh()
        result = self.start(folder, f"{call}:{kind}:{k}{'+' if later else ''}")
        code, message = result.returncode, result.stderr.strip()
        if kind == "kill":
            return self.after_kill(call, code, folder), True
        if code not in operations.DEFINED_CODES:
            return f"exit code {code}: {message[-300:]}", True
        if code != 0 and not message:
            return f"exit code {code} without a message", True
        if code != 0 and "internal failure" in message:
            return f"an internal failure: {message[-300:]}", True
        if code != 0 and kind in HARMLESS:
            return f"gives up on {kind}: {message[-300:]}", True
        wrong = self.operation.whole(folder)
        if not wrong:
            strangers = self.operation.strangers(folder, self.before)
            wrong = f"leaves {strangers}" if strangers else ""
        return wrong or self.operation.again(folder), code != 0


    def after_kill(self, call, code, folder):
        if code != -9:
            return f"is not killed, exit code {code}"
        wrong = self.operation.whole(folder)
        # Where files can be without a name, the one that is killed has one for a moment only: when it is whole.
        left = [f for f in self.operation.strangers(folder, self.before) if ".tmp" in f]
        if not wrong and left and self.nameless and call not in ("rename", "close"):
            wrong = f"leaves {left}"
        return wrong or self.operation.again(folder)


def picked(count, most):
    if count <= most:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--calls", default="")
    options = parser.parse_args()
    failures = 0
    for kind_of_operation in operations.ALL:
        if options.only and not any(kind_of_operation.name.startswith(name) for name in options.only.split(",")):
            continue
        with tempfile.TemporaryDirectory(prefix="instantgp-faults-") as work:
            runner = Runner(kind_of_operation(os.path.abspath(options.program), work), os.path.abspath(options.shim), work)
            for call, kind in FAULTS:
                if options.calls and call not in options.calls.split(","):
                    continue
                most = MOST_MALLOCS if call == "malloc" else 400
                if options.quick:
                    most = 2
                tried = reported = wrong = 0
                for k in picked(runner.counts[call], most):
                    # Memory that has run out stays so: every other time all later ones fail too.
                    problem, was_reported = runner.try_one(call, kind, k, later=call == "malloc" and tried % 2 == 1)
                    tried += 1
                    reported += was_reported
                    if problem:
                        wrong += 1
                        print(f"  {kind_of_operation.name}, {call} {k} {kind}: {problem}")
                if tried:
                    print(f"{kind_of_operation.name:18} {call:8} {kind:6} {tried:5} times, {reported:5} reported, {wrong:3} wrong",
                          flush=True)
                failures += wrong
    print(f"{failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
