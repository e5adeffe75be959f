"""The estimators as scikit-learn's users meet them."""
import copy
import io
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time
import unittest
import warnings

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import instantgp
from instantgp import EnsembleGPRegressor, OneShotGPRegressor


def table(n=60, d=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n, d))
    return X, np.sin(7 * X[:, 0]) + X[:, -1] ** 2 + 0.05 * random.normal(size=n)


def fit_and_report(seed):
    """In another process: every bit of a fit and a prediction."""
    X, y = table(seed=seed)
    gp = OneShotGPRegressor("SE", threads=2).fit(X, y)
    return gp.theta_.tobytes(), gp.predict(X).tobytes()


class ScikitLearn(unittest.TestCase):
    def test_every_check_of_scikit_learn(self):
        # None is skipped: a check that raised SkipTest would end up as an error here.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for estimator in [OneShotGPRegressor(), EnsembleGPRegressor()]:
                checks = list(check_estimator(estimator, generate_only=True))
                self.assertGreater(len(checks), 35)
                for instance, check in checks:
                    try:
                        check(instance)
                    except unittest.SkipTest as skipped:
                        self.fail(f"{check} was skipped: {skipped}")

    def test_pipeline_grid_search_and_cross_validation(self):
        X, y = table(80)
        for estimator in [OneShotGPRegressor(threads=1), EnsembleGPRegressor(["SE", "LIN", "SE + LIN"], threads=1)]:
            scores = cross_val_score(make_pipeline(StandardScaler(), estimator), X, y, cv=3, n_jobs=2)
            self.assertGreater(scores.min(), 0.8)
        grid = {"oneshotgpregressor__kernel": ["LIN", "SE", "SE + LIN"], "oneshotgpregressor__method": ["oneshot"]}
        search = GridSearchCV(make_pipeline(StandardScaler(), OneShotGPRegressor()), grid, cv=3, n_jobs=2).fit(X, y)
        self.assertIn("SE", search.best_params_["oneshotgpregressor__kernel"])
        self.assertGreater(search.best_score_, 0.9)

    def test_persistence(self):
        X, y = table()
        for estimator in [OneShotGPRegressor("SE + LIN").fit(X, y), EnsembleGPRegressor(["SE", "LIN"]).fit(X, y)]:
            expected = [a.tobytes() for a in estimator.predict(X, return_std=True)]
            file = io.BytesIO()
            joblib.dump(estimator, file)
            file.seek(0)
            for copied in [pickle.loads(pickle.dumps(estimator)), joblib.load(file), copy.deepcopy(estimator)]:
                self.assertEqual([a.tobytes() for a in copied.predict(X, return_std=True)], expected)
                self.assertEqual(copied.get_params(), estimator.get_params())
            self.assertFalse(hasattr(clone(estimator), "X_train_"))

    def test_pickles_are_our_file_bytes(self):
        X, y = table()
        model = OneShotGPRegressor().fit(X, y).model_
        self.assertIn(model.to_bytes(), pickle.dumps(model))
        damaged = bytearray(model.to_bytes())
        damaged[len(damaged) // 2] ^= 1
        with self.assertRaisesRegex(ValueError, "checksum"):
            instantgp.Model.from_bytes(bytes(damaged))

    def test_files_are_those_of_the_program(self):
        X, y = table()
        with tempfile.TemporaryDirectory() as folder:
            for fitted in [OneShotGPRegressor().fit(X, y).model_, EnsembleGPRegressor(["SE"]).fit(X, y).ensemble_]:
                fitted.save(folder + "/file")
                self.assertEqual(type(instantgp.load(folder + "/file")), type(fitted))
            self.assertRaises(OSError, fitted.save, folder + "/no/such/folder")
        self.assertRaises(OSError, instantgp.load, folder + "/file")


class Transforms(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(0)
        self.X = random.uniform(0, 10, (120, 1))
        self.y = np.exp(1 + np.sin(self.X[:, 0]) + 0.3 * random.normal(size=120))

    def test_auto_finds_the_logarithm_and_says_so(self):
        gp = instantgp.OneShotGPRegressor("SE + LIN", transform="auto").fit(self.X, self.y)
        self.assertEqual(gp.transform_, "log")
        self.assertEqual(max(gp.model_.transforms, key=gp.model_.transforms.get), "log")
        lower, upper = gp.predict_interval(self.X)
        self.assertGreater(lower.min(), 0)
        self.assertGreater(np.mean((lower < self.y) & (self.y < upper)), 0.9)
        self.assertEqual(gp.explain()["transform"], "log")
        again = pickle.loads(pickle.dumps(gp))
        self.assertEqual(list(again.predict(self.X)), list(gp.predict(self.X)))
        self.assertEqual(clone(gp).get_params()["transform"], "auto")
        gp.update(self.X[:5] + 10, self.y[:5])
        self.assertEqual((gp.transform_, gp.model_.rows), ("log", 125))
        with self.assertRaisesRegex(ValueError, "transformed"):
            gp.export_code()

    def test_what_is_not_possible_is_refused(self):
        with self.assertRaisesRegex(instantgp.InputError, 'positive.*transform="none"'):
            instantgp.OneShotGPRegressor(transform="log").fit(self.X, self.y - 5)
        with self.assertRaisesRegex(instantgp.Error, "there is no transform 'sqrt'"):
            instantgp.OneShotGPRegressor(transform="sqrt").fit(self.X, self.y)
        with self.assertRaisesRegex(instantgp.Error, "encodings"):
            instantgp.OneShotGPRegressor(transform="log").fit_encoding(instantgp.encode(self.X, self.y))


class Predictions(unittest.TestCase):
    def setUp(self):
        self.X, self.y = table()
        self.gp = OneShotGPRegressor("SE").fit(self.X, self.y)

    def test_shapes_and_kinds(self):
        mean, std = self.gp.predict(self.X[:7], return_std=True)
        _, cov = self.gp.predict(self.X[:7], return_cov=True)
        np.testing.assert_allclose(np.sqrt(np.diag(cov)), std, rtol=1e-9)
        _, latent = self.gp.predict(self.X[:7], return_std=True, latent=True)
        noise = self.gp.noise_variance_original_units_
        if self.gp.model_.averaged_over:  # then it is the average of the draws'
            noise *= np.exp(self.gp.model_.draws[-1] - self.gp.theta_[-1]).mean()
        np.testing.assert_allclose(std**2 - latent**2, noise, rtol=1e-6)
        lower, upper = self.gp.predict_interval(self.X[:7], 0.95)
        np.testing.assert_allclose((upper - lower) / std, 2 * 1.959963985, rtol=1e-8)
        self.assertEqual(self.gp.sample_y(self.X[:7], 3).shape, (7, 3))
        self.assertRaises(ValueError, self.gp.predict, self.X, return_std=True, return_cov=True)
        self.assertRaises(NotFittedError, OneShotGPRegressor().predict, self.X)

    def test_samples_have_the_posterior_moments(self):
        draws = self.gp.sample_y(self.X[:4], 20000, random_state=1)
        mean, cov = self.gp.predict(self.X[:4], return_cov=True)
        np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * np.sqrt(cov.max() / 20000))
        np.testing.assert_allclose(np.cov(draws), cov, atol=0.1 * cov.max())

    # Predictions averaged over several sets of parameters: moments, pickles, updates and components.
    def test_averages_over_parameters(self):
        model = OneShotGPRegressor("SE + LIN", "map").fit(self.X, self.y).model_
        draws = model.theta[:, None] + 0.3 * np.random.default_rng(3).normal(size=(len(model.theta), 5))
        averaged = model.averaged(draws)
        self.assertEqual((model.averaged_over, averaged.averaged_over), (0, 5))
        self.assertEqual(averaged.draws.tobytes(), draws.tobytes())
        self.assertEqual(averaged.theta.tobytes(), model.theta.tobytes())
        members = [model.averaged(draws[:, [k]]).predict(self.X) for k in range(5)]
        means, stds = np.array([m for m, _ in members]), np.array([s for _, s in members])
        mean, std = averaged.predict(self.X)
        np.testing.assert_allclose(mean, means.mean(axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(std**2, (stds**2).mean(axis=0) + means.var(axis=0), rtol=1e-9)
        np.testing.assert_allclose(np.diag(averaged.predict_cov(self.X)), std**2, rtol=1e-9)
        copied = pickle.loads(pickle.dumps(averaged))
        self.assertEqual([a.tobytes() for a in copied.predict(self.X)], [mean.tobytes(), std.tobytes()])
        grown, figures = copied.update(self.X[:3], self.y[:3], reinfer="never")
        self.assertEqual((grown.rows, grown.averaged_over, figures["reinferred"]), (63, 5, False))
        told = averaged.explain()
        parts = [averaged.predict_component(k, self.X)[0] for k in range(len(told["components"]))]
        np.testing.assert_allclose(sum(parts) + averaged.scaling["y_mean"], mean, atol=1e-8)
        back = OneShotGPRegressor.from_model(averaged)
        self.assertEqual((back.predict(self.X).tobytes(), back.averaged_over_), (mean.tobytes(), 5))
        self.assertRaisesRegex(ValueError, "7 rows", model.averaged, draws[:7])
        alone = averaged.averaged(np.empty((len(model.theta), 0)))
        self.assertEqual(alone.predict(self.X)[1].tobytes(), model.predict(self.X)[1].tobytes())

    # Loading factorises the draws: with as many BLAS threads as fitting does, or the last digits would differ.
    def test_averages_come_back_from_files_to_the_last_digit(self):
        X, y = table(n=200, d=3)
        model = OneShotGPRegressor("SE", "map").fit(X, y).model_
        averaged = model.averaged(model.theta[:, None] + 0.3 * np.random.default_rng(4).normal(size=(len(model.theta), 4)))
        with tempfile.TemporaryDirectory() as folder:
            averaged.save(folder + "/file")
            loaded = instantgp.Model.load(folder + "/file")
        self.assertEqual([a.tobytes() for a in loaded.predict(X)], [a.tobytes() for a in averaged.predict(X)])

    def test_likelihood_and_its_gradient(self):
        value, gradient = self.gp.log_marginal_likelihood(self.gp.theta_, eval_gradient=True)
        self.assertAlmostEqual(value, self.gp.log_marginal_likelihood(), delta=1e-8 * abs(value))
        for k in range(len(gradient)):
            step = np.zeros_like(self.gp.theta_)
            step[k] = 1e-5
            ends = [self.gp.log_marginal_likelihood(self.gp.theta_ + sign * step) for sign in (1, -1)]
            self.assertAlmostEqual(gradient[k], (ends[0] - ends[1]) / 2e-5, delta=1e-5 * max(1, abs(gradient[k])))
        self.assertRaisesRegex(ValueError, "theta has 5 elements", self.gp.log_marginal_likelihood, [0.0])

    def test_update_is_a_fit_with_the_same_parameters(self):
        half = OneShotGPRegressor("SE").fit(self.X[:40], self.y[:40])
        parameters, before = half.theta_.copy(), half.predict(self.X)
        half.update(self.X[40:], self.y[40:], reinfer=False)
        self.assertEqual(half.theta_.tolist(), parameters.tolist())
        self.assertEqual(half.model_.rows, 60)
        errors = [np.abs(m - self.y)[40:].mean() for m in (before, half.predict(self.X))]
        self.assertLess(errors[1], errors[0])
        half.update(self.X[:1], self.y[:1], reinfer=True)
        self.assertTrue(half.drift_["reinferred"])
        self.assertNotEqual(half.theta_.tolist(), parameters.tolist())
        self.assertRaisesRegex(ValueError, "'drift', 'always' or 'never'", half.update, self.X, self.y, reinfer="maybe")

    # Rows of the same kind leave the parameters alone; rows of another kind do not, and the model is inferred again.
    def test_update_looks_for_drift(self):
        first, rest = OneShotGPRegressor("SE").fit(self.X[:40], self.y[:40]), (self.X[40:], self.y[40:])
        parameters = first.theta_.tolist()
        first.update(*rest)
        self.assertEqual((first.drift_["drifting"], first.drift_["reinferred"]), (False, False))
        self.assertEqual((first.drift_["rows"], first.theta_.tolist()), (20, parameters))
        first.update(self.X, 5 * np.sin(40 * self.X[:, 0]) + 9)
        self.assertEqual((first.drift_["drifting"], first.drift_["reinferred"]), (True, True))
        self.assertNotEqual(first.theta_.tolist(), parameters)

    def test_explain_shares_out_the_variance(self):
        gp = OneShotGPRegressor("SE + LIN").fit(self.X, self.y)
        told = gp.explain()
        self.assertEqual(len(told["components"]), 4)
        shares = [c["share"] for c in told["components"]]
        self.assertAlmostEqual(sum(shares) + told["residual_share"], 1, delta=1e-9)
        self.assertEqual(shares, sorted(shares, reverse=True))
        parts = [gp.predict_component(k, self.X)[0] for k in range(4)]
        np.testing.assert_allclose(sum(parts) + gp.model_.scaling["y_mean"], gp.predict(self.X), atol=1e-8)
        self.assertRaisesRegex(ValueError, "4 components", gp.predict_component, 4, self.X)

    def test_encoding_is_read_once_and_gives_the_same_models(self):
        encoding = instantgp.encode(self.X, self.y)
        for kernel in ["SE", "LIN + PER", "MAT52(x1)*SE(x2)"]:
            kept = OneShotGPRegressor(kernel).fit_encoding(encoding)
            direct = OneShotGPRegressor(kernel).fit(self.X, self.y)
            self.assertEqual(kept.theta_.tobytes(), direct.theta_.tobytes())
            np.testing.assert_allclose(kept.X_train_, self.X, rtol=0, atol=1e-15)
        kernels = ["SE", "LIN"]
        kept = EnsembleGPRegressor(kernels).fit_encoding(encoding)
        self.assertEqual(kept.predict(self.X).tobytes(), EnsembleGPRegressor(kernels).fit(self.X, self.y).predict(self.X).tobytes())
        self.assertRaisesRegex(ValueError, "ask the network, not ml", OneShotGPRegressor("SE", "ml").fit_encoding, encoding)
        self.assertRaisesRegex(ValueError, "ahgp family", OneShotGPRegressor("SE", "ahgp").fit_encoding, encoding)
        self.assertEqual(OneShotGPRegressor("SE", "ahgp").fit(self.X, self.y).model_.summary["method"], "ahgp")

    def test_ensemble(self):
        ensemble = EnsembleGPRegressor(["SE", "LIN", "SE + LIN"], weighting="loo").fit(self.X, self.y)
        quantiles = ensemble.predict_quantiles(self.X[:5], [0.1, 0.5, 0.9])
        self.assertTrue((np.diff(quantiles, axis=1) > 0).all())
        self.assertEqual(ensemble.log_density(self.X[:5], self.y[:5]).shape, (5,))
        alone = EnsembleGPRegressor(["SE"]).fit(self.X, self.y)
        np.testing.assert_allclose(alone.predict(self.X), self.gp.predict(self.X), rtol=1e-12)
        self.assertEqual(len(EnsembleGPRegressor().fit(self.X, self.y).members_), 24)


class Names(unittest.TestCase):
    def test_columns_of_a_frame_are_the_kernels_columns(self):
        X, y = table()
        frame = pd.DataFrame(X, columns=["month", "price"])
        gp = OneShotGPRegressor("SE(month) * LIN(price)").fit(frame, pd.Series(y, name="sold"))
        self.assertEqual(gp.kernel_, "SE(month)*LIN(price)")
        self.assertEqual(gp.model_.target_name, "sold")
        self.assertEqual(list(gp.feature_names_in_), ["month", "price"])
        self.assertRaisesRegex(ValueError, "feature names", gp.predict, frame[["price", "month"]])
        same = OneShotGPRegressor("SE(x1) * LIN(x2)").fit(X, y)
        self.assertEqual(same.theta_.tobytes(), gp.theta_.tobytes())


class Errors(unittest.TestCase):
    def test_messages_are_the_librarys(self):
        X, y = table()
        cases = [
            (lambda: OneShotGPRegressor("SE + LON").fit(X, y), r"LON(?s:.*)\^(?s:.*)LIN"),
            (lambda: OneShotGPRegressor("SE(price)").fit(X, y), "price"),
            (lambda: OneShotGPRegressor("SE", "magic").fit(X, y), "no method 'magic'; there are oneshot, refine"),
            (lambda: OneShotGPRegressor("SE(x1) + SE(x2)").fit(X, y), r'Use the method map instead of oneshot. Try method="map"'),
            (lambda: OneShotGPRegressor(objective="mle").fit(X, y), "'ml' or 'map'"),
            (lambda: OneShotGPRegressor(method="ml", objective="map").fit(X, y), r'not for ml(?s:.*)Try method="map"'),
            (lambda: OneShotGPRegressor(steps=-1).fit(X, y), "steps must not be negative"),
            (lambda: OneShotGPRegressor(weights="/no/such/file").fit(X, y), "/no/such/file"),
            (lambda: EnsembleGPRegressor(weighting="votes").fit(X, y), "no weighting 'votes'"),
            (lambda: EnsembleGPRegressor([]).fit(X, y), "kernel"),
            (lambda: EnsembleGPRegressor(method="svgp").fit(X, y), "another method"),
            (lambda: OneShotGPRegressor().fit(X, y).predict(np.zeros((2, 3))), "3 features"),
            (lambda: OneShotGPRegressor().fit(X, y).model_.predict(np.zeros((2, 3))), "2 input columns, got 3"),
            (lambda: OneShotGPRegressor().fit(X, y).model_.predict(np.zeros(2)), "must have 2 dimensions"),
            (lambda: instantgp.encode([[1.0], [np.nan]], [1.0, 2.0]), "row 2, column .x1.: the value is missing"),
            (lambda: instantgp.encode([[1.0]], [1.0, 2.0]), "rows"),
            (lambda: instantgp.simulate("SE", parameters=[1.0]), r"2 parameters .*but 1 was given"),
            (lambda: instantgp.simulate("SE", noise_variance=-1), "positive variance"),
            (lambda: instantgp.search(X, y, beam=0), "beam"),
            (lambda: OneShotGPRegressor(random_state=-1).fit(X, y), "random_state"),
            (lambda: instantgp.Model.from_bytes(b"nothing"), "these bytes"),
        ]
        for call, message in cases:
            with self.assertRaisesRegex(ValueError, message) as caught:
                call()
            self.assertNotRegex(str(caught.exception), r"(^| )--\w", "the command line's dashes")

    def test_kernels_are_texts(self):
        from sklearn.gaussian_process.kernels import RBF

        X, y = table()
        self.assertRaisesRegex(TypeError, r"text such as .* got RBF", OneShotGPRegressor(RBF()).fit, X, y)
        self.assertRaisesRegex(TypeError, r"\['SE'\]", EnsembleGPRegressor("SE").fit, X, y)

    def test_a_failed_fit_leaves_no_half_fitted_estimator(self):
        X, y = table()
        gp = OneShotGPRegressor("nothing")
        self.assertRaises(ValueError, gp.fit, X, y)
        self.assertRaises(NotFittedError, gp.predict, X)
        gp.set_params(kernel="SE").fit(X, y)
        before = gp.predict(X)
        self.assertRaises(ValueError, gp.set_params(kernel="nothing").fit, X[:20], y[:20])
        self.assertEqual((len(gp.X_train_), gp.predict(X).tolist()), (len(X), before.tolist()))

    def test_a_table_too_large_is_refused_before_the_work(self):
        with self.assertRaisesRegex(instantgp.LimitError, "svgp"):
            OneShotGPRegressor("SE", "ml").fit(np.arange(50000.0).reshape(-1, 1), np.arange(50000.0))

    def test_what_is_worth_telling_is_a_warning(self):
        X, y = table()
        X[:, 1] = 3
        with self.assertWarnsRegex(instantgp.FitWarning, "'x2' is constant") as caught:
            gp = OneShotGPRegressor().fit(X, y)
        self.assertEqual(os.path.basename(caught.filename), os.path.basename(__file__))
        self.assertTrue(any("constant" in message for message in gp.warnings_))


class Processes(unittest.TestCase):
    def test_threads_do_not_change_a_bit(self):
        X, y = table(150)
        for make in [lambda t: OneShotGPRegressor("SE + LIN", "refine", threads=t), lambda t: EnsembleGPRegressor(threads=t)]:
            one, two = (make(threads).fit(X, y).predict(X).tobytes() for threads in (1, 2))
            self.assertEqual(one, two)

    def test_fits_in_python_threads_at_once(self):
        results = {}
        workers = [threading.Thread(target=lambda k=k: results.update({k: fit_and_report(k % 2)})) for k in range(6)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual({results[k] for k in (0, 2, 4)}, {fit_and_report(0)})
        self.assertEqual({results[k] for k in (1, 3, 5)}, {fit_and_report(1)})

    def test_the_interpreter_is_free_during_a_fit(self):
        X, y = table(700, 4)
        ticks = 0
        fit = threading.Thread(target=lambda: OneShotGPRegressor("SE", "ml", threads=1).fit(X, y))
        fit.start()
        while fit.is_alive():
            ticks += 1
            time.sleep(0.002)
        fit.join()
        self.assertGreater(ticks, 10)  # with the lock held it would be one or two

    def test_forked_children_compute_the_same(self):
        here = fit_and_report(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(fit_and_report, [0, 0, 0, 0]), [here] * 4)

    def test_numpys_blas_threads_are_left_alone(self):
        from threadpoolctl import threadpool_info

        def counts():
            return {info["filepath"]: info["num_threads"] for info in threadpool_info()}

        before = counts()
        fit_and_report(0)
        after = counts()
        self.assertEqual({path: after[path] for path in before}, before)

    def test_ctrl_c_interrupts_a_long_fit(self):
        X, y = table(900, 5)
        for call in [OneShotGPRegressor("SE + LIN + PER", "multistart", restarts=100000, threads=2).fit,
                     OneShotGPRegressor("SE", "svgp", inducing=400, steps=1000000, threads=2).fit,
                     EnsembleGPRegressor(["SE + PER", "SE"], "ml", steps=100000, threads=2).fit,
                     lambda X, y: instantgp.search(X, y, depth=50, beam=50, threads=2)]:
            pressed = []

            def press():
                pressed.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(0.3, press)
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                call(X, y)
            self.assertLess(time.monotonic() - pressed[0], 20)  # a likelihood of 900 rows on a machine with much else to do
            timer.join()


def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


class Memory(unittest.TestCase):
    def test_a_thousand_fits_do_not_grow(self):
        X, y = table(50)
        data = instantgp._core.Dataset(X, y)

        def work(times):
            for _ in range(times):
                OneShotGPRegressor("SE", threads=2).fit(X, y).predict(X, return_std=True)
                try:
                    instantgp._core.fit(data, "no kernel")
                except ValueError:
                    pass

        work(100)  # allocators and caches have their size then
        before = resident_kib()
        work(1000)
        grown = resident_kib() - before
        print(f"1,000 fits grew the process by {grown} KiB")
        self.assertLess(grown, 1024)


if __name__ == "__main__":
    unittest.main()
