"""Predictions and scores of tables in many partitions, on the workers of a Dask cluster.

    from dask.distributed import Client
    from instantgp import partitions

    client = Client(...)
    predictions = partitions.predict(gp, frame)        # a Dask frame: mean, std, lower95, upper95
    scores = partitions.score(gp, frame, "price")      # rmse, nll, coverage95 of all rows

The model goes once to every worker; a partition is predicted where it lies. A worker that dies takes nothing with it that
Dask cannot make again.
"""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

__all__ = ["predict", "score"]

_COLUMNS = ["mean", "std", "lower95", "upper95"]
_Z95 = 1.959963984540054


def _client(client: Any) -> Any:
    if client is not None:
        return client
    from distributed import default_client

    return default_client()


def _inputs(fitted: Any) -> list:
    names = getattr(fitted, "feature_names_in_", None)
    if names is None:
        raise ValueError("fit the estimator to a frame, so that partitions can be matched to it by their columns' names")
    return [str(name) for name in names]


def _predict_part(part: Any, fitted: Any, latent: bool) -> Any:
    import pandas as pd

    if len(part) == 0:
        return pd.DataFrame({name: np.empty(0) for name in _COLUMNS}, index=part.index)
    mean, std = fitted.predict(part[_inputs(fitted)], return_std=True, latent=latent)
    values = {"mean": mean, "std": std, "lower95": mean - _Z95 * std, "upper95": mean + _Z95 * std}
    return pd.DataFrame(values, index=part.index)


def _score_part(part: Any, fitted: Any, target: str) -> np.ndarray:
    """Rows, and the sums over them of squared error, negative log density and rows inside the interval."""
    if len(part) == 0:
        return np.zeros(4)
    y = part[target].to_numpy(dtype=float)
    mean, std = fitted.predict(part[_inputs(fitted)], return_std=True)
    z = (y - mean) / np.maximum(std, np.finfo(float).tiny)
    nll = 0.5 * np.log(2 * np.pi) + np.log(np.maximum(std, np.finfo(float).tiny)) + 0.5 * z**2
    return np.array([len(y), np.sum((y - mean) ** 2), np.sum(nll), np.sum(np.abs(z) <= _Z95)])


def _send(fitted: Any, client: Any) -> Any:
    return client.scatter(fitted, broadcast=True, hash=False)


def predict(fitted: Any, frame: Any, *, latent: bool = False, client: Optional[Any] = None) -> Any:
    """A Dask frame with the columns mean, std, lower95 and upper95 and the index and partitions of `frame`, computed when
    it is asked for. `fitted` is an estimator fitted to a frame; other columns of `frame` are ignored."""
    import pandas as pd
    from dask import delayed
    from dask.dataframe import from_delayed

    _inputs(fitted)
    sent = _send(fitted, _client(client))
    meta = pd.DataFrame({name: np.empty(0) for name in _COLUMNS}, index=frame._meta.index)
    parts = [delayed(_predict_part)(part, sent, latent) for part in frame.to_delayed()]
    return from_delayed(parts, meta=meta, divisions=frame.divisions, verify_meta=False)


def score(fitted: Any, frame: Any, target: str, *, client: Optional[Any] = None) -> dict:
    """{"n", "rmse", "nll", "coverage95"} over all rows of a Dask frame, in the units of the target."""
    from dask import delayed

    _inputs(fitted)
    client = _client(client)
    sent = _send(fitted, client)
    parts = [delayed(_score_part)(part, sent, target) for part in frame.to_delayed()]
    n, squares, nll, inside = np.sum(client.gather(client.compute(parts)), axis=0)
    if n == 0:
        raise ValueError("there are no rows to score")
    return {"n": int(n), "rmse": float(np.sqrt(squares / n)), "nll": float(nll / n), "coverage95": float(inside / n)}
