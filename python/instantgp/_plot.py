"""Pictures with matplotlib, which is imported only here."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core

POINTS = 400  # of a curve
MARGIN = 0.05  # of the range, on both sides


def new_axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot() needs matplotlib; on Debian: apt-get install python3-matplotlib") from missing
    return pyplot.subplots()[1]


def grid_of(X: np.ndarray, until: Optional[float]) -> np.ndarray:
    low, high = float(X.min()), float(X.max())
    margin = MARGIN * (high - low) or 1.0
    return np.linspace(low - margin, high + margin if until is None else until, POINTS).reshape(-1, 1)


def curve(ax: Any, grid: np.ndarray, mean: np.ndarray, lower: np.ndarray, upper: np.ndarray, label: str) -> None:
    (line,) = ax.plot(grid[:, 0], mean, label=label, linewidth=2)
    ax.fill_between(grid[:, 0], lower, upper, color=line.get_color(), alpha=0.2, linewidth=0, label="95%")


def finish(ax: Any, fitted: Any, X: np.ndarray, y: np.ndarray) -> Any:
    ax.plot(X[:, 0], y, "k.", markersize=4, label="rows", zorder=3)
    ax.set_xlabel(fitted.column_names[0])
    ax.set_ylabel(fitted.target_name)
    if fitted.place_in_words(0, 0.0):  # a column of dates
        ax.xaxis.set_major_formatter(lambda place, _: fitted.place_in_words(0, place))
        ax.tick_params(axis="x", rotation=30)
    ax.legend()
    return ax


def against_targets(ax: Any, fitted: Any, y: np.ndarray, left_out: np.ndarray, std: Optional[np.ndarray]) -> Any:
    bars = None if std is None else 1.96 * std
    ax.errorbar(y, left_out, yerr=bars, fmt=".", markersize=4, elinewidth=0.5, alpha=0.7, label="each row left out")
    ends = [min(y.min(), left_out.min()), max(y.max(), left_out.max())]
    ax.plot(ends, ends, "k-", linewidth=1)
    ax.set_xlabel(fitted.target_name)
    ax.set_ylabel(f"{fitted.target_name}, predicted")
    ax.legend()
    return ax


def plot_model(
    model: _core.Model, X: np.ndarray, y: np.ndarray, *, ax: Any = None, until: Optional[float] = None,
    latent: bool = False,
) -> Any:
    """One column: mean and 95% band with the rows, drawn `until` this input. Several: left-out predictions against
    targets. Returns the axes."""
    ax = new_axes(ax)
    if model.columns > 1:
        mean, std, _ = model.loo()
        return against_targets(ax, model, y, mean, std)
    grid = grid_of(X, until)
    middle = model.predict_quantiles(grid, [0.5], latent=latent)[:, 0]  # the mean unless the target is transformed
    curve(ax, grid, middle, *model.predict_interval(grid, 0.95, latent=latent), label=model.kernel_short)
    return finish(ax, model, X, y)


def plot_ensemble(
    ensemble: _core.Ensemble, X: np.ndarray, y: np.ndarray, *, ax: Any = None, until: Optional[float] = None,
    members: int = 10,
) -> Any:
    """The same for a mixture, with the means of its heaviest members thin."""
    ax = new_axes(ax)
    if ensemble.columns > 1:
        return against_targets(ax, ensemble, y, ensemble.loo_mean(), None)
    grid = grid_of(X, until)
    for model in ensemble.models[:members]:
        ax.plot(grid[:, 0], model.predict_mean(grid), color="0.6", linewidth=0.6)
    mean, _ = ensemble.predict(grid)
    quantiles = ensemble.predict_quantiles(grid, [0.025, 0.975])
    curve(ax, grid, mean, quantiles[:, 0], quantiles[:, 1], label=f"mixture of {len(ensemble.models)}")
    return finish(ax, ensemble, X, y)
