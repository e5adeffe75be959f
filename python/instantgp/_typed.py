"""Frames with dates, categories and gaps: their columns as the compiled module takes them."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core


def needs_types(X: Any) -> bool:
    """Whether a table holds anything but numbers. Arrays and lists of numbers do not, whatever their type."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None:
        dtype = getattr(X, "dtype", None)
        return dtype is not None and getattr(dtype, "kind", "") == "M"
    if not hasattr(X, "columns"):  # a Series
        dtypes = [dtypes]
    return any(getattr(dtype, "kind", "O") not in "biufc" for dtype in dtypes)


def frame_of(X: Any) -> Any:
    """A frame: of a Series one column, of an array x1, x2, ..."""
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame(X.name if isinstance(X.name, str) and X.name else "x1")
    if isinstance(X, pd.Index):
        return X.to_frame(index=False, name=X.name if isinstance(X.name, str) and X.name else "x1")
    values = np.asarray(X)
    if values.ndim == 1:
        values = values.reshape(-1, 1)
    return pd.DataFrame(values, columns=[f"x{k + 1}" for k in range(values.shape[1])])


def names_of(frame: Any) -> list[str]:
    """Names of the columns as texts; without names x1, x2, ..."""
    if all(isinstance(name, (int, np.integer)) for name in frame.columns):
        return [f"x{k + 1}" for k in range(frame.shape[1])]
    return [str(name) for name in frame.columns]


def rows_with_gaps(X: Any) -> np.ndarray:
    return frame_of(X).isna().any(axis=1).to_numpy()


def raw_columns(frame: Any, wanted: Optional[Sequence[str]] = None) -> list[tuple[str, Any]]:
    """(name, values) of every column. `wanted` names them by position where the frame has no names of its own."""
    names = names_of(frame)
    if wanted is not None and names == [f"x{k + 1}" for k in range(len(names))] and len(wanted) == len(names):
        names = list(wanted)
    return [(name, _values(frame.iloc[:, k])) for k, name in enumerate(names)]


def learn(
    X: Any,
    y: Any,
    target: str,
    missing: str = "error",
    categorical: Optional[Sequence[str]] = None,
    date_format: Union[str, Mapping[str, str], None] = None,
) -> tuple[_core.Dataset, np.ndarray]:
    """The dataset of a frame, and which of its rows are in it."""
    frame = frame_of(X)
    names = names_of(frame)
    # A Series computed from a column keeps that column's name: shops["city"] == "Rome".
    while target in names:
        target += " (target)"
    codes = [names[k] for k in range(len(names)) if _is_category(frame.iloc[:, k])]
    for name in [categorical] if isinstance(categorical, str) else categorical or []:
        if str(name) not in codes:
            codes.append(str(name))
    formats: list[str] = []
    if isinstance(date_format, str):
        formats = [date_format]
    elif date_format is not None:
        formats = [f"{column}={text}" for column, text in date_format.items()]
    columns = raw_columns(frame)
    for k, (name, values) in enumerate(columns):
        if any(text.startswith(f"{name}=") for text in formats) and isinstance(values, np.ndarray) and values.dtype.kind == "f":
            columns[k] = (name, _texts(frame.iloc[:, k]))
    data, rows = _core.learn_table(
        columns, np.asarray(y, dtype=np.float64), target, missing=missing, categorical=codes, date_formats=formats
    )
    return data, np.asarray(rows, dtype=int)


def _is_category(column: Any) -> bool:
    return str(column.dtype) == "category"


def _texts(column: Any) -> list[str]:
    values = column.astype(object)
    gaps = column.isna().to_numpy()
    return ["" if gap else _text(value) for value, gap in zip(values, gaps)]


def _text(value: Any) -> str:
    """As a CSV would have it: a whole number without its .0."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _values(column: Any) -> Any:
    """Floats (NaN: missing), texts ("": missing), or microseconds since 1970 as integers (NaT: missing)."""
    import pandas as pd

    if _is_category(column):
        return _texts(column)
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, pd.PeriodDtype):
        return _microseconds(column.dt.to_timestamp())
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _microseconds(column)
    if kind in "biuf" and not pd.api.types.is_timedelta64_dtype(column.dtype):
        return _floats(column)
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found in ("datetime", "datetime64", "date"):
        return _microseconds(pd.to_datetime(column))
    if found in ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"):
        return _floats(column)
    return _texts(column)


def _floats(column: Any) -> np.ndarray:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _microseconds(column: Any) -> np.ndarray:
    """Times with a zone are compared in UTC."""
    if getattr(column.dt, "tz", None) is not None:
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column.to_numpy(dtype="datetime64[us]").astype(np.int64)
