#!/usr/bin/python3
"""From a pandas frame to a plot: the airline months, the last two years held out.

    examples/airline.py [airline.svg]
"""
import pathlib
import sys

import pandas as pd

from instantgp import OneShotGPRegressor

frame = pd.read_csv(pathlib.Path(__file__).with_name("airline.csv"))
past, future = frame[:-24], frame[-24:]
gp = OneShotGPRegressor("LIN + SE + SE*PER", method="refine").fit(past[["month"]], past["passengers"])
scores = gp.model_.score(future[["month"]], future["passengers"])
print(f"{gp.kernel}: RMSE {scores['rmse']:.1f}, {100 * scores['coverage95']:.0f}% of the held-out months in the band")
if len(sys.argv) > 1:
    axes = gp.plot(until=144)
    axes.plot(future["month"], future["passengers"], "r.", label="held out")
    axes.legend()
    axes.figure.savefig(sys.argv[1])
