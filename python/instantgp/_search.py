"""Which kernel fits a table."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _core, _table


@dataclass(frozen=True)
class SearchResult:
    """What a search found, best kernel first."""

    model: _core.Model  # the best kernel, fitted to all rows
    # kernel, kernel_short, weight (its probability among all), score (negative log evidence per point), nlml_per_point,
    # parameters (how many the data can determine), refined, round, words, status
    candidates: list[dict[str, Any]]
    evaluated: int
    failed: int
    rounds: int
    out_of_time: bool
    warnings: list[str]

    @property
    def kernel(self) -> str:
        """The best kernel's canonical text."""
        return self.candidates[0]["kernel"]

    @property
    def words(self) -> str:
        """What it says, in words."""
        return self.candidates[0]["words"]

    @property
    def regressor(self) -> Any:
        """The model as a fitted OneShotGPRegressor."""
        from ._regressor import OneShotGPRegressor

        return OneShotGPRegressor.from_model(self.model)

    def to_frame(self) -> Any:
        """The candidates as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.candidates)


def search(
    X: Any,
    y: Any,
    *,
    beam: int = 5,
    depth: int = 4,
    budget: Optional[float] = None,
    refine_top: int = 8,
    max_addends: int = 4,
    weights: Union[str, "os.PathLike[str]", None] = None,
    threads: Optional[int] = None,
) -> SearchResult:
    """Looks for the structure that explains a table best: beam search over sums and products on every column, scored
    by one-shot inference from a single reading of the table. Ctrl-C ends it.

    beam: structures whose neighbours are tried in a round; depth: rounds after the beginnings (the default fit,
    other structures on all columns, single symbols); budget: seconds (None: no limit), and at least the evidence of the
    default fit however few; refine_top: how many of the best are refined; max_addends: on one column; weights,
    threads: as for OneShotGPRegressor.

    >>> import numpy as np, instantgp
    >>> x = np.linspace(0, 5, 60)
    >>> y = 2 * x + np.sin(2 * np.pi * x) + 0.1 * np.random.default_rng(0).normal(size=60)
    >>> found = instantgp.search(x, y, depth=2, refine_top=1)
    >>> "PER" in found.kernel and found.model.rows == 60
    True
    >>> gp = found.regressor
    >>> gp.score(x.reshape(-1, 1), y) > 0.99
    True
    """
    options = _core.FitOptions(threads=threads or 0, weights=None if weights is None else os.fspath(weights))
    model, candidates, figures, messages = _core.search(
        _table.dataset(X, y), beam, depth, 0.0 if budget is None else budget, refine_top, max_addends, options
    )
    _table.tell(messages)
    return SearchResult(model, candidates, warnings=messages, **figures)
