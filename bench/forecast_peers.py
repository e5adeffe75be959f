#!/usr/bin/env python3
"""Forecasts beside R's package forecast (ets, auto.arima, thetaf) and statsmodels, same series, same run, one thread.

    bench/forecast_peers.py PROGRAM airline                     the last 24 of 144 months from the first 120
    bench/forecast_peers.py PROGRAM TABLE.csv --season 12       a long table "series,index,value,part"
        [--count 100]   so many series, evenly spread over the table
        [--methods instantgp,fast,ets,arima,theta,statsmodels]

Needs Debian's r-cran-forecast and python3-statsmodels for what it compares with; what is missing is left out. Not part of
the tests.
"""
import argparse
import csv
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

AIRLINE = """112 118 132 129 121 135 148 148 136 119 104 118 115 126 141 135 125 149 170 170 158 133 114 140 145 150 178 163
172 178 199 199 184 162 146 166 171 180 193 181 183 218 230 242 209 191 172 194 196 196 236 235 229 243 264 272 237 211 180 201
204 188 235 227 234 264 302 293 259 229 203 229 242 233 267 269 270 315 364 347 312 274 237 278 284 277 317 313 318 374 413 405
355 306 271 306 315 301 356 348 355 422 465 467 404 347 305 336 340 318 362 348 363 435 491 505 404 359 310 337 360 342 406 396
420 472 548 559 463 407 362 405 417 391 419 461 472 535 622 606 508 461 390 432"""


def read_series(path, count):
    series = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            past, future = series.setdefault(row["series"], ([], []))
            (past if row["part"] == "train" else future).append(float(row["value"]))
    names = list(series)
    if count and count < len(names):
        names = [names[i * len(names) // count] for i in range(count)]
    return {name: series[name] for name in names}


def with_program(program, series, season, fast):
    """Medians and 95 percent intervals; times are those the program measures for each series."""
    text = "series,index,value\n"
    found = {}
    for horizon in sorted({len(future) for _, future in series.values()}):
        some = {n: s for n, s in series.items() if len(s[1]) == horizon}
        rows = [f"{n},{t + 1},{y!r}" for n, (past, _) in some.items() for t, y in enumerate(past)]
        command = [program, "forecast", "-", "--by", "series", "--time", "index", "--target", "value", "--horizon",
                   str(horizon), "--season", str(season) if season > 1 else "none", "--threads", "1", "--json", "--quiet"]
        run = subprocess.run(command + (["--fast"] if fast else []), input=text + "\n".join(rows) + "\n", text=True,
                             capture_output=True, check=True)
        for one in json.loads(run.stdout)["series"]:
            steps = [(s["median"], s["lower95"], s["upper95"]) for s in one["forecast"]]
            found[one["key"]["series"]] = (steps, one["ms"])
    return found


def with_r(series, season, methods):
    folder = tempfile.mkdtemp()
    try:
        table, out = os.path.join(folder, "table.csv"), os.path.join(folder, "out.csv")
        with open(table, "w") as file:
            file.write("series,index,value,part\n")
            for name, (past, future) in series.items():
                for t, y in enumerate(past + future):
                    file.write(f"{name},{t + 1},{y!r},{'train' if t < len(past) else 'test'}\n")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forecast_peers.R")
        subprocess.run(["Rscript", script, table, str(season), ",".join(methods), out], check=True)
        found = {method: {} for method in methods}
        with open(out, newline="") as file:
            for row in csv.DictReader(file):
                steps, _ = found[row["method"]].setdefault(row["series"], ([], float(row["ms"])))
                steps.append((float(row["mean"]), float(row["lower95"]), float(row["upper95"])))
        return found
    finally:
        shutil.rmtree(folder)


def with_statsmodels(series, season):
    """State-space exponential smoothing with damped trend and season, the nearest there is to ETS(A,Ad,A)."""
    import warnings

    from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

    found = {}
    for name, (past, future) in series.items():
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = ExponentialSmoothing(past, trend=True, damped_trend=True,
                                             seasonal=season if season > 1 and len(past) > 2 * season else None)
                ahead = model.fit(disp=False, maxiter=200).get_forecast(len(future))
                limits = ahead.conf_int(alpha=0.05)
            steps = list(zip(ahead.predicted_mean, limits[:, 0], limits[:, 1]))
        except Exception as problem:  # a series it cannot do is left out of its row, and counted
            print(f"statsmodels, {name}: {problem}", file=sys.stderr)
            continue
        found[name] = (steps, 1000 * (time.perf_counter() - started))
    return found


def scores(series, season, found):
    smape, mase, coverage, msis, times = [], [], [], [], []
    for name, (steps, ms) in found.items():
        past, future = series[name]
        lag = season if len(past) > season else 1
        scale = statistics.fmean(abs(a - b) for a, b in zip(past[lag:], past)) or 1.0
        pairs = list(zip(future, steps))
        smape.append(statistics.fmean(200 * abs(y - f) / (abs(y) + abs(f)) for y, (f, _, _) in pairs))
        mase.append(statistics.fmean(abs(y - f) for y, (f, _, _) in pairs) / scale)
        coverage.append(statistics.fmean(100.0 * (low <= y <= high) for y, (_, low, high) in pairs))
        msis.append(statistics.fmean(
            (high - low) + 40 * max(low - y, 0) + 40 * max(y - high, 0) for y, (_, low, high) in pairs) / scale)
        times.append(ms)
    return [statistics.fmean(v) for v in (smape, mase, msis, coverage)] + [statistics.median(times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("table")
    parser.add_argument("--season", type=int, default=12)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--methods", default="instantgp,fast,ets,arima,theta,statsmodels")
    arguments = parser.parse_args()
    if arguments.table == "airline":
        values = [float(v) for v in AIRLINE.split()]
        series = {"airline": (values[:120], values[120:])}
    else:
        series = read_series(arguments.table, arguments.count)
    methods = arguments.methods.split(",")
    season, results = arguments.season, {}
    for method in methods:
        if method in ("instantgp", "fast"):
            results[method] = with_program(arguments.program, series, season, method == "fast")
    in_r = [m for m in methods if m in ("ets", "arima", "theta")]
    if in_r and shutil.which("Rscript"):
        results.update(with_r(series, season, in_r))
    if "statsmodels" in methods:
        try:
            results["statsmodels"] = with_statsmodels(series, season)
        except ImportError as problem:
            print(f"without statsmodels: {problem}", file=sys.stderr)
    reference = scores(series, season, results["ets"])[4] if "ets" in results else math.nan
    names = {"instantgp": "instantgp forecast", "fast": "instantgp forecast --fast", "ets": "R ets", "arima": "R auto.arima",
             "theta": "R thetaf", "statsmodels": "statsmodels damped trend + season"}
    print(f"| {len(series)} series | forecast | sMAPE | MASE | MSIS | 95 % coverage | median ms | times faster than ets |")
    print("|---|---|---|---|---|---|---|---|")
    for method in methods:
        if method not in results or not results[method]:
            continue
        s = scores(series, season, results[method])
        print(f"| {names[method]} | {len(results[method])} | {s[0]:.2f} | {s[1]:.3f} | {s[2]:.2f} | {s[3]:.1f} | {s[4]:.1f} "
              f"| {reference / s[4]:.1f} |")


if __name__ == "__main__":
    main()
