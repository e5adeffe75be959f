"""Gaussian processes without the wait.

>>> import numpy as np, instantgp
>>> x = np.linspace(0, 6, 60).reshape(-1, 1)
>>> gp = instantgp.OneShotGPRegressor("SE").fit(x, np.sin(x[:, 0]))
>>> mean, std = gp.predict([[1.0], [2.0]], return_std=True)
>>> bool(np.all(np.abs(mean - np.sin([1.0, 2.0])) < 0.05))
True

Importing does no work: neither scikit-learn nor the network's weights are touched before they are used.
"""
from __future__ import annotations

import importlib
import os
from typing import Any


def _choose_module() -> None:
    """Debian's package holds the compiled module twice; the one in the folder x86-64-v3 needs AVX2 and what came with it."""
    newer = os.path.join(__path__[0], "x86-64-v3")
    if not os.path.isdir(newer):
        return
    try:
        with open("/proc/cpuinfo") as cpuinfo:
            flags = next((line.split() for line in cpuinfo if line.startswith("flags")), [])
    except OSError:
        return
    if {"avx2", "fma", "bmi1", "bmi2", "f16c", "abm", "movbe"} <= set(flags):
        __path__.insert(0, newer)


_choose_module()

_WHERE = {  # name -> module that holds it, read at first use
    "OneShotGPRegressor": "_regressor",
    "EnsembleGPRegressor": "_ensemble",
    "GPForecaster": "_forecast",
    "FitWarning": "_table",
    "Encoding": "_core",
    "Ensemble": "_core",
    "Model": "_core",
    "Error": "_core",
    "InputError": "_core",
    "LimitError": "_core",
    "NumericalError": "_core",
    "FailureError": "_core",
    "built_in_kernels": "_core",
    "encode": "_table",
    "load": "_table",
    "parse_kernel": "_table",
    "search": "_search",
    "SearchResult": "_search",
    "simulate": "_simulate",
    "Simulated": "_simulate",
    "export_code": "_export",
    "__version__": "_core",
}

__all__ = [name for name in _WHERE if not name.startswith("_")]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'instantgp' has no attribute '{name}'")
    value = getattr(importlib.import_module("instantgp." + _WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_WHERE))
