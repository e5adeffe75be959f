"""Forecasts of time series."""
from __future__ import annotations

import csv
import io
from typing import Any, Optional, Sequence, Union

from . import _core, _dask


class GPForecaster:
    """The next steps of one series or of many, as a mixture of Gaussian processes.

    Parameters
    ----------
    horizon : steps to forecast.
    by : columns that tell series apart, for a long frame; None: the data are one series.
    time, target : columns of times and values; None: the first column of dates, and the last column.
    season : "auto" (from the step of the dates), None, a period in steps, or several.
    levels : of the intervals, in percent.
    transform : "auto", "none", "log" or "boxcox".
    fast : two fits a series instead of eight.
    threads : None: all cores, and one for each partition of a Dask frame. Results do not depend on it.
    date_format : how times are written, "%d.%m.%y"; None: found out.
    learn_priors : with `by`, first learn from this many of the series what is usual among them; 0: not.
    seed : which series those are.

    Data may be a Dask frame, then `by` is needed and predict and backtest return Dask frames: nothing is computed before
    they are asked for, each partition by one worker. Priors are learned in fit, here, and sent to the workers.

    >>> import pandas, instantgp
    >>> months = pandas.period_range("2015-01", periods=60, freq="M").strftime("%Y-%m")
    >>> frame = pandas.DataFrame({"month": months, "sold": [100 + t + 10 * (t % 12 == 11) for t in range(60)]})
    >>> next_year = instantgp.GPForecaster(horizon=12).fit(frame).predict()
    >>> list(next_year.columns[:4]), next_year["month"][0]
    (['month', 'mean', 'median', 'std'], '2020-01')
    >>> bool((next_year["lower95"] < next_year["median"]).all())
    True
    """

    def __init__(
        self,
        horizon: int = 1,
        by: Union[str, Sequence[str], None] = None,
        season: Any = "auto",
        *,
        time: Optional[str] = None,
        target: Optional[str] = None,
        levels: Sequence[float] = (80, 95),
        transform: str = "auto",
        fast: bool = False,
        threads: Optional[int] = None,
        date_format: Optional[str] = None,
        learn_priors: int = 0,
        seed: int = 0,
    ) -> None:
        self.horizon = horizon
        self.by = by
        self.season = season
        self.time = time
        self.target = target
        self.levels = levels
        self.transform = transform
        self.fast = fast
        self.threads = threads
        self.date_format = date_format
        self.learn_priors = learn_priors
        self.seed = seed

    _given: Optional[str] = None  # priors that were learned elsewhere
    _parts = True  # keep components and anomalies, which predict does not need
    _names = (
        "horizon", "by", "season", "time", "target", "levels", "transform", "fast", "threads", "date_format",
        "learn_priors", "seed",
    )  # fmt: skip

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names}

    def set_params(self, **params: Any) -> "GPForecaster":
        for name, value in params.items():
            if name not in self._names:
                raise ValueError(f"GPForecaster has no parameter {name!r}; it has {', '.join(self._names)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"GPForecaster({', '.join(f'{name}={getattr(self, name)!r}' for name in self._names)})"

    def fit(self, data: Any) -> "GPForecaster":
        """Takes a long frame, or a Series whose index holds the times; forecasts are made here. Of a Dask frame they are made
        when they are asked for."""
        self.__dict__.pop("result_", None)
        self.__dict__.pop("partitions_", None)
        self.__dict__.pop("priors_", None)
        if _dask.is_frame(data):
            if not self._keys():
                raise _core.InputError("a Dask frame holds many series; name the columns that tell them apart in by")
            self._time_name(data)
            if self.learn_priors:
                self.priors_ = self._learn(_as_csv(self._sample(data)))
            self.partitions_ = data
            return self
        self.csv_ = _as_csv(data)
        if self._given is not None:
            self.priors_ = self._given
        elif self.learn_priors:
            self.priors_ = self._learn(self.csv_)
        self.result_ = self._run(backtest=0, components=self._parts, anomalies=self._parts)
        return self

    def predict(self) -> Any:
        """A frame with one row per series and step: keys, time, mean, median, std, lowerL and upperL of each level; with `by`
        also a reason, and of a series without a forecast one row with nothing else."""
        import pandas

        if hasattr(self, "partitions_"):
            kinds = {name: "float64" for name in self._columns(self._time_name(self.partitions_))}
            kinds.update({name: "object" for name in [*self._keys(), self._time_name(self.partitions_), "reason"]})
            part = self._for_part()
            return _dask.map_series(self.partitions_, self._keys(), lambda rows: part().fit(rows).predict(), kinds)
        self._check()
        keys, rows = self._keys(), []
        for one in self.result_["series"]:
            key = dict(zip(keys, one["key"]))
            if not one["ok"]:
                rows.append({**key, "reason": one["reason"]})
            for h, when in enumerate(one["times"]):
                row = {**key, self.result_["time"]: when, "reason": ""}
                row.update(mean=one["mean"][h], median=one["median"][h], std=one["std"][h])
                for k, level in enumerate(self.levels):
                    row[f"lower{level:g}"] = one["lower"][h][k]
                    row[f"upper{level:g}"] = one["upper"][h][k]
                rows.append(row)
        return pandas.DataFrame(rows, columns=self._columns(self.result_["time"]))

    def backtest(self, origins: int = 5) -> Any:
        """Forecasts from earlier ends of each series against what came: a frame with mase, smape, scrps, coverage95 and
        naive_mase per series."""
        import pandas

        names = ["mase", "smape", "scrps", "coverage95", "naive_mase", "steps"]
        if hasattr(self, "partitions_"):
            kinds = {**{name: "object" for name in self._keys()}, **{name: "float64" for name in names}}
            part = self._for_part()
            return _dask.map_series(
                self.partitions_, self._keys(), lambda rows: part().fit(rows).backtest(origins), kinds
            )
        self._check()
        result = self._run(backtest=origins, components=False, anomalies=False)
        keys = self._keys()
        rows = [{**dict(zip(keys, s["key"])), **(s["backtest"] or {})} for s in result["series"]]
        return pandas.DataFrame(rows, columns=keys + names)

    def plot(self, series: int = 0, ax: Any = None) -> Any:
        """History, median and intervals of one series; needs matplotlib."""
        import matplotlib.pyplot as plt

        self._check()
        one = self.result_["series"][series]
        ax = ax or plt.gca()
        n = len(one["values"])
        future = range(n, n + len(one["times"]))
        ax.plot(range(n), one["values"], color="#222222", lw=1, label="history")
        for k in reversed(range(len(self.levels))):
            low, high = [row[k] for row in one["lower"]], [row[k] for row in one["upper"]]
            ax.fill_between(future, low, high, alpha=0.2, color="#0072B2", lw=0, label=f"{self.levels[k]:g}%")
        ax.plot(future, one["median"], color="#0072B2", label="median")
        times = one["past"] + one["times"]
        every = max(1, len(times) // 8)
        ax.set_xticks(range(0, len(times), every), times[::every], rotation=30)
        ax.set_ylabel(self.result_["target"])
        ax.legend()
        return ax

    def _columns(self, time: str) -> list[str]:
        limits = [f"{side}{level:g}" for level in self.levels for side in ("lower", "upper")]
        return [*self._keys(), time, "mean", "median", "std", *limits, *(["reason"] if self._keys() else [])]

    def _for_part(self) -> Any:
        """Makes a forecaster for the rows of one partition: the same, on one thread unless threads says otherwise."""
        params = {**self.get_params(), "threads": self.threads or 1}
        priors = getattr(self, "priors_", None)

        def make() -> "GPForecaster":
            forecaster = GPForecaster(**params)
            forecaster._parts = False
            forecaster._given = priors
            return forecaster

        return make

    def _time_name(self, data: Any) -> str:
        """The column of times, by its first rows: every partition must take the same."""
        if self.time:
            return self.time
        head = data.head(20, npartitions=-1)
        return _core.forecast_columns(_as_csv(head), "", self.target or "", self._keys(), self.date_format or "")["time"]

    def _keys(self) -> list[str]:
        return [self.by] if isinstance(self.by, str) else list(self.by or [])

    def _check(self) -> None:
        if hasattr(self, "partitions_"):
            raise _core.InputError("of a Dask frame there is predict and backtest; fit a part of it for the rest")
        if not hasattr(self, "result_"):
            raise _core.InputError("this GPForecaster has seen no data yet; call fit first")

    def _sample(self, data: Any) -> Any:
        """The rows of the series to learn from, the same as of one frame: the keys decide, not where rows lie."""
        keys = data[self._keys()].drop_duplicates().compute()
        texts = list(csv.reader(io.StringIO(_as_csv(keys))))[1:]
        chosen = keys.iloc[_core.sample_of_series(texts, self.learn_priors, self.seed)]
        return data.map_partitions(lambda part: part.merge(chosen, on=list(chosen.columns)), meta=data._meta).compute()

    def _learn(self, text: str) -> str:
        return _core.learn_forecast_priors(
            text, self.time or "", self.target or "", self._keys(), self.date_format or "", self.horizon, self._season(),
            self.transform, self.fast, self.learn_priors, self.seed, self.threads or 0,
        )  # fmt: skip

    def _season(self) -> Optional[list[float]]:
        if isinstance(self.season, str) and self.season != "auto":
            raise _core.InputError(f"season is 'auto', None, a number or several, not {self.season!r}")
        if isinstance(self.season, str):
            return None
        if self.season is None:
            return []
        return [float(v) for v in ([self.season] if isinstance(self.season, (int, float)) else self.season)]

    def _run(self, backtest: int, components: bool, anomalies: bool) -> dict[str, Any]:
        return _core.forecast(
            self.csv_, self.time or "", self.target or "", self._keys(), self.date_format or "", self.horizon,
            self._season(), [float(v) for v in self.levels], self.transform, self.fast, backtest, components, anomalies,
            self.threads or 0, getattr(self, "priors_", ""),
        )  # fmt: skip


def _as_csv(data: Any) -> str:
    """The text the program would read; numbers with all their digits."""
    import pandas

    if isinstance(data, pandas.Series):
        data = data.rename(data.name or "value").to_frame()
        data.insert(0, data.index.name or "time", data.index)
    if not isinstance(data, pandas.DataFrame):
        raise _core.InputError("GPForecaster takes a pandas frame or Series")
    frame = data.copy()
    for name in frame.columns:
        if isinstance(frame[name].dtype, pandas.PeriodDtype):
            frame[name] = frame[name].astype(str)
    return frame.to_csv(index=False)
