"""The same model as code for another library, its parameters converted.

Kernels, a leaf with parameters v (variance), l (lengthscale), p (period), c (offset), and what others call the same:

    SE     v exp(-r^2 / 2 l^2)           everywhere alike
    MAT52  v (1 + s + s^2/3) exp(-s)     everywhere alike, s = sqrt(5) |r| / l
    MAT12  v exp(-|r| / l)               everywhere alike
    BIAS   v                             a constant; GPyTorch of Debian's age has none
    LIN    v x x' + c                    scikit-learn, Stan: v (sigma0^2 + x x'), sigma0^2 = c / v; GPyTorch: v (x x' + c / v);
                                         GPflow: Linear(v) + Constant(c)
    PER    v exp(-sin^2(pi r/p) / 2 l^2) GPflow: l; scikit-learn, Stan: 2 l; GPyTorch: 4 l^2 (it does not square)
"""
from __future__ import annotations

import math
from typing import Any, Callable

from . import _core

# variance, then lengthscale (offset for LIN), then period
PARAMETERS = {"SE": 2, "LIN": 2, "PER": 3, "MAT52": 2, "MAT12": 2, "WIE": 1, "IOU": 2, "BIAS": 1}
UNKNOWN = {"sklearn": {"WIE", "IOU"}, "gpytorch": {"WIE", "IOU", "BIAS"}, "gpflow": {"WIE", "IOU"}, "stan": {"WIE", "IOU"}}

Leaf = Callable[[str, int, list], str]


def render(expression: tuple, values: list, leaf: Leaf, times: str = " * ") -> str:
    """The expression in another syntax; takes the leaves' parameters off the front of `values`."""
    head, rest = expression
    if head in PARAMETERS:
        own = [values.pop(0) for _ in range(PARAMETERS[head])]
        return leaf(head, rest, own)
    parts = []
    for term in rest:
        text = render(term, values, leaf, times)
        parts.append(f"({text})" if term[0] == "+" and head == "*" else text)
    return (" + " if head == "+" else times).join(parts)


def symbols(expression: tuple) -> set:
    """The elementary kernels in an expression."""
    head, rest = expression
    return {head} if head in PARAMETERS else set().union(*(symbols(term) for term in rest))


def is_ard(expression: tuple, columns: int) -> bool:
    """SE on every column, multiplied: one anisotropic kernel for libraries that have it."""
    terms = [expression] if expression[0] == "SE" else expression[1] if expression[0] == "*" else []
    return [term[0] for term in terms] == ["SE"] * columns and [term[1] for term in terms] == list(range(columns))


def header(model: _core.Model, comment: str) -> str:
    lines = [
        f"{model.kernel_short}: {model.rows} rows, fitted by {model.summary['method']}, exported by InstantGP.",
        f"columns: {', '.join(model.column_names)}; target: {model.target_name}",
        "Parameters belong to inputs scaled to [0, 1] and a standardised target, as below.",
    ]
    if model.averaged_over:
        lines.append(
            f"The model averages its predictions over {model.averaged_over} sets of parameters drawn around the ones below; "
            "this code predicts by the ones below alone, and its intervals are narrower."
        )
    return "".join(f"{comment} {' '.join(line.split())}\n" for line in lines)


def scaling(model: _core.Model) -> str:
    s = model.scaling
    return (
        f"X_MIN = np.array({[float(v) for v in s['x_min']]})\n"
        f"X_RANGE = np.array({[float(v) for v in s['x_range']]})\n"
        f"Y_MEAN, Y_STD = {s['y_mean']!r}, {s['y_std']!r}\n"
    )


SKLEARN_COLUMN = '''

class Column(Kernel):
    """A kernel on one column of the inputs."""

    def __init__(self, column, kernel):
        self.column, self.kernel = column, kernel

    def get_params(self, deep=True):
        inner = self.kernel.get_params() if deep else {}
        return {"column": self.column, "kernel": self.kernel, **{f"kernel__{k}": v for k, v in inner.items()}}

    @property
    def hyperparameters(self):
        return [h._replace(name="kernel__" + h.name) for h in self.kernel.hyperparameters]

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
        pick = [self.column]
        return self.kernel(X[:, pick], None if Y is None else Y[:, pick], eval_gradient)

    def diag(self, X):
        return self.kernel.diag(X[:, [self.column]])

    def is_stationary(self):
        return self.kernel.is_stationary()

    def __repr__(self):
        return f"Column({self.column}, {self.kernel})"
'''


def sklearn_code(model: _core.Model, values: list, noise: float) -> str:
    columns = model.columns
    used = set()

    def on_column(column: int, kernel: str) -> str:
        return kernel if columns == 1 else f"Column({column}, {kernel})"

    def leaf(symbol: str, column: int, own: list) -> str:
        used.add("ConstantKernel")
        if symbol == "BIAS":
            return f"ConstantKernel({own[0]!r})"
        if symbol == "LIN":
            used.add("DotProduct")
            kernel = f"DotProduct({math.sqrt(own[1] / own[0])!r})"
        elif symbol == "PER":
            used.add("ExpSineSquared")
            kernel = f"ExpSineSquared({2 * own[1]!r}, {own[2]!r})"
        elif symbol == "SE":
            used.add("RBF")
            kernel = f"RBF({own[1]!r})"
        else:
            used.add("Matern")
            kernel = f"Matern({own[1]!r}, nu={'2.5' if symbol == 'MAT52' else '0.5'})"
        return f"ConstantKernel({own[0]!r}) * {on_column(column, kernel)}"

    if is_ard(model.expression, columns):
        used |= {"ConstantKernel", "RBF"}
        kernel = f"ConstantKernel({math.prod(values[0::2])!r}) * RBF({values[1::2]!r})"
    else:
        kernel = render(model.expression, list(values), leaf)
    wrapper = SKLEARN_COLUMN if "Column(" in kernel else ""
    imports = sorted(used | {"WhiteKernel"} | ({"Kernel"} if wrapper else set()))
    return (
        header(model, "#")
        + "import numpy as np\n"
        + "from sklearn.gaussian_process import GaussianProcessRegressor\n"
        + f"from sklearn.gaussian_process.kernels import {', '.join(imports)}\n\n"
        + scaling(model)
        + wrapper
        + ("\n\n" if wrapper else "\n")
        + f"kernel = {kernel} + WhiteKernel({noise!r})\n"
        + f"model = GaussianProcessRegressor(kernel, alpha={model.jitter!r}, optimizer=None)\n"
        + f'''

def fit(X, y):
    """The rows InstantGP was fitted to: model.log_marginal_likelihood_value_ is then {model.log_marginal_likelihood!r}."""
    return model.fit((np.asarray(X, float) - X_MIN) / X_RANGE, (np.asarray(y, float) - Y_MEAN) / Y_STD)


def predict(X):
    """(mean, std) of observations in the target's units."""
    mean, std = model.predict((np.asarray(X, float) - X_MIN) / X_RANGE, return_std=True)
    return Y_MEAN + Y_STD * mean, Y_STD * std
'''
    )


def gpytorch_code(model: _core.Model, values: list, noise: float) -> str:
    def leaf(symbol: str, column: int, own: list) -> str:
        dims = f"active_dims=[{column}]"
        if symbol == "LIN":
            return f"scaled({own[0]!r}, PolynomialKernel(power=1, {dims}), offset={own[1] / own[0]!r})"
        if symbol == "PER":
            return (
                f"scaled({own[0]!r}, PeriodicKernel({dims}), lengthscale={4 * own[1] ** 2!r}, period_length={own[2]!r})"
            )
        name = {"SE": "RBFKernel(", "MAT52": "MaternKernel(nu=2.5, ", "MAT12": "MaternKernel(nu=0.5, "}[symbol]
        return f"scaled({own[0]!r}, {name}{dims}), lengthscale={own[1]!r})"

    return (
        header(model, "#")
        + "import gpytorch\nimport numpy as np\nimport torch\n"
        + "from gpytorch.kernels import MaternKernel, PeriodicKernel, PolynomialKernel, RBFKernel, ScaleKernel\n\n"
        + scaling(model)
        + f'''

def scaled(variance, kernel, **values):
    kernel.initialize(**{{name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()}})
    outer = ScaleKernel(kernel)
    outer.initialize(outputscale=torch.tensor(variance, dtype=torch.float64))
    return outer


class Model(gpytorch.models.ExactGP):
    def __init__(self, X, y):
        likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=gpytorch.constraints.GreaterThan(1e-12))
        likelihood.initialize(noise={noise!r})
        super().__init__(X, y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = {render(model.expression, list(values), leaf)}

    def forward(self, X):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(X), self.covar_module(X))


def scale_x(X):
    return torch.as_tensor((np.asarray(X, float) - X_MIN) / X_RANGE, dtype=torch.float64)


def fit(X, y):
    """Log marginal likelihood of the rows InstantGP was fitted to: {model.log_marginal_likelihood!r}."""
    y = torch.as_tensor((np.asarray(y, float) - Y_MEAN) / Y_STD, dtype=torch.float64)
    return Model(scale_x(X), y).double().eval()


def predict(model, X):
    """(mean, std) of observations in the target's units."""
    model.likelihood.eval()
    with torch.no_grad():
        prediction = model.likelihood(model(scale_x(X)))
    return Y_MEAN + Y_STD * prediction.mean.numpy(), Y_STD * prediction.stddev.numpy()
'''
    )


def gpflow_code(model: _core.Model, values: list, noise: float) -> str:
    def leaf(symbol: str, column: int, own: list) -> str:
        dims = f"active_dims=[{column}]"
        if symbol == "LIN":
            return f"(Linear(variance={own[0]!r}, {dims}) + Constant(variance={own[1]!r}))"
        if symbol == "BIAS":
            return f"Constant(variance={own[0]!r})"
        stationary = f"(variance={own[0]!r}, lengthscales={own[1]!r}, {dims})"
        if symbol == "PER":
            return f"Periodic(SquaredExponential{stationary}, period={own[2]!r})"
        return {"SE": "SquaredExponential", "MAT52": "Matern52", "MAT12": "Matern12"}[symbol] + stationary

    return (
        header(model, "#")
        + "import gpflow\nimport numpy as np\n"
        + "from gpflow.kernels import Constant, Linear, Matern12, Matern52, Periodic, SquaredExponential\n\n"
        + scaling(model)
        + f"\nkernel = {render(model.expression, list(values), leaf)}\n"
        + f'''

def fit(X, y):
    """model.log_marginal_likelihood() of the rows InstantGP was fitted to: {model.log_marginal_likelihood!r}."""
    X = (np.asarray(X, float) - X_MIN) / X_RANGE
    y = (np.asarray(y, float).reshape(-1, 1) - Y_MEAN) / Y_STD
    likelihood = gpflow.likelihoods.Gaussian(variance={noise!r}, variance_lower_bound=1e-12)
    return gpflow.models.GPR((X, y), kernel, likelihood=likelihood)


def predict(model, X):
    """(mean, std) of observations in the target's units."""
    mean, variance = model.predict_y((np.asarray(X, float) - X_MIN) / X_RANGE)
    return Y_MEAN + Y_STD * np.asarray(mean)[:, 0], Y_STD * np.sqrt(np.asarray(variance)[:, 0])
'''
    )


def stan_code(model: _core.Model, values: list, noise: float) -> str:
    def leaf(symbol: str, column: int, own: list) -> str:
        pair = f"to_array_1d(A[, {column + 1}]), to_array_1d(B[, {column + 1}])"
        if symbol == "LIN":
            return f"{own[0]!r} * gp_dot_prod_cov({pair}, {math.sqrt(own[1] / own[0])!r})"
        if symbol == "PER":
            return f"{own[0]!r} * gp_periodic_cov({pair}, 1.0, {2 * own[1]!r}, {own[2]!r})"
        if symbol == "BIAS":
            return f"rep_matrix({own[0]!r}, rows(A), rows(B))"
        name = {"SE": "gp_exp_quad_cov", "MAT52": "gp_matern52_cov", "MAT12": "gp_exponential_cov"}[symbol]
        return f"{own[0]!r} * {name}({pair}, 1.0, {own[1]!r})"

    s = model.scaling
    x_min = ", ".join(repr(float(v)) for v in s["x_min"])
    x_range = ", ".join(repr(float(v)) for v in s["x_range"])
    return (
        header(model, "//")
        + f"""// Nothing is left to sample: run it with fixed parameters. `lml` of the rows InstantGP was fitted to is
// {model.log_marginal_likelihood!r}; mean and std are those of observations at X_new in the target's units.
functions {{
  matrix kernel(matrix A, matrix B) {{
    return {render(model.expression, list(values), leaf, " .* ")};
  }}
  matrix scale_x(matrix X, row_vector x_min, row_vector x_range) {{
    return (X - rep_matrix(x_min, rows(X))) ./ rep_matrix(x_range, rows(X));
  }}
}}
data {{
  int<lower=1> n;
  int<lower=1> m;
  matrix[n, {model.columns}] X;
  vector[n] y;
  matrix[m, {model.columns}] X_new;
}}
transformed data {{
  row_vector[{model.columns}] x_min = [{x_min}];
  row_vector[{model.columns}] x_range = [{x_range}];
  real y_mean = {s["y_mean"]!r};
  real y_std = {s["y_std"]!r};
  real noise = {noise!r};
  matrix[n, {model.columns}] A = scale_x(X, x_min, x_range);
  matrix[m, {model.columns}] B = scale_x(X_new, x_min, x_range);
  vector[n] z = (y - y_mean) / y_std;
  matrix[n, n] L = cholesky_decompose(add_diag(kernel(A, A), noise + {model.jitter!r}));
}}
generated quantities {{
  real lml = multi_normal_cholesky_lpdf(z | rep_vector(0, n), L);
  vector[m] mean;
  vector[m] std;
  {{
    matrix[n, m] v = mdivide_left_tri_low(L, kernel(A, B));
    mean = y_mean + y_std * (v' * mdivide_left_tri_low(L, z));
    std = y_std * sqrt(diagonal(kernel(B, B)) - columns_dot_self(v)' + noise);
  }}
}}
"""
    )


TARGETS = {"sklearn": sklearn_code, "gpytorch": gpytorch_code, "gpflow": gpflow_code, "stan": stan_code}


def export_code(fitted: Any, target: str = "sklearn") -> str:
    """The code of a Model (or of an estimator that holds one) for "sklearn", "gpytorch", "gpflow" or "stan".

    A model that averages its predictions over several sets of parameters (`averaged_over`) is exported with the ones it
    shows, `theta`, and the code says so.

    >>> import numpy as np, instantgp
    >>> x = np.linspace(0, 1, 12).reshape(-1, 1)
    >>> y = x[:, 0] ** 2 + 0.1 * np.cos(40 * x[:, 0])
    >>> gp = instantgp.OneShotGPRegressor("SE").fit(x, y)
    >>> scope = {}
    >>> exec(instantgp.export_code(gp, "sklearn"), scope)
    >>> theirs = scope["fit"](x, y)
    >>> bool(abs(theirs.log_marginal_likelihood_value_ - gp.log_marginal_likelihood()) < 1e-8)
    True
    """
    model = getattr(fitted, "model_", fitted)
    if not isinstance(model, _core.Model):
        raise TypeError("export_code takes a fitted OneShotGPRegressor or a Model; of an ensemble, one of its models")
    if target not in TARGETS:
        raise ValueError(f"the target is one of {', '.join(map(repr, TARGETS))}, not {target!r}")
    if model.neighbours is not None:
        raise ValueError("a model from neighbours has no equivalent there: every prediction uses rows of its own")
    if model.sparse:
        raise ValueError("a sparse model has no equivalent there: its inducing points are not a kernel's parameters")
    if model.transform != "none":
        raise ValueError(
            f"the target is transformed ({model.transform}), which the code would have to undo; export a model of the "
            "transformed target itself, fitted with transform=\"none\""
        )
    unknown = sorted(symbols(model.expression) & UNKNOWN[target])
    if unknown:
        raise ValueError(f"{target} has no kernel for {' and '.join(unknown)}; fit another kernel to export it there")
    values = [math.exp(value) for value in model.theta]
    return TARGETS[target](model, values[:-1], values[-1])
