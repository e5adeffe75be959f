"""The package as a whole: docstrings, stubs, guide, example, import, and what pip and CMake install.

    package_test.py SOURCE BUILD CMAKE
"""
import ast
import contextlib
import doctest
import importlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import instantgp
from instantgp import _core

MODULES = ["instantgp"] + [f"instantgp.{name}" for name in sorted({*instantgp._WHERE.values()} - {"_core"})]


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, check=True,
                          capture_output=True, text=True).stdout


class Documentation(unittest.TestCase):
    def test_examples_in_docstrings(self):
        for name in MODULES:
            result = doctest.testmod(importlib.import_module(name))
            self.assertEqual(result.failed, 0, name)

    def test_everything_public_says_what_it_is(self):
        for name in instantgp.__all__:
            self.assertTrue((getattr(instantgp, name).__doc__ or "").strip(), name)

    def test_guide(self):
        """Every block of the guide, in order, in one scope."""
        text = (SOURCE / "docs" / "python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
        self.assertGreater(len(blocks), 8)
        scope, here = {}, os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error", instantgp.FitWarning)
            os.symlink(SOURCE / "examples", folder + "/examples")
            os.chdir(folder)
            try:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    for block in blocks:
                        exec(compile(block, "docs/python.md", "exec"), scope)
                self.assertGreater(os.path.getsize("airline.svg"), 10000)
            finally:
                os.chdir(here)
        for expected in ["PER period", "^", " period (", "kernel_short", "{'kernel': 'LIN + ", "True", "120 144", "SE(x1) + PER(x1) (50, 1)"]:
            self.assertIn(expected, printed.getvalue())

    def test_example(self):
        with tempfile.TemporaryDirectory() as folder:
            told = subprocess.run([sys.executable, SOURCE / "examples" / "airline.py", folder + "/airline.svg"],
                                  check=True, capture_output=True, text=True).stdout
            self.assertRegex(told, r"^LIN \+ SE.*RMSE \d+\.\d")
            self.assertIn("<svg", pathlib.Path(folder, "airline.svg").read_text()[:1000])


class Stubs(unittest.TestCase):
    def names(self, body):
        found = set()
        for item in body:
            if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
                found.add(item.name)
            elif isinstance(item, ast.AnnAssign):
                found.add(item.target.id)
            elif isinstance(item, ast.ImportFrom) and item.level:
                found |= {alias.asname for alias in item.names}
        return found

    def public(self, holder):
        return {name for name in vars(holder) if not name.startswith("_")}

    def test_compiled_module(self):
        tree = ast.parse((SOURCE / "python/instantgp/_core.pyi").read_text())
        self.assertEqual(self.names(tree.body) - {"__version__"}, self.public(_core))
        for item in tree.body:
            if isinstance(item, ast.ClassDef) and not item.name.endswith("Error"):
                self.assertEqual(self.names(item.body) - {"__init__"}, self.public(getattr(_core, item.name)), item.name)

    def test_arguments(self):
        """pybind11 writes a signature into every docstring: the stubs have the same arguments in the same order."""
        for item in ast.walk(ast.parse((SOURCE / "python/instantgp/_core.pyi").read_text())):
            for function in item.body if isinstance(item, (ast.ClassDef, ast.Module)) else []:
                if not isinstance(function, ast.FunctionDef) or function.decorator_list and not any(
                        getattr(d, "id", "") == "staticmethod" for d in function.decorator_list):
                    continue
                holder = getattr(_core, item.name) if isinstance(item, ast.ClassDef) else _core
                line = getattr(holder, function.name).__doc__.split("\n")[0]
                told = re.findall(r"[(, ](\w+): ", line)
                stub = [a.arg for a in function.args.args + function.args.kwonlyargs]
                self.assertEqual([name for name in told if name != "self"], [n for n in stub if n != "self"], line)

    def test_package(self):
        tree = ast.parse((SOURCE / "python/instantgp/__init__.pyi").read_text())
        self.assertEqual(self.names(tree.body) - {"__version__"}, set(instantgp.__all__))


class Import(unittest.TestCase):
    def test_no_work(self):
        code = "import sys, instantgp; print(sorted({'sklearn', 'numpy', 'matplotlib'} & set(sys.modules)))"
        self.assertEqual(python(code).strip(), "[]")
        code = "import instantgp, threading, os; instantgp.Model; print(len(os.listdir('/proc/self/task')))"
        alone = python("import numpy, os; print(len(os.listdir('/proc/self/task')))")
        self.assertEqual(python(code), alone)  # OpenBLAS has its own, with NumPy or without

    def test_module_for_the_processor(self):
        """Of two compiled modules the one that the processor can run; with one there is nothing to choose."""
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "instantgp")
            package.mkdir()
            (package / "__init__.py").write_text((SOURCE / "python/instantgp/__init__.py").read_text())
            code = ("import builtins, io; real = open\n"
                    "builtins.open = lambda p, *a, **k: io.StringIO('flags : %s\\n') if p == '/proc/cpuinfo' else real(p, *a, **k)\n"
                    "import instantgp; print(instantgp.__path__[0])")
            new = "fpu avx avx2 fma bmi1 bmi2 f16c abm movbe"
            self.assertEqual(python(code % new, PYTHONPATH=folder).strip(), str(package))
            (package / "x86-64-v3").mkdir()
            self.assertEqual(python(code % new, PYTHONPATH=folder).strip(), str(package / "x86-64-v3"))
            for old in ["fpu avx", new.replace("fma ", ""), ""]:
                self.assertEqual(python(code % old, PYTHONPATH=folder).strip(), str(package))

    def test_plot_without_matplotlib(self):
        code = ("import sys; sys.modules['matplotlib'] = None\nimport numpy as np, instantgp\n"
                "x = np.arange(9.0).reshape(-1, 1); gp = instantgp.OneShotGPRegressor().fit(x, x[:, 0] ** 2)\n"
                "try: gp.plot()\nexcept ImportError as error: print(error)")
        self.assertIn("python3-matplotlib", python(code))


class Plots(unittest.TestCase):
    def test_axes(self):
        import numpy as np
        from matplotlib import pyplot

        for d in (1, 2):
            X = np.random.default_rng(d).uniform(size=(30, d))
            y = np.sin(5 * X[:, 0])
            for estimator in [instantgp.OneShotGPRegressor(), instantgp.EnsembleGPRegressor(["SE", "LIN"])]:
                own = pyplot.subplots()[1]
                axes = estimator.fit(X, y).plot(ax=own)
                self.assertIs(axes, own)
                self.assertEqual(axes.get_ylabel(), "y" if d == 1 else "y, predicted")
                shown = axes.lines[-1 if d == 1 else 0].get_xdata()
                np.testing.assert_allclose(shown, X[:, 0] if d == 1 else y, atol=1e-12)
                pyplot.close("all")


class Install(unittest.TestCase):
    def check(self, folder):
        """The package in `folder` works, away from the build."""
        code = ("import instantgp, numpy as np; x = np.arange(20.0).reshape(-1, 1)\n"
                "print(instantgp.__file__, instantgp.OneShotGPRegressor().fit(x, x[:, 0] % 5).predict(x)[0].hex())")
        where, number = python(code, PYTHONPATH=str(folder)).split()
        self.assertTrue(where.startswith(str(folder)), where)
        here = python(code.replace("instantgp.__file__, ", "")).split()[0]
        self.assertEqual(number, here)
        self.assertTrue((folder / "instantgp" / "py.typed").exists())

    def test_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "install", str(SOURCE), "--no-build-isolation", "--no-index",
                       "--no-deps", "--quiet", "--target", folder + "/here", "--config-settings", f"build-dir={BUILD}"]
            done = subprocess.run(command, capture_output=True, text=True)
            if "No module named pip" in done.stderr:
                self.skipTest("there is no pip")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.check(pathlib.Path(folder, "here"))

    def test_wheel_says_what_it_is_for(self):
        sys.path.insert(0, str(SOURCE / "python" / "build_backend"))
        import instantgp_build
        import zipfile

        cache = pathlib.Path(BUILD, "CMakeCache.txt").read_text()
        arch = re.search(r"^INSTANTGP_ARCH:\w+=(.*)$", cache, re.M).group(1)
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):
                name = instantgp_build.build_wheel(folder, {"build-dir": BUILD})
            python_tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
            number = "1." + arch.replace("-", "_")
            self.assertRegex(name, rf"^instantgp-[0-9.]+-{number}-{python_tag}-{python_tag}-linux_\w+\.whl$")
            with zipfile.ZipFile(os.path.join(folder, name)) as wheel:
                told = next(wheel.read(file).decode() for file in wheel.namelist() if file.endswith(".dist-info/WHEEL"))
        self.assertIn(f"Build: {number}\n", told)
        self.assertIn(f"Tag: {'-'.join(name[:-4].split('-')[3:])}\n", told)

    def test_source_archive_has_what_the_build_reads(self):
        sys.path.insert(0, str(SOURCE / "python" / "build_backend"))
        import instantgp_build
        import tarfile

        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(os.path.join(folder, instantgp_build.build_sdist(folder))) as archive:
                names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        text = (SOURCE / "CMakeLists.txt").read_text()
        for part in set(re.findall(r"add_subdirectory\(([\w/]+)\)", text)) - {"tests", "examples", "bench"}:
            self.assertIn(part + "/CMakeLists.txt", names)
        for station in (SOURCE / "instantgp").iterdir():
            self.assertIn(f"instantgp/{station.name}", names)
        self.assertLessEqual(set(re.findall(r"models/[\w.-]+", text)) | {"cmake/version.h.in", "PKG-INFO"}, names)

    def test_cmake_install_goes_where_python_looks(self):
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        with tempfile.TemporaryDirectory() as folder:
            for prefix, where in [("/usr/local", f"lib/{version}/dist-packages"), ("/usr", "lib/python3/dist-packages"),
                                  ("/home/you/.local", f"lib/{version}/site-packages")]:
                subprocess.run([CMAKE, "--install", BUILD, "--component", "python", "--prefix", prefix], check=True,
                               capture_output=True, env={**os.environ, "DESTDIR": folder})
                self.assertTrue(pathlib.Path(folder + prefix, where, "instantgp", "_core.pyi").exists())
            self.check(pathlib.Path(folder + prefix, where))
        # On Debian: its own Python looks in the first two. (The test's own PYTHONPATH does not matter for that.)
        if os.path.exists("/etc/debian_version"):
            looks = python("import sys; print(sys.path)")
            for path in [f"/usr/local/lib/{version}/dist-packages", "/usr/lib/python3/dist-packages"]:
                self.assertIn(path, looks)


if __name__ == "__main__":
    SOURCE, BUILD, CMAKE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    unittest.main(argv=sys.argv[:1])
