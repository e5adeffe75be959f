"""Partitions on a local cluster of two workers, one of which is killed in the middle."""
import os
import signal
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import pandas as pd

try:
    import dask.dataframe as dd
    import distributed
except ImportError:
    print("skipped: Dask is not installed")
    sys.exit(0)

from instantgp import OneShotGPRegressor, partitions


def rows(n, seed):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.uniform(size=(n, 2)), columns=["a", "b"])
    frame["y"] = np.sin(9 * frame["a"]) * frame["b"] + 0.05 * random.normal(size=n)
    return frame


class Slow(OneShotGPRegressor):
    """Leaves time to kill a worker; says which process worked."""

    def predict(self, X, *arguments, **options):
        time.sleep(0.15)
        with open(os.path.join(os.environ["PARTITIONS_SEEN"], str(os.getpid())), "a", encoding="utf-8") as seen:
            seen.write("x")
        return super().predict(X, *arguments, **options)


class PartitionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.seen = tempfile.TemporaryDirectory()
        os.environ["PARTITIONS_SEEN"] = cls.seen.name
        here = os.path.dirname(os.path.abspath(__file__))
        os.environ["PYTHONPATH"] = here + os.pathsep + os.environ.get("PYTHONPATH", "")
        cls.cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0)
        cls.client = distributed.Client(cls.cluster)
        train = rows(800, 1)
        cls.gp = OneShotGPRegressor("SE", "neighbours", neighbours=32).fit(train[["a", "b"]], train["y"])
        cls.table = rows(600, 2)
        cls.frame = dd.from_pandas(cls.table, npartitions=24)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()
        cls.seen.cleanup()

    def test_predictions_are_those_of_one_process(self):
        predicted = partitions.predict(self.gp, self.frame).compute()
        mean, std = self.gp.predict(self.table[["a", "b"]], return_std=True)
        self.assertEqual(list(predicted.columns), ["mean", "std", "lower95", "upper95"])
        np.testing.assert_array_equal(predicted.index, self.table.index)
        np.testing.assert_array_equal(predicted["mean"], mean)
        np.testing.assert_array_equal(predicted["std"], std)
        np.testing.assert_allclose(predicted["upper95"], mean + 1.959963984540054 * std)

    def test_scores_are_those_of_one_process(self):
        scores = partitions.score(self.gp, self.frame, "y", client=self.client)
        mean, std = self.gp.predict(self.table[["a", "b"]], return_std=True)
        self.assertEqual(scores["n"], 600)
        self.assertAlmostEqual(scores["rmse"], np.sqrt(np.mean((self.table["y"] - mean) ** 2)))
        z = (self.table["y"] - mean) / std
        self.assertAlmostEqual(scores["nll"], np.mean(0.5 * np.log(2 * np.pi) + np.log(std) + 0.5 * z**2))
        self.assertAlmostEqual(scores["coverage95"], np.mean(np.abs(z) <= 1.959963984540054))

    def test_a_worker_that_is_killed_costs_nothing_but_time(self):
        slow = Slow("SE", "neighbours", neighbours=32).fit(self.table[["a", "b"]], self.table["y"])
        slow.__class__.__module__ = "partitions_test"
        workers = list(self.client.run(os.getpid).values())
        self.assertEqual(len(workers), 2)

        def kill_one_that_works():
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                busy = [pid for pid in workers if os.path.exists(os.path.join(self.seen.name, str(pid)))]
                if len(busy) == 2:
                    os.kill(busy[0], signal.SIGKILL)
                    self.killed = busy[0]
                    return
                time.sleep(0.01)

        self.killed = None
        killer = threading.Thread(target=kill_one_that_works)
        killer.start()
        predicted = partitions.predict(slow, self.frame).compute()
        killer.join()
        self.assertIsNotNone(self.killed)
        np.testing.assert_array_equal(
            predicted["mean"], OneShotGPRegressor.predict(slow, self.table[["a", "b"]]))

    def test_what_cannot_be_matched_is_refused(self):
        train = rows(50, 3)
        nameless = OneShotGPRegressor("SE").fit(train[["a", "b"]].to_numpy(), train["y"].to_numpy())
        self.assertRaisesRegex(ValueError, "fit the estimator to a frame", partitions.predict, nameless, self.frame)


if __name__ == "__main__":
    import partitions_test  # under a name that workers can import

    unittest.main(module=partitions_test)
