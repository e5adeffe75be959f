#!/usr/bin/env python3
"""Makes the pictures of forecasting.md beside it: docs/forecast_pictures.py PROGRAM"""
import csv
import datetime
import math
import os
import random
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def airline():
    with open(os.path.join(FOLDER, "..", "examples", "airline.csv"), newline="") as file:
        values = [row["passengers"] for row in csv.DictReader(file)]
    return "month,passengers\n" + "".join(f"{1949 + t // 12}-{t % 12 + 1:02d},{y}\n" for t, y in enumerate(values[:120]))


def weeks():
    """Weekly sales with a yearly season and two mistakes."""
    rng, level, text = random.Random(4), 0.0, "week,sold\n"
    for t in range(180):
        level += rng.gauss(0, 0.6)
        sold = 120 + level + 14 * math.sin(2 * math.pi * t / 52.18) + rng.gauss(0, 3)
        sold *= {70: 1.6, 131: 0.5}.get(t, 1)
        text += f"{datetime.date(2021, 1, 4) + datetime.timedelta(weeks=t)},{sold:.1f}\n"
    return text


def hours():
    rng, level, text = random.Random(3), 0.0, "time,visits\n"
    for t in range(24 * 35):
        level += rng.gauss(0, 0.3)
        day = 40 * math.sin(2 * math.pi * (t % 24 - 8) / 24) + 12 * math.sin(4 * math.pi * t / 24)
        visits = 200 + level + day - 35 * (t // 24 % 7 >= 5) + rng.gauss(0, 5)
        text += f"{datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=t):%Y-%m-%dT%H:%M},{visits:.1f}\n"
    return text


def draw(program, name, table, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(table)
        file.flush()
        subprocess.run([program, "forecast", file.name, *options, "--quiet", "--plot", os.path.join(FOLDER, name)],
                       check=True, stdout=subprocess.DEVNULL)


def main():
    program = sys.argv[1]
    draw(program, "forecast-airline.svg", airline(), "--horizon", "24")
    draw(program, "forecast-explain.svg", airline(), "--horizon", "24", "--explain")
    draw(program, "forecast-anomalies.svg", weeks(), "--horizon", "26", "--anomalies")
    draw(program, "forecast-hours.svg", hours(), "--horizon", "168")


if __name__ == "__main__":
    main()
