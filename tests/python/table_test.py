"""Frames with dates, categories and gaps in the Python package."""
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import instantgp
from instantgp import EnsembleGPRegressor, OneShotGPRegressor


def frame(months=36, seed=0, gaps=True):
    """Sales by month and city; prices with gaps."""
    random = np.random.default_rng(seed)
    index = pd.date_range("2015-01-01", periods=months, freq="MS").repeat(3)
    city = np.tile(["Paris", "Oslo", "Rome"], months)
    price = random.uniform(2, 5, len(index))
    m = np.arange(months).repeat(3)
    level = pd.Series(city).map({"Paris": 0.0, "Oslo": 4.0, "Rome": 9.0}).to_numpy()
    sales = 0.1 * m + 3 * np.sin(m * np.pi / 6) + level - 2 * price + random.normal(0, 0.1, len(index))
    if gaps:
        price[random.uniform(size=len(price)) < 0.1] = np.nan
    X = pd.DataFrame({"month": index, "city": city, "price": price})
    return X, pd.Series(sales, name="sales")


KERNEL = "(LIN(month) + PER(month, period=12 months)) * SE(city) * SE(price)"


class TableTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", instantgp.FitWarning)

    def test_a_frame_end_to_end(self):
        X, y = frame()
        gp = OneShotGPRegressor(KERNEL, missing="impute").fit(X[:90], y[:90])
        self.assertEqual(
            gp.get_feature_names(), ["month", "city=Oslo", "city=Paris", "city=Rome", "price", "price missing"]
        )
        self.assertEqual(list(gp.feature_names_in_), ["month", "city", "price"])
        self.assertEqual(gp.n_features_in_, 3)
        self.assertGreater(gp.score(X[90:], y[90:]), 0.5)
        words = [p["in_words"] for p in gp.parameters_ if p["name"] == "period"]
        self.assertEqual(words, ["12 months, yearly"])
        kinds = [column["kind"] for column in gp.model_.table]
        self.assertEqual(kinds, ["date", "category", "number"])
        self.assertIn("monthly", gp.model_.table[0]["words"])
        self.assertIn("SE(city)", gp.explain()["components"][0]["component"])
        mean, std = gp.predict_component(0, X[90:])
        self.assertTrue(np.isfinite(mean).all() and np.isfinite(std).all())
        self.assertEqual(gp.sample_y(X[90:], 2).shape, (18, 2))

    def test_pickle_files_and_the_program_agree(self):
        X, y = frame()
        gp = OneShotGPRegressor("SE", missing="impute").fit(X[:90], y[:90])
        expected = gp.predict(X[90:])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(gp)).predict(X[90:]), expected)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            gp.model_.save(str(path / "m.gp"))
            again = OneShotGPRegressor.from_model(path / "m.gp")
            np.testing.assert_array_equal(again.predict(X[90:]), expected)
            self.assertEqual(list(again.feature_names_in_), ["month", "city", "price"])
            program = Path(sys.argv[1]) if len(sys.argv) > 1 else None
            if program is None:
                return
            X[90:].to_csv(path / "new.csv", index=False)
            out = subprocess.run(
                [program, "predict", str(path / "m.gp"), str(path / "new.csv")], capture_output=True, check=True
            ).stdout.decode()
            np.testing.assert_allclose(
                [float(line.split(",")[0]) for line in out.splitlines()[1:]], expected, rtol=1e-9, atol=1e-9
            )

    def test_the_program_fits_the_same(self):
        program = Path(sys.argv[1]) if len(sys.argv) > 1 else None
        if program is None:
            self.skipTest("no program")
        X, y = frame()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            table = X.assign(sales=y)
            table.to_csv(path / "t.csv", index=False)
            subprocess.run(
                [program, "fit", str(path / "t.csv"), "--missing", "impute", "--model", str(path / "m.gp"), "--quiet"],
                capture_output=True, check=True,
            )
            there = instantgp.load(path / "m.gp")
            here = OneShotGPRegressor("SE", missing="impute").fit(pd.read_csv(path / "t.csv").drop(columns="sales"), y)
            np.testing.assert_allclose(here.theta_, there.theta, rtol=1e-9, atol=1e-9)

    def test_kinds_of_columns(self):
        n = 24
        y = np.arange(n, dtype=float)
        days = pd.date_range("2020-03-01", periods=n, freq="D")
        columns = {
            "categorical codes": (pd.Series(np.arange(n) % 3, dtype="category"), "category", 3),
            "ordered": (pd.Categorical(np.tile(["lo", "hi"], n // 2), categories=["lo", "hi"], ordered=True), "category", 2),
            "texts": (pd.Series(np.tile(["a", "b", "c"], n // 3)), "category", 3),
            "strings": (pd.Series(np.tile(["a", "b"], n // 2), dtype="string"), "category", 2),
            "booleans": (pd.Series(np.arange(n) % 2 == 0), None, 1),
            "integers": (pd.Series(np.arange(n), dtype="Int64"), None, 1),
            "datetime64": (pd.Series(days), "date", 1),
            "with a zone": (pd.Series(days.tz_localize("Europe/Paris")), "date", 1),
            "dates": (pd.Series(days.date), "date", 1),
            "texts of dates": (pd.Series(days.strftime("%d.%m.%Y")), "date", 1),
            "periods": (pd.Series(pd.period_range("2020-01", periods=n, freq="M")), "date", 1),
        }
        for name, (column, kind, inputs) in columns.items():
            with self.subTest(name):
                X = pd.DataFrame({"c": column, "x": np.linspace(0, 1, n)})
                gp = OneShotGPRegressor().fit(X, y)
                if kind is None:
                    self.assertTrue(gp.model_.table is None)
                else:
                    self.assertEqual(gp.model_.table[0]["kind"], kind)
                self.assertEqual(len(gp.get_feature_names()), inputs + 1)
                self.assertTrue(np.isfinite(gp.predict(X)).all())

    def test_targets_with_the_name_of_an_input(self):
        X, _ = frame(gaps=False)
        y = (X["city"] == "Rome") + 0.1 * np.arange(len(X))  # a Series named city
        gp = OneShotGPRegressor("SE").fit(X, y)
        self.assertEqual(gp.model_.target_name, "city (target)")
        self.assertEqual(len(gp.predict(X[:3])), 3)

    def test_a_series_of_dates(self):
        days = pd.Series(pd.date_range("2020-01-01", periods=40, freq="D"), name="day")
        y = np.sin(np.arange(40) * 2 * np.pi / 7)
        gp = OneShotGPRegressor("PER(day, period=1 week)").fit(days, y)
        self.assertEqual(gp.get_feature_names(), ["day"])
        later = pd.Series(pd.date_range("2020-02-10", periods=7, freq="D"), name="day")
        np.testing.assert_allclose(gp.predict(later), np.sin(np.arange(40, 47) * 2 * np.pi / 7), atol=0.1)
        self.assertEqual([p["in_words"] for p in gp.parameters_ if p["name"] == "period"], ["7 days, weekly"])
        axes = gp.plot()
        axes.figure.canvas.draw()
        self.assertIn("2020-01-", "".join(label.get_text() for label in axes.get_xticklabels()))

    def test_unseen_levels_and_gaps(self):
        X, y = frame(gaps=False)
        gp = OneShotGPRegressor().fit(X, y)
        new = X[:1].assign(city="Bern")
        with self.assertRaisesRegex(ValueError, "row 1, column 'city': the level 'Bern'.*unseen=\"other\""):
            gp.predict(new)
        gp.set_params(unseen="other")
        with self.assertWarnsRegex(instantgp.FitWarning, "taken as other"):
            warnings.simplefilter("always", instantgp.FitWarning)
            self.assertTrue(np.isfinite(gp.predict(new)).all())
        with self.assertRaisesRegex(ValueError, "row 1, column 'price': the value is missing"):
            gp.predict(X[:1].assign(price=np.nan))
        holes = X.copy()
        holes.loc[3, "price"] = np.nan
        with self.assertRaisesRegex(ValueError, "row 4, column 'price': the value is missing"):
            OneShotGPRegressor().fit(holes, y)
        dropped = OneShotGPRegressor(missing="drop").fit(holes, y)
        self.assertEqual(dropped.model_.rows, len(X) - 1)
        self.assertEqual(dropped.X_train_.shape[0], len(X) - 1)

    def test_numbers_with_gaps_in_arrays(self):
        x = np.linspace(0, 1, 30).reshape(-1, 1).copy()
        y = x[:, 0] ** 2
        x[4] = np.nan
        gp = OneShotGPRegressor(missing="impute").fit(x, y)
        self.assertEqual(gp.get_feature_names(), ["x1", "x1 missing"])
        self.assertTrue(np.isfinite(gp.predict(np.array([[0.5], [np.nan]]))).all())

    def test_codes_and_formats(self):
        X = pd.DataFrame({"code": [1, 2, 3, 1, 2, 3], "day": ["01/02/2020", "02/02/2020", "03/02/2020"] * 2})
        y = np.arange(6.0)
        with self.assertRaisesRegex(ValueError, "date_format="):
            OneShotGPRegressor().fit(X, y)
        gp = OneShotGPRegressor(categorical=["code"], date_format="%d/%m/%Y").fit(X, y)
        self.assertEqual(gp.get_feature_names(), ["code=1", "code=2", "code=3", "day"])
        self.assertTrue(np.isfinite(gp.predict(X)).all())
        with self.assertRaisesRegex(ValueError, "the level '7' is none of those"):
            gp.predict(X.assign(code=7))
        gp = OneShotGPRegressor(date_format={"day": "%m/%d/%Y"}).fit(X, y)
        self.assertIn("%m/%d/%Y", gp.model_.table[1]["words"])

    def test_update_ensemble_search_and_encode(self):
        X, y = frame(24)
        gp = OneShotGPRegressor("SE", missing="impute").fit(X[:60], y[:60]).update(X[60:], y[60:])
        self.assertEqual(gp.model_.rows, 72)
        self.assertEqual(gp.X_train_.shape, (72, 6))
        ensemble = EnsembleGPRegressor(["SE", "SE(month)*SE(city)"], missing="impute").fit(X[:60], y[:60])
        self.assertTrue(np.isfinite(ensemble.predict(X[60:])).all())
        again = pickle.loads(pickle.dumps(ensemble))
        np.testing.assert_array_equal(again.predict(X[60:]), ensemble.predict(X[60:]))
        whole, target = frame(16, gaps=False)
        found = instantgp.search(whole, target, depth=1, refine_top=1)
        self.assertTrue(np.isfinite(found.regressor.predict(whole)).all())
        self.assertIn("differs by category", " ".join(c["words"] for c in found.candidates))
        encoding = instantgp.encode(whole, target)
        self.assertEqual(OneShotGPRegressor("SE(city)").fit_encoding(encoding).kernel_, 'SE("city=Oslo")*SE("city=Paris")*SE("city=Rome")')

    def test_numbers_are_as_they_were(self):
        random = np.random.default_rng(1)
        values, y = random.normal(size=(40, 2)), random.normal(size=40)
        plain = OneShotGPRegressor().fit(values, y)
        named = OneShotGPRegressor().fit(pd.DataFrame(values, columns=["a", "b"]), y)
        objects = OneShotGPRegressor().fit(pd.DataFrame(values, columns=["a", "b"]).astype(object), y)
        np.testing.assert_array_equal(plain.theta_, named.theta_)
        np.testing.assert_array_equal(plain.theta_, objects.theta_)
        self.assertIsNone(objects.model_.table)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
