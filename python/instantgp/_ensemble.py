"""EnsembleGPRegressor."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _table
from ._validation import Regressor, kernel_text, seed_of


class EnsembleGPRegressor(Regressor):
    """Many kernels as one model: a weighted mixture of Gaussian processes, the table read by the network once.

    Parameters
    ----------
    kernels : sequence of str, optional
        Kernel expressions; None: the 24 of instantgp.built_in_kernels().
    method : str, default="oneshot"
        How every member is fitted, as for OneShotGPRegressor; not "svgp".
    weighting : {"bma", "tempered", "loo", "uniform"}, default="bma"
        By log marginal likelihood (Bayesian model averaging), the same tempered, stacking of left-out densities, or
        all the same.
    temperature : float, optional
        Of "tempered"; None: the square root of the number of rows.
    steps, objective, restarts, categorical, date_format, missing, unseen, weights, threads, random_state
        As for OneShotGPRegressor. Threads are shared out over the members.

    Attributes
    ----------
    ensemble_ : Ensemble
    members_ : list of dict
        kernel, weight, nlml_per_point and status ("ok", or why it was left out), heaviest first.
    weights_ : array
        Of the members that could be fitted, in the order of members_.
    kernel_ : str
        That of the heaviest member.
    warnings_, X_train_, y_train_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> from instantgp import EnsembleGPRegressor
    >>> x = np.linspace(0, 4, 60).reshape(-1, 1)
    >>> y = np.sin(6 * x[:, 0]) + x[:, 0]
    >>> ensemble = EnsembleGPRegressor(["SE", "LIN + PER", "LIN"]).fit(x, y)
    >>> len(ensemble.members_), round(float(ensemble.weights_.sum()), 12)
    (3, 1.0)
    >>> ensemble.predict_quantiles(x[:2], [0.1, 0.5, 0.9]).shape
    (2, 3)
    """

    def __init__(
        self,
        kernels: Optional[Sequence[str]] = None,
        method: str = "oneshot",
        *,
        weighting: str = "bma",
        temperature: Optional[float] = None,
        steps: Optional[int] = None,
        objective: str = "ml",
        restarts: int = 10,
        categorical: Optional[Sequence[str]] = None,
        date_format: Union[str, Mapping[str, str], None] = None,
        missing: str = "error",
        unseen: str = "error",
        weights: Union[str, "os.PathLike[str]", None] = None,
        threads: Optional[int] = None,
        random_state: Any = 0,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.weighting = weighting
        self.temperature = temperature
        self.steps = steps
        self.objective = objective
        self.restarts = restarts
        self.categorical = categorical
        self.date_format = date_format
        self.missing = missing
        self.unseen = unseen
        self.weights = weights
        self.threads = threads
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "EnsembleGPRegressor":
        """Fits every kernel to the rows of X (n, d) and the targets y (n). Ctrl-C ends it."""
        data, X, y = self._training_data(X, y)
        ensemble = _core.fit_ensemble(data, self._kernels(), self._fit_options(), self.weighting, self._temperature())
        self.X_train_, self.y_train_ = X, y
        return self._keep(ensemble)

    def fit_encoding(self, encoding: _core.Encoding) -> "EnsembleGPRegressor":
        """Fits to a table the network has read already (instantgp.encode); methods oneshot and refine."""
        ensemble = _core.fit_ensemble_encoded(
            encoding, self._kernels(), self._fit_options(), self.weighting, self._temperature()
        )
        self._take_table(ensemble.models[0])
        return self._keep(ensemble)

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, *, latent: bool = False) -> Any:
        """Mean of the mixture; with return_std or return_cov also its standard deviation or covariance."""
        self._check_fitted()
        return self._predict(self.ensemble_, X, return_std, return_cov, latent, threads=self.threads or 0)

    def predict_quantiles(self, X: Any, probabilities: Sequence[float], *, latent: bool = False) -> np.ndarray:
        """(rows, probabilities): quantiles of the mixture, which need not be symmetric about its mean."""
        self._check_fitted()
        wanted = [float(p) for p in probabilities]
        return self.ensemble_.predict_quantiles(self._new_rows(X), wanted, latent=latent, threads=self.threads or 0)

    def log_density(self, X: Any, y: Any) -> np.ndarray:
        """log p(y_i | x_i) of every row under the mixture."""
        self._check_fitted()
        return self.ensemble_.log_density(self._new_rows(X), np.asarray(y, dtype=np.float64), threads=self.threads or 0)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, *, latent: bool = False) -> np.ndarray:
        """(rows, n_samples): each a joint draw from a member drawn by weight."""
        self._check_fitted()
        return self.ensemble_.sample(self._new_rows(X), n_samples, seed_of(random_state), latent=latent)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """A picture as matplotlib axes: over one column the members' means thin, the mixture's bold with its 95% band;
        with several, left-out predictions against targets."""
        from . import _plot

        self._check_fitted()
        return _plot.plot_ensemble(self.ensemble_, self.X_train_, self.y_train_, ax=ax, **options)

    def _kernels(self) -> list[str]:
        if isinstance(self.kernels, str):
            raise TypeError(f"kernels is a list of texts; for one kernel, [{self.kernels!r}]")
        return _core.built_in_kernels() if self.kernels is None else [kernel_text(k) for k in self.kernels]

    def _temperature(self) -> float:
        return 0.0 if self.temperature is None else float(self.temperature)

    def _keep(self, ensemble: _core.Ensemble) -> "EnsembleGPRegressor":
        self.ensemble_ = ensemble
        self.members_ = ensemble.members
        self.weights_ = np.array([m["weight"] for m in self.members_ if m["status"] == "ok"])
        self.kernel_ = self.members_[0]["kernel"]
        self.warnings_ = ensemble.warnings
        _table.tell(self.warnings_, stacklevel=4)
        return self
