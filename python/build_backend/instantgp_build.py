"""The build back end of `pip install .` (PEP 517): CMake builds and installs, this packs the wheel.

Why not setuptools or scikit-build: the one thing to do is to call CMake, which knows compiler, flags and files already.
With no requirements of its own nothing is fetched, so pip works offline on a plain Debian, and there is no second place
that lists sources.

Settings (pip install . --config-settings name=value):
  build-dir   an existing or new CMake build folder [build/wheel]
  cmake-args  more arguments for CMake, e.g. "-DINSTANTGP_ARCH=x86-64-v3" [the machine that builds: native]

The name of the wheel says what it is for: the Python, the kind of machine (plain linux_*, for it uses the libraries of the
system that built it), and as build number the instruction set, for which Python has no tag: instantgp-0.1.0-1.native-...,
instantgp-0.1.0-1.x86_64_v3-... On an older processor the module refuses to load and names what is missing.
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "apps", "cmake", "docs/python.md", "instantgp",
           "models/ahgp-se-ard.safetensors", "models/base.safetensors", "packaging", "pyproject.toml", "python"]


def version():
    return re.search(r"project\(InstantGP VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def project():
    """The few lines of pyproject.toml that go into the metadata; tomllib is newer than the oldest Python we take."""
    text = (ROOT / "pyproject.toml").read_text()
    strings = re.compile(r'"([^"]*)"')
    field = lambda name: strings.findall(re.search(rf"^{name} = (.*)$", text, re.M).group(1))
    return {"summary": field("description")[0], "python": field("requires-python")[0],
            "needs": field("dependencies"), "plot": field("plot")}


def metadata():
    known = project()
    lines = ["Metadata-Version: 2.1", "Name: instantgp", f"Version: {version()}", f"Summary: {known['summary']}",
             "License: Apache-2.0", f"Requires-Python: {known['python']}"]
    lines += [f"Requires-Dist: {need}" for need in known["needs"]]
    lines += ["Provides-Extra: plot"] + [f"Requires-Dist: {need}; extra == 'plot'" for need in known["plot"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "docs/python.md").read_text()]
    return "\n".join(lines)


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def wheel_file(number=""):
    build = f"Build: {number}\n" if number else ""
    return f"Wheel-Version: 1.0\nGenerator: instantgp_build\nRoot-Is-Purelib: false\nTag: {tag()}\n{build}"


def build_folder(settings):
    return pathlib.Path((settings or {}).get("build-dir", ROOT / "build" / "wheel"))


def build_number(settings):
    """The instruction set of the finished build; a wheel's build number begins with a digit and has no '-'."""
    cache = (build_folder(settings) / "CMakeCache.txt").read_text()
    arch = re.search(r"^INSTANTGP_ARCH:\w+=(.*)$", cache, re.M).group(1)
    return "1." + (re.sub(r"[^A-Za-z0-9]", "_", arch) or "generic")


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip would build the wheel twice, the first time for these two files."""
    info = pathlib.Path(metadata_directory, f"instantgp-{version()}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text(metadata())
    (info / "WHEEL").write_text(wheel_file())
    return info.name


def compile_into(folder, settings):
    """Builds the module with CMake and installs it below `folder`; returns the package's folder."""
    settings = settings or {}
    unknown = set(settings) - {"build-dir", "cmake-args"}
    if unknown:
        raise SystemExit(f"unknown setting {sorted(unknown)}; there are build-dir and cmake-args")
    build = build_folder(settings)
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), *shlex.split(settings.get("cmake-args", ""))]
    fresh = not (build / "CMakeCache.txt").exists()
    if fresh:
        configure += [f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF",
                      "-DINSTANTGP_TESTS=OFF", "-DINSTANTGP_BENCH=OFF"]
        configure += ["-GNinja"] if shutil.which("ninja") else []
        configure += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    if fresh or "cmake-args" in settings:
        subprocess.run(configure, check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    subprocess.run(["cmake", "--build", str(build), "--target", "instantgp_python", "-j", jobs], check=True)
    subprocess.run(["cmake", "--install", str(build), "--component", "python", "--prefix", folder], check=True,
                   env={name: value for name, value in os.environ.items() if name != "DESTDIR"})
    module = "_core" + sysconfig.get_config_var("EXT_SUFFIX")
    found = list(pathlib.Path(folder).glob(f"lib/python3*/*-packages/instantgp/{module}"))
    if len(found) != 1:
        raise SystemExit(f"CMake built no {module}; it says above what is missing, or {build} is for another Python")
    return found[0].parent


def add(wheel, records, name, content, mode=0o644):
    """One file, with a fixed time: the same build gives the same wheel."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    records.append(f"{name},sha256={digest},{len(content)}")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info = f"instantgp-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        package = compile_into(folder, config_settings)
        number = build_number(config_settings)
        name = f"instantgp-{version()}-{number}-{tag()}.whl"
        records = []
        with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
            for file in sorted(package.iterdir()):
                mode = 0o755 if file.suffix == ".so" else 0o644
                add(wheel, records, f"instantgp/{file.name}", file.read_bytes(), mode)
            add(wheel, records, f"{info}/METADATA", metadata().encode())
            add(wheel, records, f"{info}/WHEEL", wheel_file(number).encode())
            add(wheel, records, f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
            wheel.writestr(f"{info}/RECORD", "\n".join(records + [f"{info}/RECORD,,", ""]))
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"instantgp-{version()}"
    with tempfile.TemporaryDirectory() as folder, tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz",
                                                               format=tarfile.PAX_FORMAT) as archive:
        info = pathlib.Path(folder) / "PKG-INFO"
        info.write_text(metadata())
        archive.add(info, f"{base}/PKG-INFO")
        for source in SOURCES:
            archive.add(ROOT / source, f"{base}/{source}",
                        filter=lambda member: None if "__pycache__" in member.name else member)
    return base + ".tar.gz"
