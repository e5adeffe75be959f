#!/usr/bin/env python3
"""check_contents.py DEB...: finished packages hold what they promise; prints their sizes and says what is missing.

Every program and module has the guards of cmake/Hardening.cmake. Every command has its manual page, every shell its
completions. The bill of materials names what the package really needs, by two looks that share nothing with the script that
wrote it: the dependencies that dpkg-shlibdeps found, and the headers that our sources include.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import check_hardening

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# The folders of sources that are compiled into a package, and what is asked for by name rather than found by a linker.
COMPILED = {"instantgp": ["instantgp", "apps/cli", "apps/serve"], "instantgp-mpi": ["apps/mpi"],
            "python3-instantgp": ["instantgp", "python"]}
DEPENDS_BY_HAND = re.compile(r"(python3|instantgp|libinstantgp|libeigen3-dev)")
COMPLETIONS = ["bash-completion/completions/instantgp", "zsh/vendor-completions/_instantgp",
               "fish/vendor_completions.d/instantgp.fish"]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def included(package):
    """Debian packages of the headers that the sources of a package include by name."""
    headers = set()
    for folder in COMPILED.get(package, ["instantgp"]):
        for file in (SOURCE / folder).rglob("*"):
            if file.suffix in (".cc", ".h"):
                headers |= set(re.findall(r"^#include <([\w./+-]+)>", file.read_text(), re.M))
    places = [pathlib.Path("/usr/include", sub, name) for name in headers
              for sub in ("", "eigen3", "/usr/lib/x86_64-linux-gnu/openmpi/include")]
    paths = [str(path) for path in places if path.is_file()]
    lines = output("dpkg-query", "-S", *paths).splitlines() if paths else []
    owners = {line.split(":")[0] for line in lines}
    return {name for name in owners if not name.startswith(("libc6", "linux-libc", "libstdc++"))}


def bill_problems(package, root, depends):
    path = root / "usr/share/doc" / package / "bill-of-materials.spdx.json"
    if not path.exists():
        return ["no bill of materials"]
    bill = json.loads(path.read_text())
    names = {entry["SPDXID"]: entry for entry in bill["packages"]}
    of = {kind: {names[r["relatedSpdxElement"]]["name"] for r in bill["relationships"] if r["relationshipType"] == kind}
          for kind in ("STATIC_LINK", "DYNAMIC_LINK")}
    wrong = []
    for alternatives in depends:
        if not any(linked.startswith(name) for name in alternatives for linked in of["DYNAMIC_LINK"]):
            wrong.append(f"the bill of materials lacks the library {' or '.join(alternatives)}")
    for name in sorted(included(package) - of["STATIC_LINK"]):
        wrong.append(f"the bill of materials lacks the headers of {name}")
    for entry in bill["packages"][1:]:
        there = output("dpkg-query", "-W", "-f", "${Version}\n", entry["name"]).split()[0]
        if entry["versionInfo"] != there:
            wrong.append(f"the bill of materials has {entry['name']} {entry['versionInfo']}, compiled with {there}")
    print(f"{package}: bill of materials of {len(of['STATIC_LINK'])} projects compiled in, {len(of['DYNAMIC_LINK'])} linked")
    return wrong


def problems_of(deb, root):
    subprocess.run(["dpkg-deb", "-x", deb, str(root)], check=True)
    package = output("dpkg-deb", "-f", deb, "Package").strip()
    print(f"{package}: {pathlib.Path(deb).stat().st_size / 1e6:.2f} MB")
    files = [f for f in root.rglob("*") if f.is_file() and not f.is_symlink() and f.open("rb").read(4) == b"\x7fELF"]
    wrong = []
    for file in sorted(files):
        print(f"  {file.relative_to(root)}: {file.stat().st_size / 1e6:.2f} MB")
        lacks = check_hardening.missing(str(file))
        if lacks:
            wrong.append(f"{file.relative_to(root)} is without {', '.join(lacks)}")
    if package != "libinstantgp-dev":
        depends = [re.findall(r"(?:^|\|)\s*([a-z0-9.+-]+)", part)
                   for part in output("dpkg-deb", "-f", deb, "Depends").strip().split(",")]
        wrong += bill_problems(package, root, [d for d in depends if not DEPENDS_BY_HAND.match(d[0])])
    if package == "instantgp":
        told = output(str(root / "usr/lib/instantgp/x86-64-v2/instantgp"), "--help")
        commands = [line.split()[0] for line in told.split("ommands:\n")[1].split("\n\n")[0].splitlines()]
        pages = [f"man/man1/{'-'.join(['instantgp', *command])}.1.gz" for command in [[]] + [[c] for c in commands]]
        wrong += [f"no {name}" for name in pages + COMPLETIONS if not (root / "usr/share" / name).is_file()]
        print(f"{package}: {len(pages)} manual pages for {len(commands)} commands, completions of {len(COMPLETIONS)} shells")
    return [f"{package}: {what}" for what in wrong]


def main():
    wrong = []
    for deb in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            wrong += problems_of(deb, pathlib.Path(folder))
    print("\n".join(wrong) or f"contents: {len(sys.argv) - 1} packages are complete")
    return 1 if wrong or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
