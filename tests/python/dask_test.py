"""Forecasts of a Dask frame on two workers, one of them killed in the middle, are those of one process."""
import io
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import pandas as pd

import instantgp
from instantgp import GPForecaster

try:
    import dask.dataframe
    from distributed import Client, LocalCluster
except ImportError:
    dask = None

PROGRAM, PARITY = sys.argv[1:3]
NUMBERS = ["mean", "median", "std", "lower80", "upper80", "lower95", "upper95"]


def shops(count, months=60, noise=1):
    index = pd.date_range("2016-01-01", periods=months, freq="MS").strftime("%Y-%m")
    rng = np.random.default_rng(5)
    parts = []
    for s in range(count):
        season = [8 * math.sin(t * math.pi / 6) for t in range(months)]
        sold = 100 + s + 0.5 * np.arange(months) + season + noise * rng.normal(size=months)
        parts.append(pd.DataFrame({"month": index, "shop": f"S{s:03d}", "sold": sold}))
    lonely = pd.DataFrame({"month": ["2019-01"], "shop": ["lonely"], "sold": [5.0]})
    return pd.concat([*parts, lonely], ignore_index=True)


def in_order(frame):
    return frame.sort_values(["shop", "month"], kind="stable", na_position="last").reset_index(drop=True)


def main_only(test):
    return unittest.skipUnless(dask, "needs python3-dask and python3-distributed")(test)


class DaskTest(unittest.TestCase):
    @main_only
    def test_a_killed_worker_costs_only_its_time(self):
        frame = shops(96)
        # Rows of a series lie in several partitions: sorted by time.
        parts = dask.dataframe.from_pandas(frame.sort_values("month", kind="stable").reset_index(drop=True), npartitions=24)
        forecaster = GPForecaster(horizon=4, by="shop")
        expected = in_order(forecaster.fit(frame).predict())
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
            started = client.run(os.getpid)
            result = GPForecaster(horizon=4, by="shop").fit(parts).predict().persist()
            futures = result.__dask_graph__().values()
            futures = [f for f in futures if hasattr(f, "done")]
            deadline = time.time() + 120
            while sum(f.done() for f in futures) < 3 and time.time() < deadline:
                time.sleep(0.01)
            done = sum(f.done() for f in futures)
            victim = sorted(started.values())[0]
            os.kill(victim, signal.SIGKILL)
            found = in_order(result.compute())
            self.assertGreaterEqual(done, 3)
            self.assertLess(done, len(futures), "the run was over before the worker was killed")
            now = set(client.run(os.getpid).values())
            self.assertNotIn(victim, now)
        self.assertEqual(list(found.columns), list(expected.columns))
        pd.testing.assert_frame_equal(found, expected, check_exact=True)

    @main_only
    def test_backtest_and_mistakes(self):
        frame = shops(4)
        parts = dask.dataframe.from_pandas(frame, npartitions=3)
        with dask.config.set(scheduler="synchronous"):
            forecaster = GPForecaster(horizon=3, by=["shop"], fast=True).fit(parts)
            scores = forecaster.backtest(2).compute().sort_values("shop").reset_index(drop=True)
        expected = GPForecaster(horizon=3, by=["shop"], fast=True).fit(frame).backtest(2).sort_values("shop").reset_index(drop=True)
        pd.testing.assert_frame_equal(scores, expected, check_dtype=False, check_exact=True)
        with self.assertRaises(instantgp.InputError):
            GPForecaster(horizon=3).fit(parts)
        with self.assertRaises(instantgp.InputError):
            forecaster.plot()

    @main_only
    def test_learned_priors_are_the_same_everywhere(self):
        """Learned from a sample that the keys decide: program, Python, and Dask whatever the partitions."""
        frame = shops(40, months=48, noise=30)  # more noise than the library expects
        options = dict(horizon=3, by="shop", fast=True, learn_priors=30)
        python = GPForecaster(**options).fit(frame)
        self.assertIn("series 29\n", python.priors_)  # one of the thirty has a single value
        plain = GPForecaster(horizon=3, by="shop", fast=True).fit(frame).predict()
        self.assertFalse(plain[NUMBERS].equals(python.predict()[NUMBERS]))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shops.csv")
            frame.to_csv(path, index=False)
            command = [PROGRAM, "forecast", path, "--horizon", "3", "--by", "shop", "--fast", "--learn-priors", "30"]
            run = subprocess.run(command, capture_output=True, check=True)
        program = pd.read_csv(io.BytesIO(run.stdout))
        np.testing.assert_allclose(python.predict()[NUMBERS], program[NUMBERS], rtol=1e-9)
        shuffled = frame.sample(frac=1, random_state=1).reset_index(drop=True)
        with dask.config.set(scheduler="synchronous"):
            parts = dask.dataframe.from_pandas(shuffled, npartitions=5)
            spread = GPForecaster(**options).fit(parts).predict().compute()
        pd.testing.assert_frame_equal(in_order(spread), in_order(python.predict()), check_exact=True)
        with self.assertRaisesRegex(Exception, "learned from many series"):
            GPForecaster(horizon=3, learn_priors=6).fit(frame[frame["shop"] == "S000"][["month", "sold"]])

    @main_only
    def test_the_same_numbers_everywhere(self):
        """Program, library, Python and Dask."""
        frame = shops(3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shops.csv")
            frame.to_csv(path, index=False)
            run = subprocess.run([PROGRAM, "forecast", path, "--horizon", "4", "--by", "shop"], capture_output=True, check=True)
        program = pd.read_csv(io.BytesIO(run.stdout))
        python = GPForecaster(horizon=4, by="shop").fit(frame).predict()
        with dask.config.set(scheduler="synchronous"):
            parts = dask.dataframe.from_pandas(frame, npartitions=2)
            spread = GPForecaster(horizon=4, by="shop").fit(parts).predict().compute()
        pd.testing.assert_frame_equal(in_order(spread), in_order(python), check_exact=True)
        np.testing.assert_allclose(python[NUMBERS], program[NUMBERS], rtol=1e-9)
        for shop, rows in frame.groupby("shop"):
            if len(rows) < 2:
                continue
            values = " ".join(repr(v) for v in rows["sold"])
            library = subprocess.run([PARITY, "forecast", "4", "12"], input=values, capture_output=True, text=True, check=True)
            steps = np.array([[float(v) for v in line.split()] for line in library.stdout.splitlines()])
            np.testing.assert_array_equal(steps, python[python["shop"] == shop][NUMBERS].to_numpy())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
