#!/usr/bin/env python3
"""make_manuals.py PROGRAM FOLDER: a manual page of the program and of each command, from their help."""
import pathlib
import sys

import help_text


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def list_section(title, entries):
    lines = [f".SH {title.upper()}"]
    for entry in entries:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in entry.names)
        value = f" \\fI{roff(entry.value)}\\fR" if entry.value else ""
        lines += [".TP", names + value, roff(entry.text)]
    return lines


def words_section(title, block):
    """Indented lines are examples and tables and stay as they are; others are prose."""
    lines, verbatim = [f".SH {title.upper()}"] if title else [".SH NOTES"], False
    for line in block:
        if line.startswith(" ") != verbatim and line.strip():
            verbatim = not verbatim
            lines.append(".PP\n.nf\n.RS 2" if verbatim else ".RE\n.fi\n.PP")
        if not line.strip() and not verbatim:
            lines.append(".PP")
        elif line.strip():
            lines.append(roff(line[2:] if verbatim else line))
    return lines + ([".RE\n.fi"] if verbatim else [])


def page(command, version, others):
    name = "instantgp" + (f"-{command.name}" if command.name else "")
    lines = [f'.\\" Made from the help of instantgp {version}.',
             f'.TH {name.upper()} 1 "" "instantgp {version}" "User Commands"',
             ".SH NAME", f"{name} \\- {roff(command.summary)}",
             ".SH SYNOPSIS", f"\\fB{roff(command.usage)}\\fR"]
    for title, entries in command.lists:
        lines += list_section("Commands" if title == "Subcommands" else title, entries)
    notes = [block for title, block in command.rest if not title]
    for title, block in command.rest:
        if title:
            lines += words_section(title, block)
    if notes:
        lines += words_section("", [line for block in notes for line in [*block, ""]][:-1])
    if command.name != "":
        others = ["instantgp"]
    lines += [".SH EXIT STATUS",
              "0 success, 1 failure, 2 usage, 3 bad data or kernel, 4 numerical failure, 5 limit exceeded, 130 interrupted.",
              ".SH SEE ALSO", ",\n".join(f".BR {roff(other)} (1)" for other in others).replace(",\n", " ,\n")]
    return name, "\n".join(lines) + "\n"


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.1"):
        old.unlink()
    version, commands = help_text.read(program)
    names = [f"instantgp-{command.name}" for command in commands if command.name]
    for command in commands:
        name, text = page(command, version, names)
        (folder / f"{name}.1").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
