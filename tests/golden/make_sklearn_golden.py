"""Numbers of scikit-learn's Gaussian process for the kernels of the language.

    make_sklearn_golden.py > sklearn_golden.json      write the file
    make_sklearn_golden.py --check sklearn_golden.json  compute anew and compare (exit 77 without scikit-learn)

A kernel text is Python syntax as well; it is read with Python's own parser. Conversions to scikit-learn:

    SE     ConstantKernel(v) * RBF(l)
    LIN    ConstantKernel(v) * DotProduct(sigma_0 = sqrt(c / v))
    PER    ConstantKernel(v) * ExpSineSquared(2 l, p)      its exponent is -2 sin^2 / l^2, ours -sin^2 / (2 l^2)
    MAT52  ConstantKernel(v) * Matern(l, nu = 2.5)

scikit-learn has no kernel on a chosen column; OnColumn below only passes the column on. Data and parameters follow the
formulas of tests/support/golden_case.h.
"""

import ast
import json
import math
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
SKIPPED = 77
try:
    import numpy as np
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import (
        RBF, ConstantKernel, DotProduct, ExpSineSquared, Kernel, Matern, WhiteKernel)
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(SKIPPED)

SYMBOLS = ["SE", "LIN", "PER", "MAT52", "SE*LIN", "SE*PER", "SE*MAT52", "LIN*PER", "LIN*MAT52", "PER*MAT52"]
NUM_PARAMETERS = {"SE": 2, "LIN": 2, "PER": 3, "MAT52": 2}


class OnColumn(Kernel):
    """The kernel on column k of X."""

    def __init__(self, kernel, k):
        self.kernel, self.k = kernel, k

    def get_params(self, deep=True):
        return {"kernel": self.kernel, "k": self.k}

    @property
    def hyperparameters(self):
        return self.kernel.hyperparameters

    @property
    def theta(self):
        return self.kernel.theta

    @theta.setter
    def theta(self, theta):
        self.kernel.theta = theta

    @property
    def bounds(self):
        return self.kernel.bounds

    def __call__(self, X, Y=None, eval_gradient=False):
        column = slice(self.k, self.k + 1)
        return self.kernel(X[:, column], None if Y is None else Y[:, column], eval_gradient)

    def diag(self, X):
        return self.kernel.diag(X[:, self.k:self.k + 1])

    def is_stationary(self):
        return self.kernel.is_stationary()


def elementary(symbol, parameters):
    v, second = parameters[0], parameters[1]
    if symbol == "SE":
        return ConstantKernel(v) * RBF(second)
    if symbol == "LIN":
        return ConstantKernel(v) * DotProduct(math.sqrt(second / v))
    if symbol == "PER":
        return ConstantKernel(v) * ExpSineSquared(2 * second, parameters[2])
    return ConstantKernel(v) * Matern(second, nu=2.5)


def leaves(node):
    """(symbol, column) of the leaves from left to right; column None where it is not named."""
    if isinstance(node, ast.BinOp):
        return leaves(node.left) + leaves(node.right)
    if isinstance(node, ast.Call):
        return [(node.func.id, int(node.args[0].id[1:]) - 1)]
    return [(node.id, None)]


def build(node, log_parameters, d):
    """The scikit-learn kernel; takes its parameters from the front of log_parameters."""
    if isinstance(node, ast.BinOp):
        left = build(node.left, log_parameters, d)
        right = build(node.right, log_parameters, d)
        return left + right if isinstance(node.op, ast.Add) else left * right
    (symbol, column), = leaves(node)
    own = [math.exp(log_parameters.pop(0)) for _ in range(NUM_PARAMETERS[symbol])]
    kernel = elementary(symbol, own)
    return kernel if d == 1 else OnColumn(kernel, column)


def our_gradient(tree, gradient):
    """From scikit-learn's parameters to ours: v (s0^2 + x x') with s0^2 = c/v has d/dlog c = (d/dlog s0) / 2 and
    d/dlog v = d/dlog C - (d/dlog s0) / 2."""
    ours, at = [], 0
    for symbol, _ in leaves(tree):
        count = NUM_PARAMETERS[symbol]
        own = list(gradient[at:at + count])
        if symbol == "LIN":
            own = [own[0] - own[1] / 2, own[1] / 2]
        ours += own
        at += count
    return ours + [gradient[at]]


def inputs(n, d, seed, num_parameters):
    X = np.array([[((31 * i + 17 * k + 7 * i * k + 13 * seed) % 101 + 1) / 102 for k in range(d)] for i in range(n)])
    y = np.array([((57 * i * i + 23 * i + 29 * seed) % 97) / 48 - 1 for i in range(n)])
    X_new = np.array([X[0], X[-1] + 0.03, np.full(d, 1.25), np.full(d, -0.5)])
    theta = [((53 * i + 19 * seed) % 43) / 20 - 1.6 for i in range(num_parameters)]
    return X, y, X_new, theta, -2 - (seed % 5) / 2


def regressor(kernel, log_noise, X, y):
    kernel = kernel + WhiteKernel(math.exp(log_noise))
    return GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(X, y)


def case(text, n, d, seed):
    tree = ast.parse(text, mode="eval").body
    num_parameters = sum(NUM_PARAMETERS[symbol] for symbol, _ in leaves(tree))
    X, y, X_new, theta, log_noise = inputs(n, d, seed, num_parameters)
    gp = regressor(build(tree, list(theta), d), log_noise, X, y)
    value, gradient = gp.log_marginal_likelihood(gp.kernel_.theta, eval_gradient=True)
    mean, std = gp.predict(X_new, return_std=True)
    return {"kernel": text, "n": n, "d": d, "seed": seed, "nlml": -value / n,
            "gradient": [-g / n for g in our_gradient(tree, gradient)],
            "mean": mean.tolist(), "observed_variance": (std**2).tolist()}


def ard_case(n, d, seed):
    """SE on every column as scikit-learn's own anisotropic RBF: one variance, the product of ours. Its gradient is that
    of each of our variances, because only their product counts."""
    X, y, X_new, theta, log_noise = inputs(n, d, seed, 2 * d)
    variance = math.exp(math.fsum(theta[0::2]))
    gp = regressor(ConstantKernel(variance) * RBF(np.exp(theta[1::2])), log_noise, X, y)
    value, gradient = gp.log_marginal_likelihood(gp.kernel_.theta, eval_gradient=True)
    mean, std = gp.predict(X_new, return_std=True)
    ours = [g for k in range(d) for g in (gradient[0], gradient[1 + k])] + [gradient[-1]]
    text = "SE" if d == 1 else "*".join(f"SE(x{k + 1})" for k in range(d))
    return {"kernel": text, "n": n, "d": d, "seed": seed, "nlml": -value / n,
            "gradient": [-g / n for g in ours], "mean": mean.tolist(), "observed_variance": (std**2).tolist()}


def on(symbol, k):
    return "*".join(f"{factor}(x{k})" for factor in symbol.split("*"))


def all_cases():
    texts = []  # (canonical text, n, d)
    for i, a in enumerate(SYMBOLS):
        texts.append((a, 5 + 2 * i, 1))
        texts += [(f"{a} + {b}", 6 + (i + j) % 15, 1) for j, b in enumerate(SYMBOLS) if j >= i]
        texts += [(f"{on(a, 1)}*{on(b, 2)}", 6 + (3 * i + j) % 15, 2) for j, b in enumerate(SYMBOLS)]
    texts += [("SE", 1, 1), ("LIN + PER", 2, 1), ("SE + LIN + PER", 40, 1), ("SE + LIN + PER + MAT52", 30, 1),
              (" + ".join(SYMBOLS), 20, 1), ("SE*LIN*PER", 15, 1), ("SE*LIN*PER*MAT52", 15, 1), ("SE*SE", 15, 1),
              ("PER*(SE + LIN)", 20, 1),
              ("(SE(x1) + SE(x1)*LIN(x1)) * PER(x2)", 30, 2),
              ("(SE(x1) + PER(x1)) * (LIN(x2) + MAT52(x2)) * SE(x3) * PER(x3)", 30, 3),
              ("SE(x1)*LIN(x2)*PER(x3)*MAT52(x4)*SE(x5)*LIN(x6)*PER(x7)*MAT52(x8)", 30, 8),
              ("SE(x1) + SE(x2)", 20, 2), ("SE(x1) + LIN(x1)*PER(x2)", 20, 2),
              ("(SE(x1) + SE(x2)) * (LIN(x1) + PER(x2))", 20, 2)]
    cases = [case(text, n, d, seed) for seed, (text, n, d) in enumerate(texts, 1)]
    cases += [ard_case(n, d, 200 + d) for d, n in [(1, 10), (2, 20), (3, 30), (5, 30), (8, 40)]]
    return cases


def numbers(c):
    return [c["nlml"], *c["gradient"], *c["mean"], *c["observed_variance"]]


def check(path):
    with open(path, encoding="utf-8") as file:
        stored = json.load(file)["cases"]
    fresh = all_cases()
    names = ("kernel", "n", "d", "seed")
    if [[c[k] for k in names] for c in stored] != [[c[k] for k in names] for c in fresh]:
        return "the cases in the file are not those of the script; write it anew"
    for a, b in zip(stored, fresh):
        if not np.allclose(numbers(a), numbers(b), rtol=1e-10, atol=1e-12):
            return f"{a['kernel']} (n={a['n']}, seed={a['seed']}): {numbers(a)} stored, {numbers(b)} now"
    print(f"{len(fresh)} cases agree")
    return 0


def write():
    rows = ",\n".join("  " + json.dumps(c) for c in all_cases())
    print('{"schema": "instantgp/sklearn-golden/1", "cases": [\n' + rows + "\n]}")
    return 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[2]) if sys.argv[1:2] == ["--check"] else write())
