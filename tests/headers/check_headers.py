#!/usr/bin/env python3
"""Fails when a header does not compile alone, or not twice.

    check_headers.py ROOT GENERATED CACHE COMPILER [OPTION...]   check the headers of ROOT/instantgp and GENERATED
    check_headers.py --self-test COMPILER                        prove that a bad header is found

Nothing but syntax is checked. What passed is noted in CACHE and checked again when the header, one it includes or the
command changes. Where a header leads to Eigen, Eigen comes precompiled: it would be read in any case, and is most of
the time.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OURS = re.compile(r'^\s*#\s*include\s*["<](instantgp/[^">]+)[">]', re.MULTILINE)
EIGEN = re.compile(r"^\s*#\s*include\s*<Eigen/", re.MULTILINE)


class Checker:
    def __init__(self, root, generated, cache, command):
        self.folders = [pathlib.Path(root), pathlib.Path(generated)]
        self.cache = pathlib.Path(cache)
        self.cache.mkdir(parents=True, exist_ok=True)
        self.command = [*self.without_known_folders(command), "-I", str(root), "-I", str(generated), "-O0", "-U_FORTIFY_SOURCE", "-Werror",
                        "-Wno-unused-function"]
        self.texts = {}
        for folder in self.folders:
            for file in sorted((folder / "instantgp").rglob("*.h")):
                self.texts[file.relative_to(folder).as_posix()] = file.read_text(encoding="utf-8")

    def without_known_folders(self, command):
        """Our own folders are not the system's, and the compiler's must stay where it has them."""
        known = {*map(str, self.folders), "/usr/include", "/usr/local/include"}
        kept = []
        for word in command:
            if kept[-1:] == ["-isystem"] and word in known:
                kept.pop()
            else:
                kept.append(word)
        return kept

    def closure(self, header):
        """The header and all of ours that it leads to, sorted."""
        found, open_ends = set(), [header]
        while open_ends:
            name = open_ends.pop()
            if name in self.texts and name not in found:
                found.add(name)
                open_ends += OURS.findall(self.texts[name])
        return sorted(found)

    def run(self, more, text):
        return subprocess.run([*self.command, *more, "-"], input=text, text=True, capture_output=True)

    def precompile_eigen(self):
        """Options that put the precompiled Eigen first."""
        header = self.cache / "eigen.h"
        header.write_text("#include <Eigen/Core>\n")
        gch = self.cache / "eigen.h.gch"
        made_by = self.cache / "eigen.command"
        if not gch.exists() or not made_by.exists() or made_by.read_text() != repr(self.command):
            subprocess.run([*self.command, "-x", "c++-header", str(header), "-o", str(gch)], check=True)
            made_by.write_text(repr(self.command))
        return ["-include", str(header)]

    def check(self, header, eigen):
        """The compiler's words when the header is bad, else None."""
        parts = self.closure(header)
        content = "".join(self.texts[name] for name in parts)
        leads_to_eigen = EIGEN.search(content) is not None
        key = hashlib.sha256(repr((self.command, leads_to_eigen, content)).encode()).hexdigest()
        stamp = self.cache / (header.replace("/", "_") + ".passed")
        if stamp.exists() and stamp.read_text() == key:
            return None
        result = self.run([*(eigen if leads_to_eigen else []), "-x", "c++", "-fsyntax-only"],
                          f'#include "{header}"\n#include "{header}"\n')
        if result.returncode != 0:
            return result.stderr
        stamp.write_text(key)
        return None

    def check_all(self):
        """[(header, problem)]."""
        eigen = self.precompile_eigen() if any(map(EIGEN.search, self.texts.values())) else []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = pool.map(lambda header: (header, self.check(header, eigen)), sorted(self.texts))
        return [(header, problem) for header, problem in problems if problem]


def self_test(compiler):
    good = {
        "instantgp/a.h": "#pragma once\n#include <vector>\ninline std::vector<int> a;\n",
        "instantgp/b.h": '#pragma once\n#include "instantgp/a.h"\ninline auto b = a;\n',
    }
    bad = {
        "lacks an include": ("instantgp/x.h", "#pragma once\ninline std::vector<int> x;\n"),
        "lacks one of ours": ("instantgp/x.h", "#pragma once\ninline auto x = a;\n"),
        "twice is too often": ("instantgp/x.h", "inline int x;\n"),
        "passed before it changed": ("instantgp/b.h", "#pragma once\ninline auto b = a;\n"),
    }
    failures = []
    for what, (name, text) in bad.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "instantgp").mkdir()
            for file, content in good.items():
                (root / file).write_text(content)
            command = (root, root / "generated", root / "cache", [compiler, "-std=c++20"])
            if found := Checker(*command).check_all():
                failures.append(f"the good tree is refused: {found}")
            (root / name).write_text(text)
            for time in ("first", "second"):
                if [header for header, _ in Checker(*command).check_all()] != [name]:
                    failures.append(f"'{what}' is not found the {time} time")
    return failures


def main():
    if sys.argv[1:2] == ["--self-test"] and len(sys.argv) == 3:
        failures = self_test(sys.argv[2])
        print("\n".join(failures) or "every kind of bad header is found")
        return 1 if failures else 0
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    checker = Checker(*sys.argv[1:4], sys.argv[4:])
    problems = checker.check_all()
    for header, problem in problems:
        print(f"{header} does not compile alone:\n{problem}")
    print(f"{len(checker.texts)} headers, {len(problems)} do not compile alone")
    return 1 if problems or not checker.texts else 0


if __name__ == "__main__":
    sys.exit(main())
