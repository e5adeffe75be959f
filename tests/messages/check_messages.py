#!/usr/bin/env python3
"""Fails when a text of the library speaks a front end's words.

Errors carry what would help as data (Remedy: option, value); the command line says `--method ml`, Python `method="ml"`.
So no string of instantgp/ may contain a flag.

    check_messages.py ROOT          check a tree
    check_messages.py --self-test   prove that a flag is found wherever it can stand
"""
import pathlib
import re
import sys

# A string literal (raw ones too), after comments are gone; a flag starts a word.
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<tag>[^()\\ ]{0,16})\((?P<raw>.*?)\)(?P=tag)"'
    r'|"(?P<text>(?:[^"\\\n]|\\.)*)"'
    r"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")


def flags_in(source):
    """(line, flag) of every flag in a string literal."""
    found = []
    for match in TOKEN.finditer(source):
        text = match["raw"] if match["raw"] is not None else match["text"]
        for flag in FLAG.findall(text or ""):
            found.append((source.count("\n", 0, match.start()) + 1, flag))
    return found


def check(root):
    """The problems of a tree, one line each, and the number of files looked at."""
    problems, seen = [], 0
    for file in sorted((root / "instantgp").rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        seen += 1
        for line, flag in flags_in(file.read_text(encoding="utf-8")):
            problems.append(f"{file.relative_to(root).as_posix()}:{line}: '{flag}' is the command line's word; "
                            "say it plainly and add a Remedy")
    return problems, seen


def self_test():
    bad = ['"use --method ml"', '"a" "(--data)"', 'R"(first\n--steps 3)"', '"\\"--fresh\\""', 'f("x", "--n is at least 1")']
    good = ['// --method ml\n"use the method ml"', '"a - b -- c"', "'-' '-'", '"x-y 1e-5 -inf"', '/* --a */ "b"',
            '"--"', '"instantgp/fit/1"']
    failures = [f"not found: {text}" for text in bad if len(flags_in(text)) != 1]
    return failures + [f"found in: {text}: {flags_in(text)}" for text in good if flags_in(text)]


def main():
    if sys.argv[1:] == ["--self-test"]:
        failures = self_test()
        print("\n".join(failures) or "flags are found in every kind of string")
        return 1 if failures else 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems, seen = check(pathlib.Path(sys.argv[1]))
    if seen == 0:
        problems.append("no source found: is this the root of the project?")
    print("\n".join(problems) or f"{seen} files, none of their texts names a flag")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
