"""Datasets from the distribution the network was trained on, or from a given kernel."""
from __future__ import annotations

from typing import NamedTuple, Optional, Sequence

import numpy as np

from . import _core


class Simulated(NamedTuple):
    X: np.ndarray  # (n, d), uniform on (0, 1)
    y: np.ndarray  # (n), with noise
    kernel: str
    parameters: np.ndarray
    parameter_names: list[str]
    noise_variance: float


def simulate(
    kernel: Optional[str] = None,
    *,
    n: Optional[int] = None,
    d: Optional[int] = None,
    parameters: Optional[Sequence[float]] = None,
    noise_variance: Optional[float] = None,
    seed: int = 0,
    index: int = 0,
) -> Simulated:
    """Draws dataset number `index` of the run with this seed; the same as `instantgp simulate` draws.

    Without a kernel the structure, its parameters, n and d are drawn as the network's training data are. With one, n is
    100 unless given, and parameters and noise come from their priors unless given.

    >>> import instantgp
    >>> draw = instantgp.simulate("SE + PER", n=30, parameters=[1, 0.2, 0.5, 1, 0.25], noise_variance=0.01, seed=7)
    >>> draw.X.shape, draw.kernel, draw.parameter_names[-1]
    ((30, 1), 'SE(x1) + PER(x1)', 'PER(x1) period')
    """
    if kernel is None:
        if parameters is not None or noise_variance is not None:
            raise ValueError("parameters and noise_variance belong to a kernel; give one")
        return Simulated(*_core.simulate(n, d, seed, index))
    given = [] if parameters is None else [float(value) for value in parameters]
    return Simulated(*_core.simulate_kernel(kernel, n, d, given, noise_variance, seed, index))
