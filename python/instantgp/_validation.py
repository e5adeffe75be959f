"""What both estimators share: scikit-learn's checks, whichever version is there, and options."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d

from . import _core, _table, _typed

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data
except ImportError:

    def validate_data(estimator: Any, *args: Any, **options: Any) -> Any:
        return estimator._validate_data(*args, **options)


def seed_of(random_state: Any) -> int:
    """An int is the seed itself, as for the program's --seed; anything else is drawn from, as elsewhere."""
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state is at least 0 and below 2**64, got {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def kernel_text(kernel: Any) -> str:
    if not isinstance(kernel, str):
        raise TypeError(f"a kernel is a text such as 'SE + LIN*PER', got {kernel!r}")
    return kernel


class Regressor(RegressorMixin, BaseEstimator):
    """The parts that do not depend on what is fitted."""

    def _fit_options(self) -> _core.FitOptions:
        return _core.FitOptions(
            method=self.method,
            steps=self.steps,
            objective=self.objective,
            restarts=self.restarts,
            inducing=getattr(self, "inducing", None) or 0,
            neighbours=getattr(self, "neighbours", None) or 0,
            every_lengthscale=getattr(self, "every_lengthscale", False),
            exact=getattr(self, "exact", False),
            transform=vars(self).get("transform", "none"),
            seed=seed_of(self.random_state),
            threads=self.threads or 0,
            weights=None if self.weights is None else os.fspath(self.weights),
        )

    def _training_data(self, X: Any, y: Any) -> tuple[_core.Dataset, np.ndarray, np.ndarray]:
        """The table, and what becomes X_train_ and y_train_ once the fit has succeeded."""
        name = _table.target_name(y)
        if _typed.needs_types(X) or self.missing != "error" or self.categorical or self.date_format:
            y = column_or_1d(y, warn=True)
            assert_all_finite(y, input_name="y")
            frame = _typed.frame_of(X)
            data, rows = _typed.learn(frame, y, name, self.missing, self.categorical, self.date_format)
            self.n_features_in_ = frame.shape[1]
            self.__dict__.pop("feature_names_in_", None)
            if hasattr(X, "columns") or hasattr(X, "name"):
                self.feature_names_in_ = np.array(_typed.names_of(frame), dtype=object)
            return data, data.X, np.asarray(y, dtype=np.float64)[rows]
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        y = np.asarray(y, dtype=np.float64)
        names = getattr(self, "feature_names_in_", [f"x{k + 1}" for k in range(X.shape[1])])
        return _core.Dataset(X, y, [str(column) for column in names], name), X, y

    def _check_fitted(self) -> None:
        check_is_fitted(self, "warnings_")  # what is set last

    def get_feature_names(self) -> list[str]:
        """What the model sees of the columns: the columns themselves, levels of categories ("city=Paris"), gaps
        ("age missing")."""
        self._check_fitted()
        return list(self._fitted.column_names)

    @property
    def _fitted(self) -> Any:
        return getattr(self, "model_", None) or self.ensemble_

    def _more_rows(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows with their targets, as the model sees them."""
        if self._fitted.table is None:
            return validate_data(self, X, y, reset=False, y_numeric=True, dtype=np.float64)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        if self.missing == "drop":
            keep = ~_typed.rows_with_gaps(X)
            X, y = _typed.frame_of(X)[keep], y[keep]
        return self._new_rows(X), np.asarray(y, dtype=np.float64)

    def _new_rows(self, X: Any) -> np.ndarray:
        self._check_fitted()
        if self._fitted.table is not None:
            columns = _typed.raw_columns(_typed.frame_of(X), [column["column"] for column in self._fitted.table])
            rows, notes = self._fitted.rows_of(columns, "impute" if self.missing == "impute" else "error", self.unseen)
            _table.tell(notes, stacklevel=5)
            return rows
        return validate_data(self, X, reset=False, dtype=np.float64)

    def _take_table(self, model: _core.Model) -> None:
        """What fit would have taken from the table, from a model of it. x1, x2, ... stand for columns without names."""
        columns = model.column_names if model.table is None else [column["column"] for column in model.table]
        self.n_features_in_ = len(columns)
        self.__dict__.pop("feature_names_in_", None)
        if columns != [f"x{k + 1}" for k in range(len(columns))]:
            self.feature_names_in_ = np.array(columns, dtype=object)
        scaling = model.scaling
        self.X_train_ = scaling["x_min"] + scaling["x_range"] * model.X_scaled
        self.y_train_ = model.y

    def _predict(self, fitted: Any, X: Any, return_std: bool, return_cov: bool, latent: bool, **options: Any) -> Any:
        if return_std and return_cov:
            raise ValueError("at most one of return_std and return_cov can be asked for")
        X = self._new_rows(X)
        if return_cov:
            mean, _ = fitted.predict(X, latent=latent, **options)
            return mean, fitted.predict_cov(X, latent=latent)
        mean, std = fitted.predict(X, latent=latent, **options)
        return (mean, std) if return_std else mean
