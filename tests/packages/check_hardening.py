#!/usr/bin/env python3
"""check_hardening.py FILE...: programs and modules have the guards of cmake/Hardening.cmake; says which lacks what.

    check_hardening.py --self-test COMPILER    compiles a program without them, and each must be missed
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, capture_output=True, text=True).stdout


def missing(file):
    header, segments, dynamic = readelf("-h", file), readelf("-l", file), readelf("-d", file)
    imported = set(re.findall(r" UND (\S+?)(?:@\S+)?(?: \(\d+\))?$", readelf("--dyn-syms", file), re.M))
    found = {
        "position-independent code": bool(re.search(r"Type:\s+DYN", header)),
        "read-only relocations": "GNU_RELRO" in segments,
        "all symbols bound at start": bool(re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic)),
        "no executable stack": not re.search(r"GNU_STACK.*RWE", segments),
    }
    # A module of a few lines may have nothing to guard.
    if pathlib.Path(file).stat().st_size > 1e6 or "--self-test" in sys.argv:
        found["stack protector"] = "__stack_chk_fail" in imported
        found["checked calls of the C library"] = any(re.fullmatch(r"__\w+_chk", name) for name in
                                                      imported - {"__stack_chk_fail", "__longjmp_chk"})
    return [what for what, there in found.items() if not there]


PROGRAM = r"""
#include <cstdio>
#include <cstring>
int main(int argc, char** argv) {
  char text[32];
  std::strcpy(text, argv[argc - 1]);
  return std::printf("%s\n", text) < 0;
}
"""


def self_test(compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, program = folder + "/program.cc", folder + "/program"
        pathlib.Path(source).write_text(PROGRAM)

        def lacks(*options):
            subprocess.run([compiler, "-O1", *options, source, "-o", program], check=True)
            return missing(program)

        on = ["-fPIE", "-pie", "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now"]
        assert lacks(*on) == [], lacks(*on)
        for off, what in [(["-fno-PIE", "-no-pie"], "position-independent code"), (["-Wl,-z,norelro"], "read-only relocations"),
                          (["-Wl,-z,lazy"], "all symbols bound at start"), (["-Wl,-z,execstack"], "no executable stack"),
                          (["-fno-stack-protector"], "stack protector"),
                          (["-U_FORTIFY_SOURCE"], "checked calls of the C library")]:
            assert what in lacks(*on, *off), (off, lacks(*on, *off))


def main():
    if sys.argv[1] == "--self-test":
        return self_test(sys.argv[2])
    bad = [f"{file}: without {', '.join(missing(file))}" for file in sys.argv[1:] if missing(file)]
    print("\n".join(bad) or f"hardening: {len(sys.argv) - 1} files have all of it")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
