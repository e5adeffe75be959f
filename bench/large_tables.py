#!/usr/bin/env python3
"""Predictions from neighbours beside what else can be had, on tables of 15,000 rows and more.

    python3 bench/large_tables.py --data DIR [--tables kin40k,protein] [--seeds 1,2,3] [--methods ...] [--out results.csv]

DIR holds CSV files with a header and the target in the last column. Every table is split at random into 64 percent
training, 16 percent that nobody sees (others use it for calibration; we calibrate on training rows left out), and 20
percent test. Scores are of y standardised by the training rows.

Methods: those of the program below; "exact, same parameters", the exact posterior at the parameters that the fit by
neighbours found, made here with NumPy where its matrix fits into half of the memory; and "boosting", scikit-learn's
HistGradientBoostingRegressor, which has no variance of its own.
"""
import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

OURS = {
    "neighbours": ["--method", "neighbours"],
    "neighbours, every lengthscale": ["--method", "neighbours", "--every-lengthscale"],
    "neighbours MAT52": ["--method", "neighbours", "--kernel", "MAT52"],
    "neighbours MAT52, every lengthscale": ["--method", "neighbours", "--every-lengthscale", "--kernel", "MAT52"],
    "exact": ["--method", "oneshot", "--exact"],
    "svgp 512": ["--method", "svgp", "--inducing", "512"],
}


def scores(y, mean, std, y_std):
    r, s = (y - mean) / y_std, np.maximum(std / y_std, 1e-12)
    nll = np.mean(0.5 * np.log(2 * np.pi) + np.log(s) + 0.5 * (r / s) ** 2)
    inside = np.where(np.isfinite(s), np.abs(r) <= 1.959964 * s, np.nan)
    return {"rmse": np.sqrt(np.mean(r**2)), "nll": nll, "coverage95": np.mean(inside)}


def write_csv(path, header, rows):
    np.savetxt(path, rows, delimiter=",", header=",".join(header), comments="", fmt="%.17g")


def run_ours(program, options, train, test, header, threads):
    with tempfile.TemporaryDirectory() as directory:
        paths = [str(Path(directory) / name) for name in ("train.csv", "test.csv", "p.csv", "model.gp")]
        write_csv(paths[0], header, train)
        write_csv(paths[1], header[:-1], test[:, :-1])
        command = [program, "fit", paths[0], "--json", "--quiet", "--threads", str(threads), "--model", paths[3]]
        start = time.perf_counter()
        done = subprocess.run(command + options, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed")
        start = time.perf_counter()
        subprocess.run([program, "predict", paths[3], paths[1], "--output", paths[2], "--quiet"], check=True)
        predict_seconds = time.perf_counter() - start
        predictions = np.genfromtxt(paths[2], delimiter=",", names=True)
        document = json.loads(done.stdout)
        return predictions["mean"], predictions["std"], seconds, predict_seconds, document.get("neighbours", "")


def run_exact(program, train, test, header, threads):
    """The exact posterior at the parameters of the fit by neighbours: kernel SE, in the scale of the model."""
    import os

    import scipy.linalg

    n, m = len(train), len(test)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if 8 * n * (n + m) > memory / 2:
        raise RuntimeError(f"the covariance of {n} rows takes {8 * n * n / 2**30:.1f} GiB")
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "train.csv")
        write_csv(path, header, train)
        command = [program, "fit", path, "--json", "--quiet", "--threads", str(threads)] + OURS["neighbours"]
        document = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    lengthscales, variance = np.ones(train.shape[1] - 1), 1.0
    for parameter in document["parameters"]:
        if parameter["name"] == "lengthscale":
            lengthscales[parameter["dimension"] - 1] = parameter["value"]
        if parameter["name"] == "variance":
            variance *= parameter["value"]
    low, span = train[:, :-1].min(axis=0), np.ptp(train[:, :-1], axis=0)
    span[span == 0] = 1
    y_mean, y_std = train[:, -1].mean(), train[:, -1].std()
    A, B = ((rows[:, :-1] - low) / span / lengthscales for rows in (train, test))

    def covariance(P, Q):
        K = P @ (-2 * Q.T)
        K += (P**2).sum(axis=1)[:, None]
        K += (Q**2).sum(axis=1)
        np.maximum(K, 0, out=K)
        K *= -0.5
        np.exp(K, out=K)
        K *= variance
        return K

    start = time.perf_counter()
    K = covariance(A, A).T  # as LAPACK wants it, without a copy
    K[np.diag_indices(n)] += document["noise_variance"]
    factor, _ = scipy.linalg.lapack.dpotrf(K, lower=1, overwrite_a=1, clean=0)
    alpha = scipy.linalg.cho_solve((factor, True), (train[:, -1] - y_mean) / y_std, check_finite=False)
    fit_seconds = time.perf_counter() - start
    start = time.perf_counter()
    cross = np.asfortranarray(covariance(A, B))
    mean = cross.T @ alpha
    V = scipy.linalg.solve_triangular(factor, cross, lower=True, overwrite_b=True, check_finite=False)
    std = np.sqrt(np.maximum(variance - (V**2).sum(axis=0), 0) + document["noise_variance"])
    return y_mean + y_std * mean, y_std * std, fit_seconds, time.perf_counter() - start, ""


def run_boosting(train, test):
    from sklearn.ensemble import HistGradientBoostingRegressor

    start = time.perf_counter()
    model = HistGradientBoostingRegressor(max_iter=2000, early_stopping=True, random_state=0)
    model.fit(train[:, :-1], train[:, -1])
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    mean = model.predict(test[:, :-1])
    # It has no variance of its own: that of its residuals on the rows it stopped by would be too kind, so none is given.
    return mean, np.full(len(mean), np.nan), seconds, time.perf_counter() - start, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--tables", default="kin40k,protein,elevators,pol")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--methods", default=";".join(["neighbours", "neighbours, every lengthscale", "boosting"]),
                        help="separated by semicolons: " + "; ".join(list(OURS) + ["exact, same parameters", "boosting"]))
    parser.add_argument("--program", default=str(Path(__file__).resolve().parent.parent / "build/release/instantgp"))
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--test-rows", type=int, help="score that many of the test rows only, which spares the exact posterior time")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    fields = ["table", "seed", "method", "n", "d", "rmse", "nll", "coverage95", "fit_s", "predict_s", "neighbours",
              "status"]
    records = []
    for table in options.tables.split(","):
        path = options.data / f"{table}.csv"
        with open(path, encoding="utf-8") as file:
            header = file.readline().strip().split(",")
        rows = np.loadtxt(path, delimiter=",", skiprows=1)
        for seed in map(int, options.seeds.split(",")):
            order = np.random.RandomState(seed).permutation(len(rows))
            n = int(0.64 * len(rows))
            train, test = rows[order[:n]], rows[order[int(0.8 * len(rows)):]][:options.test_rows]
            for method in options.methods.split(";"):
                record = dict(zip(fields, [table, seed, method, n, rows.shape[1] - 1]))
                try:
                    if method == "boosting":
                        mean, std, fit_s, predict_s, count = run_boosting(train, test)
                    elif method == "exact, same parameters":
                        mean, std, fit_s, predict_s, count = run_exact(
                            options.program, train, test, header, options.threads)
                    else:
                        mean, std, fit_s, predict_s, count = run_ours(
                            options.program, OURS[method], train, test, header, options.threads)
                    record.update(scores(test[:, -1], mean, std, train[:, -1].std()))
                    record.update(fit_s=fit_s, predict_s=predict_s, neighbours=count, status="ok")
                except RuntimeError as error:
                    record["status"] = str(error)
                records.append(record)
                text = "  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{v}" for k, v in record.items())
                print(text, flush=True)
    if options.out:
        with open(options.out, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=fields)
            writer.writeheader()
            writer.writerows(records)
    print("\n| table | method | RMSE | NLL | coverage | fit s | predict s |\n|---|---|---|---|---|---|---|")
    for table in options.tables.split(","):
        for method in options.methods.split(";"):
            own = [r for r in records if r["table"] == table and r["method"] == method and r["status"] == "ok"]
            if not own:
                print(f"| {table} | {method} | not run: see above | | | | |")
                continue
            mean = {k: np.mean([r[k] for r in own]) for k in ("rmse", "nll", "coverage95", "fit_s", "predict_s")}
            print(f"| {table} | {method} | {mean['rmse']:.3f} | {mean['nll']:.3f} | {mean['coverage95']:.3f} | "
                  f"{mean['fit_s']:.1f} | {mean['predict_s']:.1f} |")
    print("\nEvery split by itself, lowest and highest coverage:")
    for table in options.tables.split(","):
        for method in options.methods.split(";"):
            own = [r["coverage95"] for r in records
                   if r["table"] == table and r["method"] == method and r["status"] == "ok"]
            if own and np.isfinite(own).all():
                print(f"{table}, {method}: {min(own):.3f} to {max(own):.3f}")
    return 0 if all(r["status"] == "ok" for r in records) else 1


if __name__ == "__main__":
    sys.exit(main())
