#!/usr/bin/env python3
"""What a fit by neighbours and its predictions cost, against the number of rows and of columns.

    python3 bench/large_cost.py [--rows 1e4,1e5,1e6] [--columns 2,4,8] [--figure docs/large-cost.svg]

Tables are sums of waves along the columns with noise. Times are of whole commands: CSV to saved model, and 1,000
predictions from that model, reading it included. Recall is the share of the nearest rows that the search finds, as the
fit measures it where its search is approximate.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


def write_table(path, n, d, seed, target):
    random = np.random.RandomState(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join([f"x{k + 1}" for k in range(d)] + (["y"] if target else [])) + "\n")
        for first in range(0, n, 100_000):
            X = random.uniform(size=(min(100_000, n - first), d))
            y = sum(np.sin((20 / (k + 1)) * X[:, k] + k) / (k + 1) for k in range(d)) + 0.1 * random.normal(size=len(X))
            np.savetxt(file, np.column_stack([X, y]) if target else X, delimiter=",", fmt="%.7g")


def measure(program, n, d, folder):
    train, test, model = folder / "train.csv", folder / "test.csv", folder / "model.gp"
    write_table(train, n, d, 1, True)
    write_table(test, 1000, d, 2, False)
    start = time.perf_counter()
    with open(folder / "report.json", "w", encoding="utf-8") as report:
        process = subprocess.Popen([program, "fit", train, "--method", "neighbours", "--model", model, "--quiet",
                                    "--json"], stdout=report)
        _, status, usage = os.wait4(process.pid, 0)
    fit = time.perf_counter() - start
    if status != 0:
        raise RuntimeError(f"fit of {n} rows and {d} columns failed")
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    recall = re.findall(r"it finds ([0-9.]+) percent", " ".join(document["warnings"]))
    start = time.perf_counter()
    subprocess.run([program, "predict", model, test, "--output", folder / "p.csv", "--quiet"], check=True)
    seconds = time.perf_counter() - start
    return fit, usage.ru_maxrss / 1024, seconds, document["neighbours"], recall[0] + " %" if recall else "exact"


def short(value):
    """10k, 3M"""
    for unit, letter in ((1_000_000, "M"), (1000, "k")):
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(Path(__file__).resolve().parent.parent / "build/release/instantgp"))
    parser.add_argument("--rows", default="1e4,1e5,1e6,3e6", help="of tables of two columns")
    parser.add_argument("--columns", default="2,4,8,12,16,24", help="of tables of --fixed-rows rows")
    parser.add_argument("--fixed-rows", default=100_000, type=float)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    by_rows = [(int(float(n)), 2) for n in options.rows.split(",") if n]
    by_columns = [(int(options.fixed_rows), int(d)) for d in options.columns.split(",") if d]
    results = {}
    print("| rows | columns | fit s | predict 1,000 s | memory MiB | neighbours | recall |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for n, d in dict.fromkeys(by_rows + by_columns):
            fit, memory, predict, count, recall = results[n, d] = measure(options.program, n, d, Path(folder))
            print(f"| {n:,} | {d} | {fit:.1f} | {predict:.2f} | {memory:.0f} | {count} | {recall} |", flush=True)
    if options.figure:
        import matplotlib

        matplotlib.use("svg")
        matplotlib.rcParams["svg.hashsalt"] = "instantgp"
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
        for axis, cases, place, label in ((axes[0], by_rows, 0, "rows (two columns)"),
                                          (axes[1], by_columns, 1, f"columns ({int(options.fixed_rows):,} rows)")):
            x = [case[place] for case in cases]
            axis.plot(x, [results[case][0] for case in cases], "o-", label="CSV to saved model")
            axis.plot(x, [results[case][2] for case in cases], "s--", label="1,000 predictions from M neighbours")
            for case in cases:  # how many neighbours were worth it explains the predictions' times
                axis.annotate(f"M={results[case][3]}", (case[place], results[case][2]), textcoords="offset points",
                              xytext=(0, -12), ha="center", fontsize=7)
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_xticks(x, [short(v) for v in x])
            axis.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
            axis.minorticks_off()
            axis.set_ylim(0.02, 100)
            axis.margins(x=0.12)
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        axes[0].set_ylabel("seconds")
        axes[0].legend(frameon=False, loc="upper left")
        figure.tight_layout()
        figure.savefig(options.figure, metadata={"Date": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
