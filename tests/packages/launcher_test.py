"""The launcher runs the program for this processor, with its arguments.   launcher_test.py LAUNCHER"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

NEW = {"avx2", "fma", "bmi1", "bmi2", "f16c", "abm", "movbe"}


class Launcher(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.prefix = pathlib.Path(self.folder.name)
        (self.prefix / "bin").mkdir()
        shutil.copy(LAUNCHER, self.prefix / "bin" / "instantgp")
        for level in (2, 3):
            program = self.prefix / f"lib/instantgp/x86-64-v{level}/instantgp"
            program.parent.mkdir(parents=True)
            program.write_text(f'#!/bin/sh\necho "v{level}|$1|$2"\nexit 3\n')
            program.chmod(0o755)

    def tearDown(self):
        self.folder.cleanup()

    def run_with(self, *before):
        return subprocess.run([*before, str(self.prefix / "bin" / "instantgp"), "fit", "a b"], capture_output=True, text=True)

    def test_this_processor(self):
        flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1).split())
        done = self.run_with()
        self.assertEqual((done.stdout, done.returncode), (f"v{3 if NEW <= flags else 2}|fit|a b\n", 3))

    def test_an_old_processor(self):
        if not shutil.which("qemu-x86_64"):
            self.skipTest("there is no qemu-x86_64")
        self.assertEqual(self.run_with("qemu-x86_64", "-cpu", "Nehalem").stdout, "v2|fit|a b\n")

    def test_a_broken_package(self):
        shutil.rmtree(self.prefix / "lib")
        done = self.run_with()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"lib/instantgp/x86-64-v[23]/instantgp: No such file")


if __name__ == "__main__":
    LAUNCHER = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
