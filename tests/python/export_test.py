"""Exported code, executed. scikit-learn's runs for real; for the others, which Debian does not have, the same text runs
against their documented formulas, written here in NumPy. Kernels are enumerated from the grammar."""
import itertools
import re
import sys
import types
import unittest
import warnings

import numpy as np

import instantgp
from instantgp import OneShotGPRegressor

warnings.simplefilter("ignore")
SYMBOLS = ["SE", "LIN", "PER", "MAT52"]
ONE = SYMBOLS + [f"{a} {op} {b}" for a, b in itertools.combinations(SYMBOLS, 2) for op in "+*"]
ONE += ["(SE + LIN) * PER", "SE*LIN + PER*MAT52 + SE"]  # outside the family: fitted by ml
TWO = ["SE", "LIN + SE*PER", "MAT52(x2)", "SE(x1) * (LIN(x2) + PER(x2))", "SE(x1) + PER(x2)", "(SE(x1) + LIN(x2)) * MAT52(x2)"]


def table(d):
    random = np.random.default_rng(d)
    X = np.sort(random.uniform(3, 9, size=(40, d)), axis=0)
    return X, 100 + 20 * np.sin(2 * X[:, 0]) + 4 * X[:, -1] + random.normal(size=40)


def fitted():
    """(description, estimator, X, y, new rows) of every case."""
    for d, kernels in [(1, ONE), (2, TWO)]:
        X, y = table(d)
        for kernel in kernels:
            try:
                gp = OneShotGPRegressor(kernel).fit(X, y)
            except ValueError:
                gp = OneShotGPRegressor(kernel, "map", steps=20).fit(X, y)
            yield kernel, gp, X, y, np.random.default_rng(5).uniform(2, 10, size=(9, d))


def se(r, l):
    return np.exp(-0.5 * r**2 / l**2)


def mat52(r, l):
    s = np.sqrt(5) * np.abs(r) / l
    return (1 + s + s**2 / 3) * np.exp(-s)


class Fake:
    """A kernel of another library: a function of two tables, with sums and products."""

    def __init__(self, function):
        self.function = function

    def __add__(self, other):
        return Fake(lambda A, B: self.function(A, B) + other.function(A, B))

    def __mul__(self, other):
        return Fake(lambda A, B: self.function(A, B) * other.function(A, B))


def distances(A, B, dims):
    (k,) = dims
    return A[:, None, k] - B[None, :, k]


def products(A, B, dims):
    (k,) = dims
    return A[:, None, k] * B[None, :, k]


def fake_gpflow():
    """The formulas of GPflow's documentation."""
    k = types.SimpleNamespace()
    k.Constant = lambda variance: Fake(lambda A, B: np.full((len(A), len(B)), variance))
    k.Linear = lambda variance, active_dims: Fake(lambda A, B: variance * products(A, B, active_dims))
    k.Matern52 = lambda variance, lengthscales, active_dims: Fake(
        lambda A, B: variance * mat52(distances(A, B, active_dims), lengthscales))

    def squared_exponential(variance, lengthscales, active_dims):
        kernel = Fake(lambda A, B: variance * se(distances(A, B, active_dims), lengthscales))
        kernel.parts = (variance, lengthscales, active_dims)
        return kernel

    def periodic(base, period):
        v, l, dims = base.parts
        return Fake(lambda A, B: v * np.exp(-0.5 * np.sin(np.pi * distances(A, B, dims) / period) ** 2 / l**2))

    k.SquaredExponential, k.Periodic = squared_exponential, periodic
    return k


def fake_gpytorch():
    """The formulas of GPyTorch's documentation; its parameters are set by initialize()."""
    class Leaf(Fake):
        def __init__(self, formula, dims):
            super().__init__(lambda A, B: formula(A, B, dims, self.values))

        def initialize(self, **values):
            self.values = values

    class Scale(Fake):
        def __init__(self, inner):
            super().__init__(lambda A, B: self.outputscale * inner.function(A, B))

        def initialize(self, outputscale):
            self.outputscale = outputscale

    k = types.SimpleNamespace(ScaleKernel=Scale)
    k.RBFKernel = lambda active_dims: Leaf(lambda A, B, i, v: se(distances(A, B, i), v["lengthscale"]), active_dims)
    k.MaternKernel = lambda nu, active_dims: Leaf(
        lambda A, B, i, v: mat52(distances(A, B, i), v["lengthscale"]), active_dims)
    k.PolynomialKernel = lambda power, active_dims: Leaf(
        lambda A, B, i, v: (products(A, B, i) + v["offset"]) ** power, active_dims)
    k.PeriodicKernel = lambda active_dims: Leaf(
        lambda A, B, i, v: np.exp(-2 * np.sin(np.pi * distances(A, B, i) / v["period_length"]) ** 2 / v["lengthscale"]),
        active_dims)
    return k


STAN = {  # Stan's functions reference
    "gp_exp_quad_cov": lambda a, b, s, l: s**2 * se(a[:, None] - b, l),
    "gp_matern52_cov": lambda a, b, s, l: s**2 * mat52(a[:, None] - b, l),
    "gp_dot_prod_cov": lambda a, b, s: s**2 + a[:, None] * b,
    "gp_periodic_cov": lambda a, b, s, l, p: s**2 * np.exp(-2 * np.sin(np.pi * np.abs(a[:, None] - b) / p) ** 2 / l**2),
}


def posterior(kernel, noise, A, z, B):
    """(log likelihood, mean, std) of the textbook."""
    L = np.linalg.cholesky(kernel(A, A) + noise * np.eye(len(A)))
    half = np.linalg.solve(L, z)
    v = np.linalg.solve(L, kernel(A, B))
    value = -0.5 * half @ half - np.log(np.diag(L)).sum() - 0.5 * len(z) * np.log(2 * np.pi)
    return value, v.T @ half, np.sqrt(np.diag(kernel(B, B)) - (v**2).sum(axis=0) + noise)


def predicted(gp, new):
    """(mean, std) by the parameters the model shows, which are the ones that are exported."""
    return gp.model_.averaged(np.empty((len(gp.theta_), 0))).predict(new)


class Export(unittest.TestCase):
    def same(self, gp, X, new, value, mean, std):
        ours = predicted(gp, new)
        scale = gp.model_.scaling["y_std"]
        np.testing.assert_allclose(value, gp.log_marginal_likelihood(), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(mean, ours[0], rtol=1e-8, atol=1e-8 * scale)
        np.testing.assert_allclose(std, ours[1], rtol=1e-8, atol=1e-8 * scale)

    def test_scikit_learn(self):
        for kernel, gp, X, y, new in fitted():
            with self.subTest(kernel=kernel):
                scope = {}
                exec(compile(gp.export_code("sklearn"), "exported", "exec"), scope)
                theirs = scope["fit"](X, y)
                self.same(gp, X, new, theirs.log_marginal_likelihood_value_, *scope["predict"](new))

    def test_scikit_learn_can_go_on_from_there(self):
        X, y = table(2)
        gp = OneShotGPRegressor("LIN + SE*PER").fit(X, y)
        scope = {}
        exec(gp.export_code("sklearn"), scope)
        scope["model"].set_params(optimizer="fmin_l_bfgs_b")
        self.assertGreaterEqual(scope["fit"](X, y).log_marginal_likelihood_value_, gp.log_marginal_likelihood())

    def scaled(self, gp, X, y, new):
        s = gp.model_.scaling
        return (X - s["x_min"]) / s["x_range"], (y - s["y_mean"]) / s["y_std"], (new - s["x_min"]) / s["x_range"]

    def check_formula(self, gp, X, y, new, kernel, noise):
        A, z, B = self.scaled(gp, X, y, new)
        value, mean, std = posterior(kernel, noise + gp.model_.jitter, A, z, B)
        s = gp.model_.scaling
        # The posterior here is the plain textbook one: fewer digits are left where noise is small.
        np.testing.assert_allclose(value, gp.log_marginal_likelihood(), rtol=1e-6)
        ours = predicted(gp, new)
        np.testing.assert_allclose(s["y_mean"] + s["y_std"] * mean, ours[0], rtol=1e-6)
        np.testing.assert_allclose(s["y_std"] * std, ours[1], rtol=1e-5)

    def test_gpflow(self):
        names = fake_gpflow()
        for kernel, gp, X, y, new in fitted():
            with self.subTest(kernel=kernel):
                code = gp.export_code("gpflow")
                compile(code, "exported", "exec")
                text = re.search(r"^kernel = (.*)$", code, re.M).group(1)
                noise = float(re.search(r"Gaussian\(variance=([^,]+),", code).group(1))
                self.check_formula(gp, X, y, new, eval(text, vars(names)).function, noise)

    def test_gpytorch(self):
        names = fake_gpytorch()
        for kernel, gp, X, y, new in fitted():
            with self.subTest(kernel=kernel):
                code = gp.export_code("gpytorch")
                compile(code, "exported", "exec")
                scope = {**vars(names), "torch": types.SimpleNamespace(tensor=lambda value, dtype: value, float64=None)}
                exec(re.search(r"^def scaled.*?return outer$", code, re.M | re.S).group(0), scope)
                text = re.search(r"self.covar_module = (.*)$", code, re.M).group(1)
                noise = float(re.search(r"initialize\(noise=([^)]+)\)", code).group(1))
                self.check_formula(gp, X, y, new, eval(text, scope).function, noise)

    def test_stan(self):
        for kernel, gp, X, y, new in fitted():
            with self.subTest(kernel=kernel):
                code = gp.export_code("stan")
                text = re.search(r"matrix kernel\(.*?return (.*?);", code, re.S).group(1)
                text = re.sub(r"to_array_1d\((\w)\[, (\d+)\]\)", lambda m: f"{m[1]}[:, {int(m[2]) - 1}]", text)
                noise = float(re.search(r"real noise = (.*);", code).group(1))
                code = compile(text.replace(".*", "*"), "exported", "eval")
                self.check_formula(gp, X, y, new, lambda A, B: eval(code, {**STAN, "A": A, "B": B}), noise)
                self.assertEqual(gp.export_code("stan").count("{"), gp.export_code("stan").count("}"))

    def test_averaged_models_say_that_the_code_is_their_centre(self):
        X, y = table(1)
        model = OneShotGPRegressor("SE", "map").fit(X, y).model_
        averaged = model.averaged(np.stack([model.theta - 0.2, model.theta + 0.2], axis=1))
        for target in ["sklearn", "gpytorch", "gpflow", "stan"]:
            code, plain = instantgp.export_code(averaged, target), instantgp.export_code(model, target)
            note = [line for line in code.splitlines() if "over 2 sets of parameters" in line]
            self.assertEqual(len(note), 1)
            self.assertEqual(code.replace(note[0] + "\n", ""), plain)

    def test_what_cannot_be_exported(self):
        X, y = table(1)
        gp = OneShotGPRegressor().fit(X, y)
        self.assertRaisesRegex(ValueError, "'gpytorch'", gp.export_code, "torch")
        self.assertRaisesRegex(TypeError, "one of its models", instantgp.export_code,
                               instantgp.EnsembleGPRegressor(["SE"]).fit(X, y))
        sparse = OneShotGPRegressor("SE", "svgp", inducing=5, steps=5).fit(X, y)
        self.assertRaisesRegex(ValueError, "sparse", sparse.export_code)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
