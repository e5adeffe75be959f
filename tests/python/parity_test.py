"""The same request through the program, C++ and Python: equal numbers to the last bit.

    parity_test.py PROGRAM PARITY DATA.csv
"""
import csv
import json
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd

import instantgp

warnings.simplefilter("ignore", instantgp.FitWarning)
ROWS = 5
REQUESTS = [("SE", "oneshot"), ("LIN + SE*PER", "oneshot"), ("SE*PER + MAT52", "refine"), ("SE + LIN", "ml")]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def from_cpp(data, *arguments):
    """name -> numbers, as the C++ program prints them."""
    result = {}
    for line in run(PARITY, data, *arguments).splitlines():
        name, *numbers = line.split()
        result[name] = [float.fromhex(number) for number in numbers]
    return result


def table(data):
    with open(data, newline="") as file:
        rows = [row for row in csv.reader(file) if not row[0].startswith("#")]
    values = np.array([[float(cell) for cell in row] for row in rows[1:]])
    return rows[0], values[:, :-1], values[:, -1]


class Parity(unittest.TestCase):
    def test_one_column(self):
        for kernel, method in REQUESTS:
            with self.subTest(kernel=kernel, method=method):
                self.check(DATA, kernel, method)

    def test_three_columns(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(run(PROGRAM, "simulate", "--kernel", "SE + LIN", "--d", 3, "--n", 150))
            file.flush()
            for kernel, method in REQUESTS + [("SE(x1)*PER(x3)", "oneshot"), ("LIN(x2) + SE(x1)", "ml")]:
                with self.subTest(kernel=kernel, method=method):
                    self.check(file.name, kernel, method)

    def test_transforms(self):
        for transform in ("none", "log", "boxcox", "auto"):
            for method in ("oneshot", "ml"):
                with self.subTest(transform=transform, method=method):
                    self.check(DATA, "LIN + SE*PER", method, transform)

    def check(self, data, kernel, method, transform="none"):
        """Fit, predict and draw three ways; every number is the same double."""
        names, X, y = table(data)
        with tempfile.TemporaryDirectory() as folder:
            model = folder + "/model.gp"
            fit = json.loads(run(PROGRAM, "fit", data, "--kernel", kernel, "--method", method, "--model", model, "--json",
                                 "--quiet", "--transform", transform))
            with open(folder + "/new.csv", "w", newline="") as file:
                csv.writer(file).writerows([names] + [[repr(float(v)) for v in (*row, t)] for row, t in zip(X[:ROWS], y)])
            new = json.loads(run(PROGRAM, "predict", model, folder + "/new.csv", "--samples", 1, "--seed", 3, "--json",
                                 "--quiet"))
            loaded = instantgp.OneShotGPRegressor.from_model(model)
        cpp = from_cpp(data, kernel, method, transform)
        gp = instantgp.OneShotGPRegressor(kernel, method, transform=transform).fit(X, y)
        mean, std = gp.predict(X[:ROWS], return_std=True)
        sample = gp.sample_y(X[:ROWS], 1, random_state=3)[:, 0]

        self.assertEqual(cpp["theta"], list(gp.theta_))
        for name in ("value", "value_original_units"):
            self.assertEqual([p[name] for p in fit["parameters"]], [p[name] for p in gp.parameters_])
        for name, ours in [("nlml_per_point", gp.nlml_per_point_), ("noise_variance", gp.noise_variance_),
                           ("log_marginal_likelihood", gp.log_marginal_likelihood())]:
            self.assertEqual((fit[name], cpp[name][0]), (ours, ours), name)
        self.assertEqual((new["mean"], cpp["mean"]), (list(mean), list(mean)))
        self.assertEqual((new["std"], cpp["std"]), (list(std), list(std)))
        self.assertEqual((new["samples"][0], cpp["sample"]), (list(sample), list(sample)))
        lower, upper = gp.predict_interval(X[:ROWS])
        self.assertEqual((new["lower95"], new["upper95"], cpp["upper95"]), (list(lower), list(upper), list(upper)))
        median = gp.predict_quantiles(X[:ROWS], [0.5])[:, 0]
        self.assertEqual((new.get("median", new["mean"]), cpp["median"]), (list(median), list(median)))
        nll = gp.model_.score(X[:ROWS], y[:ROWS])["nll"]
        self.assertEqual((new["scores"]["nll"], cpp["nll"][0]), (nll, nll))
        self.assertEqual((fit["transform"], loaded.transform_), (gp.transform_, gp.transform_))
        if transform != "auto":
            self.assertEqual((gp.transform_, "median" in new), (transform, transform != "none"))
        self.assertTrue(np.allclose(loaded.y_train_, y, rtol=1e-12))
        # The program's file, read by Python, predicts the same.
        self.assertEqual([list(a) for a in loaded.model_.predict(X[:ROWS])], [list(mean), list(std)])

    def test_ensemble(self):
        _, X, y = table(DATA)
        told = json.loads(run(PROGRAM, "ensemble", DATA, "--json", "--quiet"))
        cpp = from_cpp(DATA, "ensemble")
        ensemble = instantgp.EnsembleGPRegressor().fit(X, y)
        self.assertEqual([member["weight"] for member in told["members"]], list(ensemble.weights_))
        self.assertEqual(cpp["weights"], list(ensemble.weights_))
        mean, std = ensemble.predict(X[:ROWS], return_std=True)
        self.assertEqual((cpp["mean"], cpp["std"]), (list(mean), list(std)))

    def test_search(self):
        names, X, y = table(DATA)
        told = json.loads(run(PROGRAM, "search", DATA, "--beam", 2, "--depth", 1, "--json", "--quiet"))
        found = instantgp.search(pd.DataFrame(X, columns=names[:-1]), y, beam=2, depth=1)
        self.assertEqual(told["candidates"], found.candidates)
        self.assertEqual((told["evaluated"], told["nlml_per_point"]), (found.evaluated, found.model.nlml_per_point))

    def test_simulate(self):
        for options in [{}, {"kernel": "SE + PER", "n": 20}, {"kernel": "LIN(x2) * SE(x1)", "noise_variance": 0.5}]:
            arguments = []
            for name, value in options.items():
                arguments += ["--" + {"noise_variance": "noise"}.get(name, name), value]
            told = json.loads(run(PROGRAM, "simulate", *arguments, "--seed", 11, "--json", "--quiet"))["datasets"][0]
            draw = instantgp.simulate(**options, seed=11)
            self.assertEqual((told["X"], told["y"]), (draw.X.tolist(), draw.y.tolist()))
            self.assertEqual([p["value"] for p in told["parameters"]], list(draw.parameters))
            self.assertEqual((told["kernel"], told["noise_variance"]), (draw.kernel, draw.noise_variance))


if __name__ == "__main__":
    PROGRAM, PARITY, DATA = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
