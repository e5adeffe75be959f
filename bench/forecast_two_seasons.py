#!/usr/bin/env python3
"""A week ahead of series with two seasons, day and week, beside repeating the last week.

    bench/forecast_two_seasons.py PROGRAM --seed 1 --count 8 --steps 24     simulated loads, steps a day
    bench/forecast_two_seasons.py PROGRAM --table T.csv --steps 48          a table "series,index,value,part"
        [--rows 1000]   give the program only the last rows of each history

Prints the mean absolute error of each series as a part of that of repeating the week, and the 95 percent coverage. Not
part of the tests.
"""
import argparse
import csv
import json
import math
import random
import subprocess


def profile(rng, per):
    """A day as three bumps."""
    bumps = [(rng.uniform(0.2, 0.9), rng.gauss(0, 1), rng.uniform(0.06, 0.2)) for _ in range(3)]

    def at(x):
        far = lambda c: min(abs(x - c), 1 - abs(x - c))
        return sum(a * math.exp(-0.5 * (far(c) / w) ** 2) for c, a, w in bumps)

    return [at(t / per) for t in range(per)]


def simulated(rng, per, weeks=6):
    """Working days and weekends of different shapes, deviations that fade, a slow walk and noise."""
    working, free, mixed, lower = profile(rng, per), profile(rng, per), rng.random(), rng.random()
    fading, size = math.exp(-1 / (per * rng.choice([0.1, 0.5, 2]))), rng.choice([0.1, 0.3, 0.5])
    walking, noise, multiply = rng.choice([0, 0.1, 0.5]) / math.sqrt(7 * per), rng.choice([0.03, 0.15]), rng.random() < 0.5
    values, deviation, level = [], 0.0, 0.0
    for t in range(7 * per * (weeks + 1)):
        place = t % per
        season = working[place] if t // per % 7 < 5 else (1 - mixed) * working[place] + mixed * free[place] - lower
        deviation = fading * deviation + math.sqrt(1 - fading**2) * size * rng.gauss(0, 1)
        level += walking * rng.gauss(0, 1)
        z = season + deviation + level + noise * rng.gauss(0, 1)
        values.append(math.exp(5 + 0.25 * z) if multiply else 100 + 10 * z)
    return values[: 7 * per * weeks], values[7 * per * weeks :]


def read_table(path):
    series = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            past, future = series.setdefault(row["series"], ([], []))
            value = math.nan if row["value"] in ("", "NA") else float(row["value"])
            (past if row["part"] == "train" else future).append(value)
    return series


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--fast", action="store_true")
    arguments = parser.parse_args()
    per, week = arguments.steps, 7 * arguments.steps
    rng = random.Random(arguments.seed)
    series = (read_table(arguments.table) if arguments.table else
              {f"s{k}": simulated(rng, per) for k in range(arguments.count)})
    ratios = []
    for name, (past, future) in series.items():
        rows = "".join(f"{t + 1},{'' if math.isnan(y) else repr(y)}\n"
                       for t, y in enumerate(past) if t >= len(past) - (arguments.rows or len(past)))
        command = [arguments.program, "forecast", "-", "--season", f"{per},{week}", "--horizon", str(len(future)), "--json",
                   "--quiet"] + (["--fast"] if arguments.fast else [])
        run = subprocess.run(command, input="t,y\n" + rows, text=True, capture_output=True, check=True)
        one = json.loads(run.stdout)["series"][0]
        own = repeated = held = compared = 0.0
        for h, (y, step) in enumerate(zip(future, one["forecast"])):
            before = past[len(past) - week + h % week]
            if math.isnan(y) or math.isnan(before):
                continue
            own += abs(y - step["median"])
            repeated += abs(y - before)
            held += step["lower95"] <= y <= step["upper95"]
            compared += 1
        ratios.append(own / repeated)
        print(f"{name}: {own / repeated:.3f} of repeating the week, 95 percent intervals hold {100 * held / compared:.1f}, "
              f"{one['ms']:.0f} ms, {one['structures'][0]['kernel']}", flush=True)
    mean = sum(ratios) / len(ratios)
    print(f"mean {mean:.3f}, geometric {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f} of {len(ratios)} series")


if __name__ == "__main__":
    main()
