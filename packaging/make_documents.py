#!/usr/bin/env python3
"""make_documents.py SOURCE BUILD PACKAGE VERSION MAINTAINER PREFIX: PREFIX/share/doc/PACKAGE, and pages of the manual packed.

Called when packages are made (cmake/Packages.cmake). What a package was made of is read from the build itself: headers
of other projects from the dependencies that the compiler recorded, libraries from the finished files; their versions from
the package manager. A project whose licence is not in the table below ends it, so that none comes in unseen.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

# Debian package, without version and -dev -> licence by its SPDX name.
LICENCES = {
    "libeigen3": "MPL-2.0", "nlohmann-json3": "MIT", "libcli11": "BSD-3-Clause", "libhwy": "Apache-2.0",
    "librandom123": "BSD-3-Clause", "libxxhash": "BSD-2-Clause", "libboost": "BSL-1.0", "pybind11": "BSD-3-Clause",
    "liblbfgs": "MIT", "libopenblas": "BSD-3-Clause", "zlib": "Zlib", "libopenmpi": "BSD-3-Clause",
    "libblas": "BSD-3-Clause", "liblapack": "BSD-3-Clause",
    "libc": "LGPL-2.1-or-later", "linux-libc": "GPL-2.0-only WITH Linux-syscall-note",
    "libstdc++": "GPL-3.0-or-later WITH GCC-exception-3.1", "libgcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1", "libquadmath": "LGPL-2.1-or-later",
    "libpython": "PSF-2.0", "libcrypt": "LGPL-2.1-or-later",
}
SYSTEM = {"libc", "linux-libc", "libstdc++", "libgcc", "libgfortran", "libquadmath", "libpython", "libcrypt"}
OBJECTS = {"instantgp": r"instantgp_(code|cli|http)\.dir/", "instantgp-mpi": r"instantgp_mpi\.dir/",
           "python3-instantgp": r"instantgp_(code|python)\.dir/"}  # others: those of the library


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def family(package):
    """libboost1.74-dev -> libboost; the first name of the table that the package begins with, the longest first."""
    for name in sorted(LICENCES, key=len, reverse=True):
        if package.startswith(name):
            return name
    raise SystemExit(f"make_documents: the licence of {package} is not in the table of {sys.argv[0]}")


def owners(files):
    """Debian packages that hold the files."""
    found = set()
    files = sorted(files)
    for start in range(0, len(files), 500):
        done = subprocess.run(["dpkg-query", "-S", *files[start:start + 500]], capture_output=True, text=True)
        for line in done.stdout.splitlines():
            found |= {name.strip().split(":")[0] for name in line.rsplit(": ", 1)[0].split(",")}
        lost = re.findall(r"no path found matching pattern (\S+)", done.stderr)
        # Some paths go through a link that the package manager does not know: /lib is /usr/lib.
        again = {alternative for path in lost for alternative in
                 [path[4:] if path.startswith("/usr/lib") else "/usr" + path, os.path.realpath(path)]}
        if lost and not again <= set(files):
            found |= owners(again - set(files))
    return found


def compiled_in(build, package):
    """Headers outside the project that went into the objects of the package."""
    wanted = re.compile(OBJECTS.get(package, r"instantgp_code\.dir/"))
    headers, take = set(), False
    for line in output("ninja", "-C", str(build), "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            take = bool(wanted.search(line))
        elif take and line.strip().startswith("/usr/"):
            headers.add(os.path.normpath(line.strip()))
    if not headers:
        raise SystemExit(f"make_documents: no recorded headers in {build}; was it built with Ninja?")
    return {name for name in owners(headers) if not re.match(r"(gcc|g\+\+|cpp)-", name)}


def linked(prefix):
    """Packages of the shared libraries that the installed files name."""
    libraries = set()
    for file in pathlib.Path(prefix).rglob("*"):
        if file.is_file() and not file.is_symlink() and file.open("rb").read(4) == b"\x7fELF":
            needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(file)))
            paths = dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", str(file)), re.M))
            libraries |= {os.path.realpath(paths[name]) for name in needed if name in paths}
    return owners(libraries)


def version_of(package):
    return output("dpkg-query", "-W", "-f", "${Version}\n", package).split()[0]


def bill_of_materials(package, version, built_at, headers, libraries):
    """SPDX 2.3. A project can be both: its headers compiled in and its library linked."""
    def entry(name, number, licence, supplier):
        return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": number,
                "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
                "licenseDeclared": licence, "copyrightText": "NOASSERTION", "supplier": supplier}

    own = entry(package, version, "Apache-2.0", "Organization: InstantGP")
    entries = [own] + [entry(name, version_of(name), LICENCES[family(name)], "Organization: Debian")
                       for name in sorted(headers | libraries)]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}]
    for names, kind in [(headers, "STATIC_LINK"), (libraries, "DYNAMIC_LINK")]:
        relations += [{"spdxElementId": own["SPDXID"], "relationshipType": kind,
                       "relatedSpdxElement": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)} for name in sorted(names)]
    identity = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([entries, relations], sort_keys=True))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"{package}-{version}", "documentNamespace": f"urn:uuid:{identity}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(built_at)),
                             "creators": ["Tool: packaging/make_documents.py"]},
            "packages": entries, "relationships": relations}


def write_packed(path, text):
    """As `gzip -9n`: the same bytes from the same text."""
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text if isinstance(text, bytes) else text.encode())
    path.chmod(0o644)


def main(source, build, package, version, maintainer, prefix):
    source, build, prefix = map(pathlib.Path, (source, build, prefix))
    folder = prefix / "share" / "doc" / package
    folder.mkdir(parents=True, exist_ok=True)
    built_at = int(os.environ.get("SOURCE_DATE_EPOCH") or (source / "CMakeLists.txt").stat().st_mtime)

    foreign = set()
    if package != "libinstantgp-dev":  # headers of ours, nothing compiled
        headers, libraries = compiled_in(build, package), linked(prefix)
        bill = bill_of_materials(package, version, built_at, headers, libraries)
        (folder / "bill-of-materials.spdx.json").write_text(json.dumps(bill, indent=1) + "\n")
        foreign = {name for name in headers if family(name) not in SYSTEM}
        texts = [f"{'=' * 100}\n{name} {version_of(name)} ({LICENCES[family(name)]})\n{'=' * 100}\n\n"
                 + pathlib.Path("/usr/share/doc", name, "copyright").read_text(errors="replace") for name in sorted(foreign)]
        write_packed(folder / "third-party-licences.gz", "\n".join(texts))

    also = "".join(f"\n  {name} {version_of(name)}: {LICENCES[family(name)]}" for name in sorted(foreign))
    comment = (f"Comment: Headers of these projects are compiled in; their notices are in\n"
               f" /usr/share/doc/{package}/third-party-licences.gz, and everything that is linked in\n"
               f" bill-of-materials.spdx.json beside it:{also}\n" if foreign else "")
    (folder / "copyright").write_text(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: InstantGP\n\n"
        f"Files: *\nCopyright: {time.gmtime(built_at).tm_year} The InstantGP contributors\nLicense: Apache-2.0\n" + comment +
        "\nLicense: Apache-2.0\n On Debian systems the text of the Apache License 2.0 is in\n"
        " /usr/share/common-licenses/Apache-2.0.\n")
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(built_at))
    write_packed(folder / "changelog.gz", f"instantgp ({version}) unstable; urgency=medium\n\n"
                 f"  * Release {version}; NEWS.gz of the package instantgp says what changed.\n\n"
                 f" -- {maintainer}  {date}\n")
    if package == "instantgp":
        write_packed(folder / "NEWS.gz", (source / "CHANGELOG.md").read_bytes())
        for page in (prefix / "share" / "man" / "man1").glob("*.1"):
            write_packed(page.with_suffix(".1.gz"), page.read_bytes())
            page.unlink()
    for file in folder.iterdir():
        file.chmod(0o644)


if __name__ == "__main__":
    main(*sys.argv[1:])
