"""GPForecaster: frames in, frames out, the numbers of the program."""
import io
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pandas as pd

import instantgp
from instantgp import GPForecaster

PROGRAM = sys.argv[1]


def shops(count=2, months=48):
    index = pd.period_range("2016-01", periods=months, freq="M").strftime("%Y-%m")
    parts = [
        pd.DataFrame(
            {"month": index, "shop": f"S{s}", "sold": [100 + s + 0.5 * t + 8 * math.sin(t * math.pi / 6) for t in range(months)]}
        )
        for s in range(count)
    ]
    return pd.concat(parts, ignore_index=True)


class ForecastTest(unittest.TestCase):
    def test_long_frame(self):
        frame = pd.concat([shops(), pd.DataFrame({"month": ["2019-01"], "shop": ["lonely"], "sold": [5.0]})])
        found = GPForecaster(horizon=3, by="shop", levels=(50,)).fit(frame).predict()
        self.assertEqual(list(found.columns), ["shop", "month", "mean", "median", "std", "lower50", "upper50", "reason"])
        self.assertEqual(len(found), 7)
        self.assertIn("single value", found["reason"].iloc[-1])
        self.assertTrue((found["lower50"][:6] < found["upper50"][:6]).all())

    def test_series_with_dates(self):
        index = pd.date_range("2016-01-01", periods=48, freq="MS", name="when")
        series = pd.Series(shops(1)["sold"].to_numpy(), index=index, name="sold")
        found = GPForecaster(horizon=2).fit(series).predict()
        self.assertEqual(list(found["when"]), ["2020-01-01", "2020-02-01"])

    def test_same_numbers_as_the_program(self):
        frame = shops()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shops.csv")
            frame.to_csv(path, index=False)
            run = subprocess.run([PROGRAM, "forecast", path, "--horizon", "4", "--by", "shop"], capture_output=True, check=True)
        theirs = pd.read_csv(io.BytesIO(run.stdout))
        ours = GPForecaster(horizon=4, by="shop").fit(frame).predict()
        for name in ["mean", "median", "std", "lower80", "upper95"]:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9)

    def test_backtest_and_parameters(self):
        forecaster = GPForecaster(horizon=3, by=["shop"], season=12, fast=True)
        self.assertEqual(forecaster.set_params(horizon=2).get_params()["horizon"], 2)
        scores = forecaster.fit(shops()).backtest(2)
        self.assertEqual(list(scores["shop"]), ["S0", "S1"])
        self.assertTrue((scores["mase"] < scores["naive_mase"]).all())
        with self.assertRaises(ValueError):
            forecaster.set_params(horizont=2)
        with self.assertRaises(instantgp.InputError):
            GPForecaster().predict()
        with self.assertRaises(instantgp.InputError):
            GPForecaster(season="monthly").fit(shops(1))
        with self.assertRaises(instantgp.InputError):
            GPForecaster(horizon=0).fit(shops(1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
