#!/usr/bin/env python3
"""Fails when an #include climbs a level.

A station is a folder of instantgp/; apps/<name> stands above all of them. A file may include headers of its own station
and of stations on a lower level, always by the full path from the project's root.

    check_layers.py ROOT          check a tree
    check_layers.py --self-test   prove that each kind of bad include is found
"""
import pathlib
import re
import sys
import tempfile

LEVELS = {
    "base": 0,
    "data": 1, "kernel": 1, "optimize": 1, "plot": 1,
    "gp": 2, "network": 2,
    "simulate": 3, "inference": 3,
    "model": 4,
    "search": 5, "training": 5,
    "experiments": 6,
}
APPS_LEVEL = 7
UMBRELLA = "instantgp/instantgp.h"  # includes every public header and is included by users only

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def station_of(path):
    """(station, level) of a path from the root; level None when the table does not know it."""
    parts = path.split("/")
    if parts[0] == "apps":
        return "/".join(parts[:2]), APPS_LEVEL
    if path == UMBRELLA:
        return "instantgp.h", APPS_LEVEL - 0.5
    return parts[1], LEVELS.get(parts[1])


def problem_of(includer, bracket, included):
    """What is wrong with one include, or None."""
    ours = included.startswith(("instantgp/", "apps/"))
    if not ours:
        return "write the full path from the project's root" if bracket == '"' else None
    station, level = station_of(includer)
    other, other_level = station_of(included)
    if other_level is None:
        return f"station '{other}' has no level in {pathlib.Path(__file__).name}"
    if station == other or other_level < level:
        return None
    return f"'{station}' (level {level}) may not include '{other}' (level {other_level})"


def check(root):
    """The problems of a tree, one line each, and the number of includes looked at."""
    problems, seen = [], 0
    for folder in ("instantgp", "apps"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            name = file.relative_to(root).as_posix()
            if station_of(name)[1] is None:
                problems.append(f"{name}: its station has no level in {pathlib.Path(__file__).name}")
                continue
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                seen += 1
                problem = problem_of(name, match[1], match[2])
                if problem:
                    line = text.count("\n", 0, match.start(2)) + 1
                    problems.append(f"{name}:{line}: #include of {match[2]}: {problem}")
    return problems, seen


def self_test():
    good = {
        "instantgp/base/a.h": "#include <vector>\n",
        "instantgp/base/b.cc": '#include "instantgp/base/a.h"\n#include <Eigen/Core>\n',
        "instantgp/gp/c.h": '  #  include "instantgp/kernel/d.h"\n',
        "instantgp/kernel/d.h": '#include <instantgp/base/a.h>\n',
        "instantgp/instantgp.h": '#include "instantgp/model/f.h"\n',
        "instantgp/model/f.h": '#include "instantgp/inference/g.h"\n',
        "instantgp/inference/g.h": "",
        "apps/cli/main.cc": '#include "apps/cli/x.h"\n#include "instantgp/model/f.h"\n',
        "apps/cli/x.h": "",
    }
    bad = {
        "climbs": ("instantgp/base/x.h", '#include "instantgp/gp/c.h"\n'),
        "climbs in angle brackets": ("instantgp/kernel/x.cc", "int a;\n#include <instantgp/gp/c.h>\n"),
        "climbs with blanks": ("instantgp/kernel/x.cc", '\t # include  "instantgp/model/f.h"\n'),
        "same level": ("instantgp/network/x.cc", '#include "instantgp/gp/c.h"\n'),
        "library uses an app": ("instantgp/model/x.cc", '#include "apps/cli/x.h"\n'),
        "app uses an app": ("apps/server/x.cc", '#include "apps/cli/x.h"\n'),
        "library uses the umbrella": ("instantgp/model/x.cc", '#include "instantgp/instantgp.h"\n'),
        "short path": ("instantgp/gp/x.cc", '#include "c.h"\n'),
        "climbing path": ("instantgp/kernel/x.cc", '#include "../gp/c.h"\n'),
        "unknown station": ("instantgp/gp/x.cc", '#include "instantgp/stranger/a.h"\n'),
        "file of an unknown station": ("instantgp/stranger/x.cc", ""),
    }

    def problems_with(extra):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**good, **extra}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check(root)[0]

    failures = []
    if problems_with({}):
        failures.append(f"the good tree is refused: {problems_with({})}")
    for what, (name, text) in bad.items():
        found = problems_with({name: text})
        if len(found) != 1 or not found[0].startswith(name):
            failures.append(f"'{what}' should give one problem in {name}, gave {found}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        failures = self_test()
        print("\n".join(failures) or "every kind of bad include is found")
        return 1 if failures else 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems, seen = check(pathlib.Path(sys.argv[1]))
    if seen == 0:
        problems.append("no #include found: is this the root of the project?")
    print("\n".join(problems) or f"{seen} includes, none climbs a level")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
