"""OneShotGPRegressor."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _export, _table
from ._validation import Regressor, kernel_text, seed_of, validate_data


class _Unreadable:
    """A parameter that cannot be read as an attribute: scikit-learn takes whatever has `transform` for a transformer."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: Optional[type] = None) -> Any:
        raise AttributeError(f"{self.name!r} is a parameter: get_params()[{self.name!r}], once fitted {self.name}_")

    def __set__(self, estimator: Any, value: Any) -> None:
        vars(estimator)[self.name] = value


class OneShotGPRegressor(Regressor):
    """Gaussian-process regression whose hyperparameters come from one forward pass of a network.

    Parameters
    ----------
    kernel : str, default="SE"
        Sums and products of SE, LIN, PER, MAT52: the same on every column ("SE + LIN*PER"), or by column, with the
        names of a frame or x1, x2, ... ("PER(month)*SE(month) + LIN(month)").
    method : str, default="oneshot"
        "oneshot"; "refine" (its answer polished by L-BFGS); "ml", "adam", "multistart", "map" (searched from scratch,
        for any kernel); "neighbours" (predictions from the nearest rows, for any number of rows); "svgp" (sparse);
        "ahgp" (the AHGP baseline, SE only). Above some 6,000 rows "oneshot" and "refine" become "neighbours" by themselves
        and say so in `warnings_`, unless `exact` is set.
    steps : int, optional
        Most optimiser steps; None: the method's own number. With the method
        ``oneshot``, 0 is the network's answer alone, without steps down the likelihood.
    objective : {"ml", "map"}, default="ml"
        What refine optimises.
    restarts : int, default=10
        Starts of multistart.
    inducing : int, optional
        Inducing points of svgp; None: half the rows.
    neighbours : int, optional
        Nearest rows that a prediction of neighbours uses; None: as many as are worth it, 64 to 256.
    every_lengthscale : bool, default=False
        neighbours: tune every parameter, not only an overall lengthscale, amplitude and noise.
    exact : bool, default=False
        oneshot, refine: the exact posterior whatever it costs.
    transform : {"none", "log", "boxcox", "auto"}, default="none"
        Fit the logarithm of the target, twice its square root, or whichever of the three has the most evidence. Everything
        that is predicted is in y's own units: `predict` gives the mean of y, `predict_interval` and `predict_quantiles`
        its quantiles (at 0.5 the median, the better single number where values are skewed).
    categorical : list of str, optional
        Columns of a frame whose numbers are codes of categories. Texts and pandas categories are categories anyway.
    date_format : str or dict, optional
        How texts that are dates are written ("%d.%m.%y"), for all columns or by column. Needed where it cannot be told.
    missing : {"error", "drop", "impute"}, default="error"
        What becomes of rows with missing inputs. "impute": the median stands in, and one more input marks the gaps.
    unseen : {"error", "other"}, default="error"
        Levels of a category that the training rows lack, when predicting.
    weights : path, optional
        A file of network weights; None: those inside the library.
    threads : int, optional
        At most so many threads; None: as the machine has, or OMP_NUM_THREADS. Numbers do not depend on it.
    random_state : int, RandomState or None, default=0
        For multistart and svgp. An int is the program's --seed.

    Attributes
    ----------
    model_ : Model
        The fitted model: what C++ and the program have, with leave-one-out, intervals and files.
    kernel_ : str
        Canonical text of the kernel.
    parameters_ : list of dict
        dimension, column, symbol, name, value (scaled units), value_original_units.
    theta_ : array
        Log parameters in scaled units, log noise variance last.
    averaged_over_ : int
        How many sets of parameters drawn around `theta_` predictions are averaged over; 0: `theta_` alone.
    noise_variance_, noise_variance_original_units_ : float
    log_marginal_likelihood_value_, nlml_per_point_ : float
        Of the standardised targets, transformed where they are.
    transform_ : str
        "none", "log" or "boxcox".
    warnings_ : list of str
    X_train_, y_train_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from instantgp import OneShotGPRegressor
    >>> x = np.linspace(0, 4, 80).reshape(-1, 1)
    >>> y = np.sin(6 * x[:, 0]) + x[:, 0]
    >>> gp = OneShotGPRegressor("PER + LIN").fit(x, y)
    >>> gp.kernel_
    'LIN(x1) + PER(x1)'
    >>> gp.score(x, y) > 0.95
    True
    >>> [p["name"] for p in gp.parameters_]
    ['variance', 'offset', 'variance', 'lengthscale', 'period']
    """

    def __init__(
        self,
        kernel: str = "SE",
        method: str = "oneshot",
        *,
        steps: Optional[int] = None,
        objective: str = "ml",
        restarts: int = 10,
        inducing: Optional[int] = None,
        neighbours: Optional[int] = None,
        every_lengthscale: bool = False,
        exact: bool = False,
        transform: str = "none",
        categorical: Optional[Sequence[str]] = None,
        date_format: Union[str, Mapping[str, str], None] = None,
        missing: str = "error",
        unseen: str = "error",
        weights: Union[str, "os.PathLike[str]", None] = None,
        threads: Optional[int] = None,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.method = method
        self.steps = steps
        self.objective = objective
        self.restarts = restarts
        self.inducing = inducing
        self.neighbours = neighbours
        self.every_lengthscale = every_lengthscale
        self.exact = exact
        self.transform = transform
        self.categorical = categorical
        self.date_format = date_format
        self.missing = missing
        self.unseen = unseen
        self.weights = weights
        self.threads = threads
        self.random_state = random_state

    transform = _Unreadable()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: vars(self)[name] for name in self._get_param_names()}

    def fit(self, X: Any, y: Any) -> "OneShotGPRegressor":
        """Fits to the rows of X (n, d) and the targets y (n). Ctrl-C ends it."""
        data, X, y = self._training_data(X, y)
        model = _core.fit(data, kernel_text(self.kernel), self._fit_options())
        self.X_train_, self.y_train_ = X, y
        return self._keep(model)

    def fit_encoding(self, encoding: _core.Encoding) -> "OneShotGPRegressor":
        """Fits to a table the network has read already (instantgp.encode); methods oneshot and refine."""
        model = encoding.fit(kernel_text(self.kernel), self._fit_options())
        self._take_table(model)
        return self._keep(model)

    @classmethod
    def from_model(cls, model: Union[_core.Model, str, "os.PathLike[str]"]) -> "OneShotGPRegressor":
        """The estimator of a model, or of a model file that the program, C++ or Python saved."""
        if not isinstance(model, _core.Model):
            model = _core.Model.load(os.fspath(model))
        estimator = cls(model.kernel_short, model.summary["method"], transform=model.transform)
        estimator._take_table(model)
        return estimator._keep(model, quiet=True)

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, *, latent: bool = False) -> Any:
        """The mean; with return_std or return_cov also the standard deviation or covariance.

        Uncertainty is that of an observation, noise included (as scikit-learn's with a WhiteKernel); latent=True gives
        that of the function itself.
        """
        self._check_fitted()
        if not return_std and not return_cov:
            return self.model_.predict_mean(self._new_rows(X))
        return self._predict(self.model_, X, return_std, return_cov, latent)

    def predict_interval(self, X: Any, probability: float = 0.95, *, latent: bool = False) -> tuple:
        """(lower, upper) of the central interval of this probability."""
        self._check_fitted()
        return self.model_.predict_interval(self._new_rows(X), probability, latent=latent)

    def predict_quantiles(self, X: Any, probabilities: Sequence[float], *, latent: bool = False) -> np.ndarray:
        """(rows, probabilities): quantiles of the observations; the median at 0.5.

        >>> import numpy as np
        >>> x = np.linspace(0, 1, 30).reshape(-1, 1)
        >>> gp = OneShotGPRegressor(transform="log").fit(x, np.exp(3 * x[:, 0]))
        >>> median = gp.predict_quantiles(x, [0.5])[:, 0]
        >>> bool((median <= gp.predict(x)).all())
        True
        """
        self._check_fitted()
        return self.model_.predict_quantiles(self._new_rows(X), list(probabilities), latent=latent)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, *, latent: bool = False) -> np.ndarray:
        """(rows, n_samples): joint draws from the posterior."""
        self._check_fitted()
        return self.model_.sample(self._new_rows(X), n_samples, seed_of(random_state), latent=latent)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False) -> Any:
        """Of the standardised targets: at the fitted parameters, or at theta (as theta_); with eval_gradient also its
        gradient in theta."""
        self._check_fitted()
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        value, gradient = self.model_.log_likelihood_at(self.theta_ if theta is None else theta)
        return (value, gradient) if eval_gradient else value

    def update(self, X: Any, y: Any, *, reinfer: bool | str = "drift") -> "OneShotGPRegressor":
        """Adds rows, as `instantgp update` does: the scaling stays, and the parameters are inferred again when the new
        rows surprise the model ("drift", the default), always (True or "always") or never (False or "never"). How the
        rows looked to the model before is in drift_.

        >>> import numpy as np
        >>> x = np.linspace(0, 1, 20).reshape(-1, 1)
        >>> gp = OneShotGPRegressor().fit(x[:15], np.cos(5 * x[:15, 0]))
        >>> gp.update(x[15:], np.cos(5 * x[15:, 0])).model_.rows
        20
        """
        self._check_fitted()
        X, y = self._more_rows(X, y)
        when = {True: "always", False: "never"}.get(reinfer, reinfer)
        model, self.drift_ = self.model_.update(X, y, reinfer=when, options=self._fit_options())
        self.X_train_, self.y_train_ = np.vstack([self.X_train_, X]), np.concatenate([self.y_train_, y])
        return self._keep(model)

    def explain(self) -> dict[str, Any]:
        """What the kernel's addends contribute: {"components": [{"component", "columns", "share", "std"}, ...],
        "residual_share", ...}, largest share of the variance first. predict_component gives the posterior of one. With a
        transform the components add up to the transformed target ("transform" names it); of a logarithm each is a factor.

        >>> import numpy as np
        >>> x = np.linspace(0, 1, 30).reshape(-1, 1)
        >>> gp = OneShotGPRegressor("SE + LIN").fit(x, 3 * x[:, 0] + np.cos(20 * x[:, 0]))
        >>> len(gp.explain()["components"])
        2
        """
        self._check_fitted()
        return self.model_.explain()

    def predict_component(self, number: int, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """(mean, std) of component `number` of explain() at new rows, without noise, around 0."""
        self._check_fitted()
        return self.model_.predict_component(number, self._new_rows(X))

    def export_code(self, target: str = "sklearn") -> str:
        """The same model as code for "sklearn", "gpytorch", "gpflow" or "stan", parameters converted.

        >>> import numpy as np
        >>> x = np.linspace(0, 1, 20).reshape(-1, 1)
        >>> code = OneShotGPRegressor("PER").fit(x, np.cos(9 * x[:, 0])).export_code("sklearn")
        >>> "ExpSineSquared" in code
        True
        """
        self._check_fitted()
        return _export.export_code(self.model_, target)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """A picture as matplotlib axes: the prediction with its 95% band over one column, or, with several, left-out
        predictions against targets. See instantgp._plot.plot_model for the options."""
        from . import _plot

        self._check_fitted()
        return _plot.plot_model(self.model_, self.X_train_, self.y_train_, ax=ax, **options)

    def _keep(self, model: _core.Model, quiet: bool = False) -> "OneShotGPRegressor":
        self.model_ = model
        self.kernel_ = model.kernel
        self.transform_ = model.transform
        self.parameters_ = model.parameters
        self.theta_ = model.theta
        self.averaged_over_ = model.averaged_over
        self.noise_variance_ = model.noise_variance
        self.noise_variance_original_units_ = model.noise_variance_original_units
        self.log_marginal_likelihood_value_ = model.log_marginal_likelihood
        self.nlml_per_point_ = model.nlml_per_point
        self.warnings_ = model.warnings
        if not quiet:
            _table.tell(self.warnings_, stacklevel=4)
        return self
