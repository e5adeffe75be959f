"""From what users hold (frames, arrays, lists) to the library's tables, without scikit-learn."""
from __future__ import annotations

import os
import warnings
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np

from . import _core, _typed


class FitWarning(UserWarning):
    """What the library found worth telling about data or fit: a constant column, jitter, a step limit."""


def column_names(X: Any, d: int) -> list[str]:
    """The names of a frame's columns; x1, x2, ... where there are none."""
    names = getattr(X, "columns", None)
    if names is not None and len(names) == d and all(isinstance(name, str) for name in names):
        return [str(name) for name in names]
    return [f"x{k + 1}" for k in range(d)]


def target_name(y: Any) -> str:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def dataset(X: Any, y: Any) -> _core.Dataset:
    """Checks and copies; a single column may be given as a one-dimensional array, dates and categories in a frame."""
    if _typed.needs_types(X):
        return _typed.learn(X, y, target_name(y))[0]
    values = np.asarray(X, dtype=np.float64)
    if values.ndim == 1:
        values = values.reshape(-1, 1)
    targets = np.asarray(y, dtype=np.float64)
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    return _core.Dataset(values, targets, column_names(X, values.shape[-1]), target_name(y))


def tell(messages: Iterable[str], stacklevel: int = 3) -> None:
    for message in messages:
        warnings.warn(message, FitWarning, stacklevel=stacklevel)


def encode(X: Any, y: Any, *, weights: Optional[str] = None, threads: Optional[int] = None) -> _core.Encoding:
    """Reads a table once, to ask for any number of kernels afterwards.

    >>> import numpy as np, instantgp
    >>> x = np.linspace(0, 1, 50)
    >>> encoding = instantgp.encode(x, np.sin(9 * x))
    >>> for kernel in ["SE", "MAT52"]:
    ...     gp = instantgp.OneShotGPRegressor(kernel).fit_encoding(encoding)
    ...     print(gp.kernel_, gp.n_features_in_)
    SE(x1) 1
    MAT52(x1) 1

    weights: a file of weights instead of the network inside the library; threads: at most so many (None: as the
    machine has, or OMP_NUM_THREADS).
    """
    options = _core.FitOptions(threads=threads or 0, weights=None if weights is None else os.fspath(weights))
    return _core.encode(dataset(X, y), options)


def load(path: Union[str, "os.PathLike[str]"]) -> Union[_core.Model, _core.Ensemble]:
    """A file that the program, C++ or Python saved: a Model or an Ensemble.

    >>> import instantgp, numpy as np, os, tempfile
    >>> gp = instantgp.OneShotGPRegressor().fit(np.arange(9.0).reshape(-1, 1), np.arange(9.0) % 4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gp.model_.save(os.path.join(folder, "small.gp"))
    ...     instantgp.load(os.path.join(folder, "small.gp"))
    <instantgp.Model SE, 9 rows>
    """
    path = os.fspath(path)
    with open(path, "rb") as file:
        content = file.read()
    # The header of the container is JSON and names the format.
    header = content[8 : 8 + int.from_bytes(content[:8], "little")]
    if b'"instantgp/ensemble"' in header:
        return _core.Ensemble.from_bytes(content, path)
    return _core.Model.from_bytes(content, path)


def parse_kernel(kernel: str, columns: Union[int, Sequence[str]] = 1) -> str:
    """The canonical text of a kernel expression over columns (their names, or how many: x1, x2, ...).

    >>> parse_kernel("LIN + per*se", 2)
    '(LIN(x1) + SE(x1)*PER(x1)) * (LIN(x2) + SE(x2)*PER(x2))'
    >>> parse_kernel("Matern52(month) * RBF(price)", ["month", "price"])
    'MAT52(month)*SE(price)'
    """
    names = [f"x{k + 1}" for k in range(columns)] if isinstance(columns, int) else list(columns)
    return _core.parse_kernel(kernel, names)[0]
