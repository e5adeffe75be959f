#!/usr/bin/python3
"""fit + predict of the Python package against scikit-learn's GaussianProcessRegressor on the seven datasets, in one run:
the same rows, the same model (SE with a lengthscale per column, noise), inputs in [0, 1], standardised targets, two
threads each. Prints the table of docs/python-benchmark.md.

    PYTHONPATH=build/release/python bench/python_vs_sklearn.py DIR

Scores are of standardised targets on held-out rows, means over the splits; seconds are the wall clock's of one fit and
prediction, ratios scikit-learn's over ours, by wall clock and by CPU time (which a busy machine disturbs less).
"""
import argparse
import os
import pathlib
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np  # noqa: E402  (the thread counts must be set first)
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel  # noqa: E402

from instantgp import EnsembleGPRegressor, OneShotGPRegressor  # noqa: E402

DATASETS = ["airline", "yacht", "energy", "concrete", "airfoil", "wine", "powerplant"]


class ScikitLearn:
    """The same model and scaling; its own optimiser from its own start."""

    def fit(self, X, y):
        self.low, span = X.min(0), X.max(0) - X.min(0)
        self.span = np.where(span > 0, span, 1)
        kernel = ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel(0.04, (1e-10, 1e2))
        self.gp = GaussianProcessRegressor(kernel, alpha=0.0, normalize_y=True).fit((X - self.low) / self.span, y)
        return self

    def predict(self, X, return_std):
        return self.gp.predict((X - self.low) / self.span, return_std=return_std)


METHODS = {
    "scikit-learn": ScikitLearn,
    "oneshot": lambda: OneShotGPRegressor("SE", threads=2),
    "refine": lambda: OneShotGPRegressor("SE", "refine", threads=2),
    "ml": lambda: OneShotGPRegressor("SE", "ml", threads=2),
    "ensemble of 24": lambda: EnsembleGPRegressor(threads=2),
}


def split(data, most_rows, seed):
    """Four fifths to train on, `most_rows` of them at most; the rest, 1,000 rows at most, to score on."""
    order = np.random.default_rng(seed).permutation(len(data))
    cut = int(0.8 * len(data))
    return data[order[: min(cut, most_rows)]], data[order[cut:][:1000]]


def measure(make, train, test):
    wall, cpu = time.perf_counter(), time.process_time()
    fitted = make().fit(train[:, :-1], train[:, -1])
    mean, std = fitted.predict(test[:, :-1], return_std=True)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    unit, error = train[:, -1].std(), test[:, -1] - mean
    if hasattr(fitted, "log_density"):  # a mixture has its own
        nll = -np.mean(fitted.log_density(test[:, :-1], test[:, -1]))
    else:
        nll = np.mean(0.5 * np.log(2 * np.pi * std**2) + 0.5 * (error / std) ** 2)
    return np.sqrt(np.mean(error**2)) / unit, nll - np.log(unit), wall, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=500, help="most training rows [500]")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--datasets", nargs="*", default=DATASETS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    measure(METHODS["oneshot"], *[np.random.default_rng(0).normal(size=(20, 2))] * 2)  # reads the weights, once
    print("| data | rows | columns | method | RMSE | NLL | seconds | ratio | CPU ratio |\n|---|--:|--:|---|--:|--:|--:|--:|--:|")
    for name in args.datasets:
        data = np.loadtxt(args.data / f"{name}.csv", delimiter=",", skiprows=1)
        parts = [split(data, args.rows, seed) for seed in range(args.splits)]
        figures = {method: np.array([measure(make, *part) for part in parts]) for method, make in METHODS.items()}
        base = figures["scikit-learn"].mean(0)
        for method, rows in figures.items():
            rmse, nll, wall, cpu = rows.mean(0)
            ratio = "1" if method == "scikit-learn" else f"{base[2] / wall:.1f}"
            cpu_ratio = "1" if method == "scikit-learn" else f"{base[3] / cpu:.1f}"
            print(f"| {name} | {len(parts[0][0])} | {data.shape[1] - 1} | {method} | {rmse:.3f} | {nll:.3f} | {wall:.4f} "
                  f"| {ratio} | {cpu_ratio} |", flush=True)


if __name__ == "__main__":
    main()
