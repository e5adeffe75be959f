"""Forecasts of a Dask frame: every partition on the worker that holds it."""
from __future__ import annotations

from typing import Any, Callable


def is_frame(data: Any) -> bool:
    """Whether data is a frame of Dask; does not import it."""
    kind = type(data)
    return kind.__module__.split(".")[0] in ("dask", "dask_expr") and kind.__name__ == "DataFrame"


def map_series(data: Any, keys: list[str], function: Callable[[Any], Any], columns: dict[str, str]) -> Any:
    """function on frames that hold whole series, as a Dask frame of these columns.

    The rows of a series are brought together first. Nothing is computed before the result is asked for, and what a lost
    worker had is computed again by another, partition by partition.
    """
    whole = data.shuffle(on=keys, npartitions=data.npartitions) if data.npartitions > 1 else data
    return whole.map_partitions(_on_part, function, columns, meta=_empty(columns))


def _empty(columns: dict[str, str]) -> Any:
    import pandas

    return pandas.DataFrame({name: pandas.Series(dtype=kind) for name, kind in columns.items()})


def _on_part(part: Any, function: Callable[[Any], Any], columns: dict[str, str]) -> Any:
    if len(part) == 0:
        return _empty(columns)
    return function(part).reindex(columns=list(columns)).astype(columns)
