#!/usr/bin/python3
"""Type-2 ML against scikit-learn's GaussianProcessRegressor: the same rows, the same model (ARD-SE and noise), two threads
each, timed in one run. Targets: at least 10 times faster, NLML per point no worse than 1e-3.

    bench/compare_sklearn.py build/release/instantgp energy.csv
"""
import argparse
import csv
import json
import os
import subprocess
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np  # noqa: E402  (the thread counts must be set first)
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel  # noqa: E402


def read(path, rows, seed):
    with open(path, newline="") as f:
        reader = csv.reader(f)
        header = next(reader)
        data = np.array([[float(cell) for cell in row] for row in reader])
    keep = np.sort(np.random.default_rng(seed).permutation(len(data))[:rows])
    return header, data[keep]


def ours(program, header, data):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        writer = csv.writer(f)
        writer.writerow(header)
        writer.writerows([[repr(v) for v in row] for row in data])
        f.flush()
        command = [program, "fit", f.name, "--kernel", "SE", "--method", "ml", "--threads", "2", "--json", "--quiet"]
        start = time.perf_counter()
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        wall = time.perf_counter() - start
    result = json.loads(out)
    return result["time_ms"]["total"] / 1e3, wall, result["nlml_per_point"], result["evaluations"]


def sklearn(data):
    X, y = data[:, :-1], data[:, -1]
    span = X.max(0) - X.min(0)
    X = (X - X.min(0)) / np.where(span > 0, span, 1)
    y = (y - y.mean()) / y.std()
    bounds = (1e-5, 1e5)
    kernel = ConstantKernel(1.0, bounds) * RBF(np.ones(X.shape[1]), bounds) + WhiteKernel(0.04, (1e-10, 1e2))
    model = GaussianProcessRegressor(kernel=kernel, alpha=0.0)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    return seconds, -model.log_marginal_likelihood_value_ / len(y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print("| split | ours s | process s | evaluations | scikit-learn s | ratio | our NLML | their NLML |")
    print("|---|---|---|---|---|---|---|---|")
    ratios, worst = [], -np.inf
    for seed in range(args.repeats):
        header, data = read(args.data, args.rows, seed)
        seconds, wall, nlml, evaluations = ours(args.program, header, data)
        their_seconds, their_nlml = sklearn(data)
        ratios.append(their_seconds / seconds)
        worst = max(worst, nlml - their_nlml)
        print(f"| {seed} | {seconds:.3f} | {wall:.3f} | {evaluations} | {their_seconds:.2f} | {ratios[-1]:.1f} "
              f"| {nlml:.5f} | {their_nlml:.5f} |")
    print(f"\nsmallest ratio {min(ratios):.1f} (target 10), worst NLML difference per point {worst:+.1e} (target 1e-3)")


if __name__ == "__main__":
    main()
