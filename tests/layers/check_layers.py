#!/usr/bin/env python3
"""Fails when an #include climbs a level, or when ARCHITECTURE.md says otherwise than the includes.

The table in ARCHITECTURE.md, rows `| level | `folder` | holds | uses |`, gives every folder its level and names the
folders it includes directly. A folder is one of instantgp/, or apps/<name>, or python. A file may include headers of its
own folder and of folders on a lower level, always by the full path from the project's root.

    check_layers.py ROOT          check a tree
    check_layers.py --self-test   prove that each kind of mistake is found
"""
import pathlib
import re
import sys
import tempfile

TABLE = "ARCHITECTURE.md"
UMBRELLA = "instantgp/instantgp.h"  # includes every public header and is included by users only

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*`([^`]+)`\s*\|.*\|([^|]*)\|\s*$", re.MULTILINE)


class Table:
    def __init__(self, root):
        rows = ROW.findall((root / TABLE).read_text(encoding="utf-8"))
        self.levels = {folder: int(level) for level, folder, _ in rows}
        self.uses = {folder: set(uses.replace(",", " ").replace("`", " ").split()) for _, folder, uses in rows}

    def level(self, folder):
        """None when the table does not know the folder."""
        if folder == "instantgp.h":  # above the library, below the programs
            library = [level for name, level in self.levels.items() if not is_program(name)]
            return max(library, default=0) + 0.5
        return self.levels.get(folder)


def is_program(folder):
    return folder == "python" or folder.startswith("apps/")


def folder_of(path):
    """The table's name for the folder of a path from the root."""
    parts = path.split("/")
    if parts[0] == "apps":
        return "/".join(parts[:2])
    return "python" if parts[0] == "python" else parts[1]


def problem_of(includer, bracket, included, table):
    """What is wrong with one include, or None."""
    if not included.startswith(("instantgp/", "apps/", "python/")):
        return "write the full path from the project's root" if bracket == '"' else None
    folder, other = folder_of(includer), folder_of(included)
    level, other_level = table.level(folder), table.level(other)
    if other_level is None:
        return f"'{other}' is not in the table of {TABLE}"
    if folder == other or other_level < level:
        return None
    return f"'{folder}' (level {level}) may not include '{other}' (level {other_level})"


def check(root):
    """The problems of a tree, one line each, and the number of includes looked at."""
    problems, seen = [], 0
    table = Table(root)
    used = {folder: set() for folder in table.levels}
    found = set()
    for top in ("instantgp", "apps", "python"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cc"):
                continue
            name = file.relative_to(root).as_posix()
            folder = folder_of(name)
            found.add(folder)
            if table.level(folder) is None:
                problems.append(f"{name}: '{folder}' is not in the table of {TABLE}")
                continue
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                seen += 1
                problem = problem_of(name, match[1], match[2], table)
                if problem:
                    line = text.count("\n", 0, match.start(2)) + 1
                    problems.append(f"{name}:{line}: #include of {match[2]}: {problem}")
                elif name != UMBRELLA and match[2].startswith(("instantgp/", "apps/", "python/")):
                    used[folder].add(folder_of(match[2]))
    if problems:  # the table is compared with a tree that is in order
        return problems, seen
    for folder, uses in table.uses.items():
        real = used[folder] - {folder, "instantgp.h"}
        if folder not in found:
            problems.append(f"{TABLE}: there are no sources in '{folder}'")
        elif uses != real:
            more, fewer = " ".join(sorted(real - uses)), " ".join(sorted(uses - real))
            problems.append(f"{TABLE}: '{folder}' uses {' '.join(sorted(real)) or 'nothing'}" +
                            (f"; add {more}" if more else "") + (f"; take away {fewer}" if fewer else ""))
    return problems, seen


def self_test():
    row = "| {} | `{}` | what it | holds | {} |\n"
    good = {
        TABLE: "# About\n\n| level | folder | holds | uses |\n|---|---|---|---|\n" + row.format(0, "base", "") +
               row.format(1, "kernel", "base") + row.format(2, "gp", "kernel base") + row.format(2, "network", "") +
               row.format(3, "inference", "") + row.format(4, "model", "inference") +
               row.format(5, "apps/cli", "model") + row.format(5, "apps/server", "base") + row.format(5, "python", "model"),
        "instantgp/base/a.h": "#include <vector>\n",
        "instantgp/base/b.cc": '#include "instantgp/base/a.h"\n#include <Eigen/Core>\n',
        "instantgp/gp/c.h": '  #  include "instantgp/kernel/d.h"\n#include "instantgp/base/a.h"',
        "instantgp/kernel/d.h": '#include <instantgp/base/a.h>\n',
        "instantgp/network/n.h": "",
        "instantgp/instantgp.h": '#include "instantgp/model/f.h"\n',
        "instantgp/model/f.h": '#include "instantgp/inference/g.h"\n',
        "instantgp/inference/g.h": "",
        "apps/cli/main.cc": '#include "apps/cli/x.h"\n#include "instantgp/model/f.h"\n',
        "apps/cli/x.h": "",
        "apps/server/main.cc": '#include "instantgp/base/a.h"\n#include "instantgp/instantgp.h"\n',
        "python/bindings/b.h": '#include "instantgp/model/f.h"\n',
        "python/bindings/b.cc": '#include "python/bindings/b.h"\n',
    }
    bad = {
        "climbs": ("instantgp/base/x.h", '#include "instantgp/gp/c.h"\n'),
        "climbs in angle brackets": ("instantgp/kernel/x.cc", "int a;\n#include <instantgp/gp/c.h>\n"),
        "climbs with blanks": ("instantgp/kernel/x.cc", '\t # include  "instantgp/model/f.h"\n'),
        "same level": ("instantgp/network/x.cc", '#include "instantgp/gp/c.h"\n'),
        "library uses an app": ("instantgp/model/x.cc", '#include "apps/cli/x.h"\n'),
        "library uses the bindings": ("instantgp/model/x.cc", '#include "python/bindings/b.h"\n'),
        "app uses an app": ("apps/server/x.cc", '#include "apps/cli/x.h"\n'),
        "bindings use an app": ("python/bindings/x.cc", '#include "apps/cli/x.h"\n'),
        "library uses the umbrella": ("instantgp/model/x.cc", '#include "instantgp/instantgp.h"\n'),
        "short path": ("instantgp/gp/x.cc", '#include "c.h"\n'),
        "short path in the bindings": ("python/bindings/x.cc", '#include "b.h"\n'),
        "climbing path": ("instantgp/kernel/x.cc", '#include "../gp/c.h"\n'),
        "unknown folder": ("instantgp/gp/x.cc", '#include "instantgp/stranger/a.h"\n'),
        "file of an unknown folder": ("instantgp/stranger/x.cc", ""),
        "unknown app": ("apps/stranger/x.cc", ""),
        "a use that the table lacks": ("instantgp/network/x.cc", '#include "instantgp/kernel/d.h"\n', "add kernel"),
        "a use of the bindings that it lacks": ("python/bindings/x.cc", '#include "instantgp/gp/c.h"\n', "add gp"),
        "a use that is not there": ("instantgp/gp/c.h", '#include "instantgp/base/a.h"\n', "take away kernel"),
        "a row without a folder": (TABLE, good[TABLE] + row.format(1, "ghost", ""), "no sources in 'ghost'"),
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
    for what, (name, text, *expected) in bad.items():
        found = problems_with({name: text})
        start, words = (TABLE, expected[0]) if expected else (name, "")
        if len(found) != 1 or not found[0].startswith(start) or words not in found[0]:
            failures.append(f"'{what}' should give one problem in {start}, gave {found}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        failures = self_test()
        print("\n".join(failures) or "every kind of mistake is found")
        return 1 if failures else 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems, seen = check(pathlib.Path(sys.argv[1]))
    if seen == 0:
        problems.append("no #include found: is this the root of the project?")
    print("\n".join(problems) or f"{seen} includes, none climbs a level, all as {TABLE} says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
